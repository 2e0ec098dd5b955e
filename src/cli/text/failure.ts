// What a failure means for the user of a command: code, message, remedy and exit code. main.ts prints it.
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { duration } from './numbers.ts';

interface CommandFailure {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly exitCode: ExitCode;
  /** An unexpected error: a defect of the program. */
  readonly isBug: boolean;
}

/** An expected failure of a command. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code: string;
  readonly hint: string | null;
  readonly exitCode: ExitCode;

  constructor(code: string, message: string, hint: string | null, exitCode: ExitCode = exitCodes.failed) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.exitCode = exitCode;
  }
}

/** An invalid command line. */
export function usageError(message: string, hint: string | null = null): CommandError {
  return new CommandError('USAGE', message, hint, exitCodes.usage);
}

/** Errors of the operating system about a file or address: in words, with the remedy. */
const systemFailures: ReadonlyMap<string, readonly [words: string, hint: string]> = new Map([
  ['ENOENT', ['the file or folder does not exist', 'Check the name.']],
  [
    'EACCES',
    ['this user has no permission to open or create it', 'Check the permissions of the file and of its folder.'],
  ],
  ['EPERM', ['this user has no permission to change it', 'Check the permissions of the file and of its folder.']],
  ['EROFS', ['the disk is read-only', 'Choose another folder.']],
  ['ENOSPC', ['the disk is full', 'Free some space and run the command again.']],
  ['EFBIG', ['it is larger than this user may write', 'Raise the limit of file sizes (ulimit -f).']],
  ['EDQUOT', ['the disk quota is used up', 'Free some space and run the command again.']],
  ['EISDIR', ['it is a folder', 'Name a file.']],
  ['EEXIST', ['a file or folder of that name already exists', 'Choose another name.']],
  ['ENOTDIR', ['a part of the path is a file, not a folder', 'Check the name.']],
  ['EMFILE', ['too many files are open', 'Raise the limit (ulimit -n), or lower queue.concurrency.']],
  ['ENFILE', ['too many files are open on this machine', 'Close other programs, or raise the limit (fs.file-max).']],
  ['EADDRINUSE', ['another program uses the port', 'Choose another port.']],
]);

/**
 * Facts that errors of other modules carry; read by property name, so that describing an error loads none of these
 * modules.
 */
interface KnownError extends Error {
  readonly code?: unknown;
  readonly hint?: unknown;
  readonly exitCode?: unknown;
  readonly disposition?: unknown;
  readonly retryAfterMs?: unknown;
  readonly status?: unknown;
  readonly syscall?: unknown;
  readonly path?: unknown;
  /** Of a copy: the file that could not be written. */
  readonly dest?: unknown;
}

export function describeFailure(thrown: unknown): CommandFailure {
  const error: KnownError = thrown instanceof Error ? thrown : new Error(String(thrown));
  const code = typeof error.code === 'string' ? error.code : null;
  const hint = typeof error.hint === 'string' ? error.hint : null;
  const foreseen = (exitCode: ExitCode, fallback: string): CommandFailure => ({
    code: code ?? fallback,
    message: error.message,
    hint,
    exitCode,
    isBug: false,
  });
  if (error instanceof CommandError) return foreseen(error.exitCode, 'FAILED');
  if (error.name === 'ConfigError' || error.name === 'ServiceSetupError')
    return foreseen(exitCodes.usage, 'CONFIG_INVALID');
  if (error.name === 'UsageError' || error.name === 'AccountError') return foreseen(exitCodes.usage, 'USAGE');
  if (error.name === 'ServiceError') {
    const failure = foreseen(serviceExitCode(error), 'SERVICE_FAILED');
    return { ...failure, hint: waitHint(error) ?? failure.hint };
  }
  if (error.name === 'FileRefused')
    return foreseen(namesNoFile.has(code ?? '') ? exitCodes.usage : exitCodes.failed, 'FAILED');
  if (error.name === 'AbortError') return foreseen(exitCodes.interrupted, 'INTERRUPTED');
  if (code?.startsWith('SQLITE_') === true) return databaseFailure(error.message);
  const absent = absentPackage(error.message, code);
  if (absent !== null) return absent;
  if (hint !== null) return foreseen(exitCodes.failed, 'FAILED');
  if (typeof error.syscall === 'string' && code !== null) return systemFailure(error, code);
  const handles = outOfHandles(error);
  if (handles !== null) return systemFailure(handles, 'EMFILE');
  return { code: 'UNEXPECTED', message: error.message, hint: null, exitCode: exitCodes.failed, isBug: true };
}

/** A name that a command line or a config got wrong. */
const namesNoFile = new Set(['IS_A_FOLDER', 'NOT_A_FILE']);

/** The store names its failures; errors that SQLite throws while reading have no file to name. */
function databaseFailure(message: string): CommandFailure {
  const hint = 'Check the disk, then run `rankledger verify`.';
  return {
    code: 'DATABASE_ERROR',
    message: `the database failed: ${message}`,
    hint,
    exitCode: exitCodes.failed,
    isBug: false,
  };
}

/** An installation for programs that only embed the service has none of the packages that commands need. */
function absentPackage(message: string, code: string | null): CommandFailure | null {
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return null;
  const [, name] = /^Cannot find (?:package|module) '([^'./][^']*)'/.exec(message) ?? [];
  if (name === undefined) return null;
  const hint =
    'Commands need the optional packages of rankledger. In the folder of your package.json, run: npm install --include=optional';
  const words = `the package ${name} is not installed`;
  return { code: 'PACKAGE_MISSING', message: words, hint, exitCode: exitCodes.failed, isBug: false };
}

/** The first error in the chain of causes that means that too many files are open, however it is wrapped. */
function outOfHandles(error: KnownError): KnownError | null {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if (/\b(EMFILE|ENFILE)\b/.test(`${String((each as KnownError).code)} ${each.message}`)) return each;
  }
  return null;
}

function systemFailure(error: KnownError, code: string): CommandFailure {
  const [words, hint = null] = systemFailures.get(code) ?? [];
  const file = error.syscall === 'copyfile' && code !== 'ENOENT' ? error.dest : error.path;
  const subject = typeof file === 'string' ? file : 'Reading or writing failed';
  const message = words === undefined ? error.message : `${subject}: ${words}`;
  return { code, message, hint, exitCode: exitCodes.failed, isBug: false };
}

/** A service that limits its requests says when it takes the next one. */
function waitHint({ disposition, retryAfterMs }: KnownError): string | null {
  if (disposition !== 'wait' || typeof retryAfterMs !== 'number') return null;
  return `Wait ${duration(retryAfterMs)}, then run the command again.`;
}

function serviceExitCode(error: KnownError): ExitCode {
  if (error.disposition === 'halt') return exitCodes.halted;
  if (error.code === 'ABORTED') return exitCodes.interrupted;
  return error.status === 400 ? exitCodes.usage : exitCodes.failed;
}
