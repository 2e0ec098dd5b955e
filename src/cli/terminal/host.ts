// What the CLI takes from the machine: streams, working folder, time, signals, and the app. Tests pass their own.
import { fstatSync, writeSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { Writable } from 'node:stream';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import type { App, AppOptions } from '../../app/app.ts';
import { shellQuoted } from '../text/table.ts';

/** A text stream; people read it if it is a terminal. */
export type Stream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

export interface Host {
  readonly stdout: Stream;
  readonly stderr: Stream;
  /** Absolute. */
  readonly cwd: string;
  /** What calls the program in that folder, such as `npx rankledger`. */
  readonly program: string;
  /** Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** UTC milliseconds. */
  now(): number;
  openApp(config: ResolvedConfig, options: AppOptions): Promise<App>;
  /** Calls back on every SIGINT and SIGTERM until the returned function is called. */
  onInterrupt(listener: () => void): () => void;
  /** Calls back on every SIGHUP until the returned function is called; until then SIGHUP does not end the process. */
  onReload(listener: () => void): () => void;
  /** Who may read new files; the umask of the process may forbid more. */
  restrictFiles(access: ResolvedConfig['fileAccess']): void;
  /** Ends the process at once. */
  exit(code: number): void;
}

/** Permission bits that new files lack, by who may read them. */
const forbidden = { owner: 0o077, group: 0o027, everyone: 0o022 } as const;

const signals = ['SIGINT', 'SIGTERM'] as const;

/** The real host of this machine. */
export function terminalHost(): Host {
  return {
    stdout: wholeOutput(process.stdout),
    stderr: process.stderr,
    cwd: process.cwd(),
    program: programIn(process.cwd()),
    now: () => Date.now(),
    openApp: async (config, options) => {
      const { openApp } = await import('../../app/app.ts');
      return await openApp(config, options);
    },
    onInterrupt(listener) {
      for (const signal of signals) process.on(signal, listener);
      return () => {
        for (const signal of signals) process.off(signal, listener);
      };
    },
    onReload(listener) {
      process.on('SIGHUP', listener);
      return () => process.off('SIGHUP', listener);
    },
    restrictFiles: (access) => void process.umask(process.umask() | forbidden[access]),
    exit: (code) => process.exit(code),
  };
}

/**
 * `npx` finds the program in its checkout, in a project that has it as a dependency, and where it downloaded it itself;
 * anywhere else it would ask a registry for it. An installation for the whole machine is called by its name.
 *
 * @param from absolute folder of this code.
 */
export function programIn(cwd: string, from = import.meta.dirname): string {
  const at = from.lastIndexOf(join(sep, 'node_modules', sep));
  const owner = at === -1 ? resolve(from, '../../..') : from.slice(0, at);
  if (join(cwd, sep).startsWith(join(owner, sep)) || owner.includes(join(sep, '_npx', sep))) return 'npx rankledger';
  if (at !== -1) return 'rankledger';
  return `node ${shellQuoted(relative(cwd, join(owner, 'src/cli/rankledger.mjs')))}`;
}

/**
 * The stream, or one in its place if it leads to a file. A disk with little room takes only a part of a chunk and
 * reports no error; Node.js ignores that, and the rest would be missing without a word.
 */
function wholeOutput<T extends NodeJS.WritableStream & { readonly fd?: number }>(stream: T): T | Writable {
  const { fd } = stream;
  if (fd === undefined || !leadsToFile(fd)) return stream;
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      try {
        for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at);
      } catch (error) {
        done(error as Error);
        return;
      }
      done();
    },
  });
}

function leadsToFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false; // closed
  }
}
