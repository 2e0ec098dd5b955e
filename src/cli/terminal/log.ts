// The log of the app, on stderr: readable on a terminal, JSON lines elsewhere. Short commands log with --verbose only.
import { createRequire } from 'node:module';
import type { Logger } from 'pino';
import type { Log } from '../../../jobs/context.ts';
import type { Printer } from './printer.ts';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Creates the log; pino is loaded when the first line is written. `isLongRunning`: the command runs until a signal, and
 * its log is all that a supervisor sees of it.
 */
export function openLog(err: Printer, isVerbose: boolean, isLongRunning: boolean): Log {
  if (!isVerbose && (err.isTerminal || !isLongRunning)) return silent;
  let opened: Logger | undefined;
  const logger = () => {
    opened ??= openPino(err, isVerbose ? 'debug' : 'info');
    return opened;
  };
  return {
    debug: (facts, message) => logger().debug(facts, message),
    info: (facts, message) => logger().info(facts, message),
    warn: (facts, message) => logger().warn(facts, message),
    error: (facts, message) => logger().error(facts, message),
  };
}

/** Leaves out host names and process ids, which are noise in the log of a batch job. */
function openPino(err: Printer, level: 'debug' | 'info'): Logger {
  const require = createRequire(import.meta.url);
  const { pino }: typeof import('pino') = require('pino');
  const readable = err.isTerminal ? openPretty(require, err) : (line: string) => line;
  const redact = { paths: [...secretNames, ...secretNames.map((name) => `*.${name}`)], censor: '***' };
  return pino({ level, base: null, redact }, { write: (line) => err.text(readable(withoutUserInfo(line))) });
}

/** Fields with these names are redacted. Our lines have none; this is the safety net for a line that gets one. */
const secretNames = ['password', 'authorization', 'secret', 'token', 'apiKey', 'redisUrl'];

/** Messages of libraries may contain URLs with a login: `https://user:password@host`. */
function withoutUserInfo(line: string): string {
  return line.replace(/:\/\/[^\s/"'<>\\]*@/g, '://***@');
}

function openPretty(require: NodeJS.Require, err: Printer): (line: string) => string {
  const { prettyFactory }: typeof import('pino-pretty') = require('pino-pretty');
  return prettyFactory({ colorize: err.styled('dim', '.') !== '.', translateTime: 'SYS:HH:MM:ss' });
}
