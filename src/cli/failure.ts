// What a failure means to the one who typed the command: code, message, remedy and exit status. Printing is main.ts's part.
import { type ExitCode, exitCodes } from './exit-codes.ts';

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly exitCode: ExitCode;
  /** Nobody foresaw it: it is a defect of the program. */
  readonly isBug: boolean;
}

/** A failure that a command foresaw. */
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

/** What was typed cannot be done. */
export function usageError(message: string, hint: string | null = null): CommandError {
  return new CommandError('USAGE', message, hint, exitCodes.usage);
}

/** What the system says of a file or address, in words with a remedy. */
const systemHints: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'Check the name: there is no such file or folder.'],
  ['EACCES', 'Check the permissions of the file and of its folder.'],
  ['EPERM', 'Check the permissions of the file and of its folder.'],
  ['EROFS', 'The disk is read-only: choose another folder.'],
  ['ENOSPC', 'The disk is full: free some space and run the same command again.'],
  ['EDQUOT', 'Your share of the disk is used up: free some space and run the same command again.'],
  ['EISDIR', 'This is a folder: name a file.'],
  ['ENOTDIR', 'A part of the path is a file, not a folder.'],
  ['EMFILE', 'Too many files are open: raise the limit (ulimit -n), or lower queue.concurrency.'],
  ['EADDRINUSE', 'Another program uses the port: choose another.'],
]);

/** Facts that errors of other parts carry; they are known by name, so that no part is loaded to describe its errors. */
interface KnownError extends Error {
  readonly code?: unknown;
  readonly hint?: unknown;
  readonly exitCode?: unknown;
  readonly disposition?: unknown;
  readonly status?: unknown;
  readonly syscall?: unknown;
}

export function describeFailure(thrown: unknown): Failure {
  const error: KnownError = thrown instanceof Error ? thrown : new Error(String(thrown));
  const code = typeof error.code === 'string' ? error.code : null;
  const hint = typeof error.hint === 'string' ? error.hint : null;
  const foreseen = (exitCode: ExitCode, fallback: string): Failure => ({
    code: code ?? fallback,
    message: error.message,
    hint,
    exitCode,
    isBug: false,
  });
  if (error instanceof CommandError) return foreseen(error.exitCode, 'FAILED');
  if (error.name === 'ConfigError') return foreseen(exitCodes.usage, 'CONFIG_INVALID');
  if (error.name === 'UsageError') return foreseen(exitCodes.usage, 'USAGE');
  if (error.name === 'ServiceError') return foreseen(serviceExitCode(error), 'SERVICE_FAILED');
  if (error.name === 'AbortError') return foreseen(exitCodes.interrupted, 'INTERRUPTED');
  if (hint !== null) return foreseen(exitCodes.failed, 'FAILED');
  if (typeof error.syscall === 'string' && code !== null) {
    return { ...foreseen(exitCodes.failed, code), hint: systemHints.get(code) ?? null };
  }
  return { code: 'UNEXPECTED', message: error.message, hint: null, exitCode: exitCodes.failed, isBug: true };
}

function serviceExitCode(error: KnownError): ExitCode {
  if (error.disposition === 'halt') return exitCodes.halted;
  if (error.code === 'ABORTED') return exitCodes.interrupted;
  return error.status === 400 ? exitCodes.usage : exitCodes.failed;
}
