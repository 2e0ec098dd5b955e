// The log of the app: JSON lines on stderr where machines read it; on a terminal silent, or readable with --verbose.
import type { Log } from '../app.ts';
import type { Printer } from './printer.ts';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Makes the log; pino is loaded only where something will be written. */
export async function openLog(err: Printer, isVerbose: boolean): Promise<Log> {
  if (err.isTerminal && !isVerbose) return silent;
  const { pino } = await import('pino');
  const level = isVerbose ? 'debug' : 'info';
  // Hosts' names and process ids are noise in the log of a batch job.
  const options = { level, base: null };
  const shape = err.isTerminal ? await readable(err) : (line: string) => line;
  const logger = pino(options, { write: (line) => err.text(shape(line)) });
  return {
    debug: (facts, message) => logger.debug(facts, message),
    info: (facts, message) => logger.info(facts, message),
    warn: (facts, message) => logger.warn(facts, message),
    error: (facts, message) => logger.error(facts, message),
  };
}

async function readable(err: Printer): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty');
  return prettyFactory({ colorize: err.styled('dim', '.') !== '.', translateTime: 'SYS:HH:MM:ss' });
}
