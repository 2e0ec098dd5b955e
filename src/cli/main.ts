// The command line: finds the command, runs it, and is the only place that catches, prints and chooses the exit code.
import type { CommandDefinition, Context, ParsedCommand } from './command.ts';
import { commandTable } from './command-table.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { Host } from './terminal/host.ts';
import { Printer } from './terminal/printer.ts';
import { describeFailure, usageError } from './text/failure.ts';
import { printable } from './text/table.ts';

export { terminalHost } from './terminal/host.ts';

/** A second signal within this time is the same key press, sent again by npm or the launcher. */
const sameSignalMs = 300;

/** Runs one command line, without the name of the program. Never throws; the result is the exit code. */
export async function main(argv: readonly string[], host: Host): Promise<number> {
  const out = new Printer(host.stdout);
  const err = new Printer(host.stderr);
  const stop = new AbortController();
  const signals = stopOnSignal(host, err, stop);
  try {
    const exitCode = await dispatch(argv, host, { out, err, signal: stop.signal, letSignalsEnd: signals.letEnd });
    await out.flush();
    if (out.failure !== undefined) throw out.failure;
    return exitCode;
  } catch (error) {
    return tell(error, { out, err, signal: stop.signal, argv });
  } finally {
    signals.forget();
  }
}

interface Ends {
  readonly out: Printer;
  readonly err: Printer;
  readonly signal: AbortSignal;
  /** From now on, a signal ends the process at once, until what this returns is called. */
  readonly letSignalsEnd: () => () => void;
}

async function dispatch(argv: readonly string[], host: Host, ends: Ends): Promise<ExitCode> {
  const { name, rest } = split(argv);
  if (name === undefined) return await withoutCommand(rest, ends.out);
  if (name === 'help' && rest[0] === undefined) return await withoutCommand(['--help'], ends.out);
  const wanted = name === 'help' ? String(rest[0]) : name;
  const known = commandTable.find((each) => each.name === wanted);
  const isSite = known === undefined && (await isSiteName(wanted));
  const entry = isSite ? commandTable.find((each) => each.name === 'start') : known;
  if (entry === undefined) throw await unknownCommand(wanted);
  const definition = await entry.load();
  const { parseCommand } = await import('./parsed-command.ts');
  const words = isSite ? [wanted, ...rest] : rest;
  const line = parseCommand(entry, definition, name === 'help' ? ['--help'] : words);
  if (line.kind === 'help') {
    ends.out.text(line.text);
    return exitCodes.done;
  }
  return await runCommand(definition, host, ends, line);
}

/** Options may precede the command's name; of these, only `--config` has a value. */
function split(argv: readonly string[]): { name: string | undefined; rest: readonly string[] } {
  let at = 0;
  while (argv[at]?.startsWith('-') === true) at += argv[at] === '--config' || argv[at] === '-c' ? 2 : 1;
  return { name: argv[at], rest: [...argv.slice(0, at), ...argv.slice(at + 1)] };
}

async function withoutCommand(options: readonly string[], out: Printer): Promise<ExitCode> {
  const { helpText, versionText } = await import('./text/help.ts');
  const unknown = options.find((option) => !['-h', '--help', '-V', '--version', '--json'].includes(option));
  if (unknown !== undefined)
    throw usageError(`Unknown option ${unknown}.`, 'Run `rankledger --help` for the commands.');
  if (options.includes('--version') || options.includes('-V')) {
    out.line(versionText());
    return exitCodes.done;
  }
  out.text(helpText());
  // Asking for help succeeds; a missing command is an error, so that cron notices it.
  return options.includes('--help') || options.includes('-h') ? exitCodes.done : exitCodes.usage;
}

/** A host below a public suffix: `example.com` is one, `rankledger.yaml` is not. */
async function isSiteName(word: string): Promise<boolean> {
  const name = word.toLowerCase().replace(/^https?:\/\/([^/]+)\/?$/u, '$1');
  if (!/^[^\s/:]+\.[^\s/:.]+$/u.test(name)) return false;
  const { isPublicDomain } = await import('../tracker/targets/brand.ts');
  return isPublicDomain(name);
}

async function unknownCommand(name: string): Promise<Error> {
  const { nearestWord } = await import('../../config/document/problems.ts');
  const meant = nearestWord(
    name,
    commandTable.map((entry) => entry.name),
  );
  const hint =
    meant === undefined ? 'Run `rankledger --help` for the commands.' : `Did you mean \`rankledger ${meant}\`?`;
  return usageError(`There is no command "${name}".`, hint);
}

interface CommonFlags {
  readonly config?: string | readonly string[];
  readonly json?: boolean;
  readonly verbose?: boolean;
}

async function runCommand(
  definition: CommandDefinition,
  host: Host,
  ends: Ends,
  line: ParsedCommand,
): Promise<ExitCode> {
  const { createContext } = await import('./context.ts');
  const common: CommonFlags = line.flags;
  const offline = definition.asksServices?.(line) === false;
  const { readsKeywordFiles = true, leavesOutBroken = false } = definition;
  const context: Context = createContext({
    isLongRunning: definition.isLongRunning === true,
    ...common,
    host,
    ...ends,
    line,
    offline,
    readsKeywordFiles,
    leavesOutBroken,
  });
  try {
    return await definition.run(context);
  } finally {
    context.progress.clear();
  }
}

/** The first signal lets what is in flight finish, the second ends the process. */
function stopOnSignal(host: Host, err: Printer, stop: AbortController) {
  let firstAt: number | undefined;
  const listener = () => {
    const now = host.now();
    if (firstAt === undefined) {
      firstAt = now;
      if (err.isTerminal) err.line('\nFinishing requests in flight. Press Ctrl-C again to stop at once.');
      stop.abort(new DOMException('Interrupted.', 'AbortError'));
    } else if (now - firstAt >= sameSignalMs) {
      host.exit(exitCodes.interrupted);
    }
  };
  let forget = host.onInterrupt(listener);
  const letEnd = () => {
    forget();
    return () => {
      forget = host.onInterrupt(listener);
    };
  };
  return { forget: () => forget(), letEnd };
}

function tell(error: unknown, ends: Omit<Ends, 'letSignalsEnd'> & { readonly argv: readonly string[] }): ExitCode {
  const { out, err, signal, argv } = ends;
  const failure = describeFailure(error);
  // A reader that closed the pipe (`| head`) needs no more output: nothing failed.
  if (failure.code === 'EPIPE') return exitCodes.done;
  const wasInterrupted = signal.aborted && (failure.exitCode === exitCodes.interrupted || error === signal.reason);
  if (wasInterrupted) {
    err.line(failure.code === 'INTERRUPTED' ? failure.message : 'Interrupted.');
  } else if (failure.isBug) {
    err.line(`${err.styled('red', 'Unexpected error:')} ${shownLines(failure.message)}`);
    err.line('This is a bug in rankledger. Run the same command with --debug, and report its output.');
  } else {
    err.line(`${err.styled('red', 'Error:')} ${shownLines(failure.message)}`);
    if (failure.hint !== null) err.line(shownLines(failure.hint));
  }
  if (argv.includes('--debug') && error instanceof Error) err.line(formatStack(error));
  if (argv.includes('--json') && !out.hasWritten) {
    const { code, message, hint } = failure;
    out.json({ error: { code, message, hint } });
  }
  return failure.exitCode;
}

/** A message may quote text from the web. */
function shownLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** The stack of an error and of what caused it. */
function formatStack(error: Error): string {
  const own = error.stack ?? error.message;
  return error.cause instanceof Error ? `${own}\nCaused by: ${formatStack(error.cause)}` : own;
}
