// Files are put in place whole, by rename, and what people own is changed by one process at a time.

import { randomUUID } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { hourMs } from '../../src/tracker/schedule/time-units.ts';
import { makeFolder, syncToDisk } from './disk.ts';
import { isLocked } from './errors.ts';

type RefusedCode = 'IS_A_FOLDER' | 'NOT_A_FILE' | 'READ_ONLY_FILE' | 'FILE_CHANGED' | 'FILE_LOCKED' | 'FILE_CUT_OFF';

/** Nothing was written. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
  readonly code: RefusedCode;
  readonly hint: string;

  constructor(code: RefusedCode, message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.hint = hint;
  }
}

type Chunk = string | Uint8Array;

/** Replaces a file, or creates it and its folder. Throws FileRefused and errors of the disk; then it is as it was. */
export function replaceFile(file: string, content: Chunk): void {
  const next = new NextFile(file);
  try {
    next.write(content);
    next.putInPlace();
  } finally {
    next.discard();
  }
}

/** The same for content that is made meanwhile. Throws the reason of `signal` as well, if that aborts. */
export async function replaceFileWith(file: string, chunks: Iterable<Chunk>, signal: AbortSignal): Promise<void> {
  const next = new NextFile(file);
  try {
    for (const chunk of chunks) {
      next.write(chunk);
      // a signal arrives between two turns of the event loop
      await new Promise((turn) => setImmediate(turn));
    }
    signal.throwIfAborted();
    next.putInPlace();
  } finally {
    next.discard();
  }
}

/** A file that people own: its text as it was read (null: there is none), and as it will be. */
export interface FileChange {
  readonly file: string;
  readonly text: string | null;
  readonly content: string;
}

/** Of a program that saves the file again and again. */
const plansMax = 20;

/**
 * Changes a file that people own. `plan` reads it, and is asked again where it is another one by the time it would be
 * replaced. A lock keeps processes of rankledger apart; editors take none, so the file is read again under it. Throws
 * FileRefused, errors of the disk, and what `plan` throws.
 */
export async function changeFile<Plan extends FileChange>(
  plan: () => Promise<Plan> | Plan,
  signal: AbortSignal,
): Promise<Plan> {
  for (let plans = 1; ; plans += 1) {
    const planned = await plan();
    const { file, text, content } = planned;
    if (content === (text ?? '') || (await changed(planned, signal))) return planned;
    if (plans === plansMax)
      throw new FileRefused(
        'FILE_CHANGED',
        `another program keeps changing ${file}`,
        'Close it, then run the command again.',
      );
  }
}

/** False: the file is not as it was read. */
async function changed({ file, text, content }: FileChange, signal: AbortSignal): Promise<boolean> {
  const next = new NextFile(file);
  try {
    next.refuseCutOff();
    next.write(content);
    const unlock = await lock(next.file, signal);
    try {
      if (!next.isAs(text)) return false;
      next.putInPlace();
      return true;
    } finally {
      unlock();
    }
  } finally {
    next.discard();
  }
}

const permissionBits = 0o7777;
const writeBits = 0o222;
const pieceBytes = 1024 * 1024;
/** Another machine may still be writing: its file counts as abandoned when it has not changed for this long. */
const leftoverAgeMs = hourMs;
/** `acme.csv.host~1234~<uuid>.tmp`: the name contains the writer. `.whole`: it was being written over the file. */
const temporaryName = /^(?<host>[^~]*)~(?<pid>\d+)~[0-9a-f-]{36}\.(?<kind>tmp|whole)$/;

/** Content that waits beside the file whose place it takes. */
class NextFile {
  /** At the end of its links. */
  readonly file: string;
  readonly #named: string;
  readonly #handle: number;
  /** Where the names of temporary files begin: beside the file, or elsewhere if none may be created there. */
  readonly #beside: string;
  #temporary: string;
  #isKept = false;

  constructor(named: string) {
    const before = replaceable(named);
    this.#named = named;
    this.file = endOfLinks(named);
    makeFolder(dirname(this.file));
    const isBeside = before === undefined || isWritable(dirname(this.file));
    this.#beside = `${isBeside ? this.file : join(tmpdir(), basename(this.file))}.`;
    this.#temporary = `${this.#beside}${hostname()}~${process.pid}~${randomUUID()}.tmp`;
    this.#handle = openSync(this.#temporary, 'wx+', before === undefined ? 0o666 : 0o600);
    removeLeftovers(this.#beside, fstatSync(this.#handle).mtimeMs);
  }

  write(chunk: Chunk): void {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#handle, bytes, at);
  }

  /** Whether the file is still the one that was read. */
  isAs(text: string | null): boolean {
    if (endOfLinks(this.#named) !== this.file) return false;
    try {
      return readFileSync(this.file, 'utf8') === text;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return text === null;
    }
  }

  /** A process that ended while it wrote over the file has left the whole text beside it. */
  refuseCutOff(): void {
    const [whole] = leftovers(this.#beside, 'whole');
    if (whole !== undefined) throw cutOff(this.file, whole.path);
  }

  /** By rename, with the owner and the mode that the file has; over the file itself where that would part them. */
  putInPlace(): void {
    const before = replaceable(this.file);
    const isBeside = dirname(this.#temporary) === dirname(this.file);
    if (before !== undefined && (!isBeside || before.nlink > 1 || !this.#takesOver(before))) {
      this.#writeOver();
      return;
    }
    fsyncSync(this.#handle);
    try {
      renameSync(this.#temporary, this.file);
    } catch (error) {
      // a file that a container mounts, or that another user owns in a folder such as /tmp
      const isKept = ['EBUSY', 'EXDEV', 'EPERM', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '');
      if (before === undefined || !isKept) throw error;
      this.#writeOver();
      return;
    }
    this.#isKept = true;
    syncToDisk(dirname(this.file));
  }

  /** False: only the administrator gives files to others. */
  #takesOver({ uid, gid, mode }: Stats): boolean {
    const own = fstatSync(this.#handle);
    try {
      if (own.uid !== uid || own.gid !== gid) fchownSync(this.#handle, uid, gid);
    } catch {
      return false;
    }
    fchmodSync(this.#handle, mode & permissionBits); // after the owner, whose change takes bits away
    return true;
  }

  /** The whole content stays beside the file until it is written. */
  #writeOver(): void {
    fsyncSync(this.#handle);
    const whole = this.#temporary.replace(/tmp$/, 'whole');
    renameSync(this.#temporary, whole);
    this.#temporary = whole;
    this.#isKept = true;
    const over = openSync(this.file, 'r+');
    try {
      const piece = Buffer.alloc(pieceBytes);
      let bytes = 0;
      for (let read = -1; read !== 0; bytes += read) {
        read = readSync(this.#handle, piece, 0, pieceBytes, bytes);
        for (let at = 0; at < read; ) at += writeSync(over, piece, at, read - at, bytes + at);
      }
      ftruncateSync(over, bytes);
      fsyncSync(over);
    } catch (error) {
      throw cutOff(this.file, whole, error);
    } finally {
      closeSync(over);
    }
    this.#isKept = false;
  }

  /** Removes what was not put in place. */
  discard(): void {
    closeSync(this.#handle);
    if (!this.#isKept) rmSync(this.#temporary, { force: true });
  }
}

function cutOff(file: string, whole: string, cause?: unknown): FileRefused {
  return new FileRefused(
    'FILE_CUT_OFF',
    `${file} was not written to its end: the whole text is in ${whole}`,
    'Compare the two, put the right text into the first one, and delete the second one.',
    cause,
  );
}

/** The file that a name leads to; undefined: none. Throws FileRefused for one that may not be replaced. */
function replaceable(file: string): Stats | undefined {
  const facts = statSync(file, { throwIfNoEntry: false });
  if (facts === undefined || (facts.isFile() && (facts.mode & writeBits) !== 0 && isWritable(file))) return facts;
  if (facts.isDirectory()) throw new FileRefused('IS_A_FOLDER', `${file} is a folder.`, 'Name a file in it.');
  if (!facts.isFile()) throw noFile(file);
  throw new FileRefused('READ_ONLY_FILE', `${file} is read-only.`, 'Make it writable for this user, or name another.');
}

function noFile(file: string): FileRefused {
  return new FileRefused(
    'NOT_A_FILE',
    `${file} is a device, a pipe or a socket, not a file.`,
    'Name a file. What a command prints goes there with >.',
  );
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The folders of the open files of processes: /dev/stdout leads there. */
const openFiles = /^\/(proc\/.+|dev)\/fd$/;

/**
 * The file to which a name leads, which may not exist yet. Throws FileRefused for a file that is open already, such as
 * that of a redirected output: what was written to it would be lost.
 */
function endOfLinks(named: string): string {
  for (let file = resolve(named); ; ) {
    const folder = realFolder(dirname(file));
    if (openFiles.test(folder)) throw noFile(named);
    const end = join(folder, basename(file));
    if (lstatSync(end, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return end;
    file = resolve(folder, readlinkSync(end));
  }
}

function realFolder(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : folder;
}

/** What dead processes left beside a file. `beside`: the beginning of their names. */
function leftovers(beside: string, kind: 'tmp' | 'whole', now = Date.now()) {
  const [folder, prefix] = [dirname(beside), basename(beside)];
  return readdirSync(folder).flatMap((name) => {
    const writer = name.startsWith(prefix) ? temporaryName.exec(name.slice(prefix.length))?.groups : undefined;
    const path = join(folder, name);
    const facts = writer?.['kind'] === kind ? statSync(path, { throwIfNoEntry: false }) : undefined;
    if (writer === undefined || facts === undefined) return [];
    const isOver =
      writer['host'] === hostname() ? !isRunning(Number(writer['pid'])) : now - facts.mtimeMs > leftoverAgeMs;
    return isOver ? [{ path }] : [];
  });
}

/** `now`: UTC milliseconds of the file system's clock. Files that cannot be removed stay. */
function removeLeftovers(beside: string, now: number): void {
  for (const { path } of leftovers(beside, 'tmp', now)) {
    try {
      rmSync(path, { force: true });
    } catch {
      // of another user
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const lockMsMax = 10_000;
const lockPollMs = 20;

/**
 * Locks a file for a moment. The operating system holds the locks, through SQLite: they end with their process, so none
 * is ever left or taken from a process that was only stopped. Resolves to what unlocks it. Throws FileRefused.
 */
async function lock(file: string, signal: AbortSignal): Promise<() => void> {
  const facts = statSync(file, { throwIfNoEntry: false, bigint: true });
  const isBeside = isWritable(dirname(file));
  const names = isBeside ? [join(dirname(file), `.${basename(file)}.rankledger-lock`)] : [];
  // of a file with several names, and one beside which nothing may be created
  if (facts !== undefined && (facts.nlink > 1n || !isBeside))
    names.push(join(lockFolder(), `${facts.dev}-${facts.ino}`));
  const locks: (() => void)[] = [];
  const unlock = () => {
    for (const end of locks.toReversed()) end();
  };
  try {
    const until = performance.now() + lockMsMax;
    for (const name of names) {
      for (let end = await tryLock(name); ; end = await tryLock(name)) {
        if (end !== null) {
          locks.push(end);
          break;
        }
        if (performance.now() > until)
          throw new FileRefused(
            'FILE_LOCKED',
            `another process has been writing ${file} for ${lockMsMax / 1000} seconds`,
            `End it, or wait. It holds ${name}.`,
          );
        await wait(lockPollMs, undefined, { signal });
      }
    }
    return unlock;
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Null: another process has it, or has just removed its file. */
async function tryLock(name: string): Promise<(() => void) | null> {
  createEmpty(name);
  const before = lstatSync(name, { throwIfNoEntry: false, bigint: true });
  if (before?.isFile() !== true || !isWritable(name)) return null;
  const { sqliteDriver } = await import('./statement.ts');
  const db = new (sqliteDriver())(name, { timeout: 0 });
  const isHeld = () => {
    try {
      db.pragma('journal_mode = MEMORY'); // none beside it
      db.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      if (!isLocked(error)) throw error;
      return false;
    }
    return lstatSync(name, { throwIfNoEntry: false, bigint: true })?.ino === before.ino;
  };
  let isOurs = false;
  try {
    isOurs = isHeld();
  } finally {
    if (!isOurs) db.close();
  }
  if (!isOurs) return null;
  return () => {
    try {
      rmSync(name, { force: true });
    } catch {
      // Windows removes no open file
    }
    db.close();
  };
}

/** Every user of the folder may lock it. A link of this name is not followed. */
function createEmpty(name: string): void {
  try {
    const handle = openSync(name, 'wx');
    fchmodSync(handle, 0o666);
    closeSync(handle);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Of this user. */
function lockFolder(): string {
  const folder = join(tmpdir(), `rankledger-locks-${process.getuid?.() ?? ''}`);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return folder;
}
