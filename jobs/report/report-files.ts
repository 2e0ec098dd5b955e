// Replaces report folders atomically: readers find the old report or the new one, also after a crash.
import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { makeFolder } from '../../db/connection/disk.ts';
import { StoreError } from '../../db/connection/errors.ts';

export interface WrittenFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** What becomes of `latest`: it points at the new folder, only where there is no link yet, or stays as it is. */
export type LatestLink = 'set' | 'set-if-missing' | 'leave';

/** A disk or a folder that would not take the report. */
export class ReportError extends Error {
  override readonly name = 'ReportError';
  readonly hint: string;

  constructor(folder: string, cause: unknown) {
    const code = (cause as NodeJS.ErrnoException).code ?? '';
    super(
      `the report in ${folder} could not be written: ${code === 'ENOSPC' ? 'the disk is full' : cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
    this.hint =
      'History is safe in the database. Free space or give this user write permission there, then run `rankledger report`.';
  }
}

/** Rows are read while files are written: an error of the database is no error of the report's disk. */
function isStoreFailure(error: unknown): boolean {
  return error instanceof StoreError || String((error as { code?: unknown }).code).startsWith('SQLITE_');
}

/** Younger than this an unfinished folder may be another process's work. */
const leftoverMsMin = 3_600_000;
const readBytes = 262_144;
const publishAttemptsMax = 20;

/**
 * A folder of reports being made beside the one it will become. `add` writes and syncs one file; `publish` puts all of
 * them in place; `discard` leaves nothing behind.
 */
export class ReportFolder {
  readonly #parent: string;
  readonly #temporary: string;
  readonly #files: string[] = [];
  /** Folders of earlier reports that gave way. */
  readonly #aside: string[] = [];
  /** `latest` points at the folder before it has its name: it is whole, and stays. */
  #isShown = false;

  /**
   * `parent`: the project's folder, made where there is none; what crashes left in it an hour ago or more is removed.
   * Throws ReportError.
   */
  constructor(parent: string) {
    this.#parent = parent;
    this.#temporary = join(parent, `.writing-${randomUUID()}`);
    this.#guarded(() => {
      makeFolder(parent);
      mkdirSync(this.#temporary);
      removeLeftovers(parent, lstatSync(this.#temporary).mtimeMs - leftoverMsMin);
    });
  }

  /** Throws ReportError. */
  add(name: string, chunks: Iterable<string | Uint8Array>): WrittenFile {
    const [file] = this.addTogether(
      [name],
      Iterator.from(chunks).map((chunk) => [0, chunk]),
    );
    if (file === undefined) throw new Error(`${name} was not written`);
    return file;
  }

  /** Files that are generated side by side: each piece names its file by its index in `names`. Throws ReportError. */
  addTogether(
    names: readonly string[],
    pieces: Iterable<readonly [file: number, chunk: string | Uint8Array]>,
  ): WrittenFile[] {
    return this.#guarded(() => {
      const files: FileBeingWritten[] = [];
      try {
        for (const name of names) files.push(new FileBeingWritten(this.#temporary, name));
        for (const [file, chunk] of pieces) files[file]?.write(chunk);
        const written = files.map((file) => file.synced());
        this.#files.push(...names);
        return written;
      } finally {
        for (const file of files) file.close();
      }
    });
  }

  /** A file that was added, in pieces: for another one that is made of it. */
  *read(name: string): Generator<Buffer> {
    const file = openSync(join(this.#temporary, name), 'r');
    try {
      for (;;) {
        const piece = Buffer.allocUnsafe(readBytes);
        const bytes = readSync(file, piece, 0, readBytes, null);
        if (bytes === 0) return;
        yield piece.subarray(0, bytes);
      }
    } finally {
      closeSync(file);
    }
  }

  /**
   * Moves the folder to `<parent>/<name>` and points `<parent>/latest` at it as `latest` says, in one rename each.
   * Where a folder of that name stands (the same run reported again), it gives way as a whole; files in it that no
   * report wrote are kept. A reader of `latest` finds a whole report, old or new, at any moment and after any crash.
   * Throws ReportError.
   */
  publish(name: string, latest: LatestLink): string {
    return this.#guarded(() => {
      const folder = join(this.#parent, name);
      syncFolder(this.#temporary);
      for (let attempts = 1; !this.#renameInto(folder); attempts += 1) {
        if (attempts === publishAttemptsMax) throw new Error(`other processes keep writing ${folder}`);
        this.#moveAside(name);
      }
      const isMissing = latest === 'set-if-missing' && !existsSync(join(this.#parent, 'latest'));
      if (latest === 'set' || isMissing) pointLatest(this.#parent, name);
      syncFolder(this.#parent);
      for (const old of this.#aside.splice(0)) {
        keepForeign(old, folder, this.#files);
        rmSync(old, { recursive: true, force: true });
      }
      return folder;
    });
  }

  /** False where a folder stands there already, made by an earlier report or, this very moment, by another process. */
  #renameInto(folder: string): boolean {
    try {
      renameSync(this.#temporary, folder);
      return true;
    } catch (error) {
      if (!existsSync(folder)) throw error;
      return false;
    }
  }

  /**
   * No rename replaces a folder that holds something, so that for a moment there is none of this name. Where `latest`
   * points at it, it points at the new report while the old one moves, and at the moved old one while the new one takes
   * its place.
   */
  #moveAside(name: string): void {
    const old = `.writing-old-${randomUUID()}`;
    const isShown = linkedBy(join(this.#parent, 'latest')) === name;
    if (isShown) {
      pointLatest(this.#parent, basename(this.#temporary));
      this.#isShown = true;
    }
    try {
      renameSync(join(this.#parent, name), join(this.#parent, old));
    } catch (error) {
      // another process was faster
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    if (isShown) {
      pointLatest(this.#parent, old);
      this.#isShown = false;
    }
    this.#aside.push(join(this.#parent, old));
  }

  discard(): void {
    if (!this.#isShown) rmSync(this.#temporary, { recursive: true, force: true });
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.discard();
      throw isStoreFailure(error) ? error : new ReportError(this.#parent, error);
    }
  }
}

class FileBeingWritten {
  readonly #name: string;
  readonly #handle: number;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  constructor(folder: string, name: string) {
    this.#name = name;
    this.#handle = openSync(join(folder, name), 'wx');
  }

  write(chunk: string | Uint8Array): void {
    const buffer = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk;
    for (let at = 0; at < buffer.length; ) at += writeSync(this.#handle, buffer, at);
    this.#hash.update(buffer);
    this.#bytes += buffer.length;
  }

  synced(): WrittenFile {
    fsyncSync(this.#handle);
    return { name: this.#name, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  close(): void {
    closeSync(this.#handle);
  }
}

function pointLatest(parent: string, name: string): void {
  const latest = join(parent, 'latest');
  // a copy of the reports may have made a folder of the link: it gives way
  if (lstatSync(latest, { throwIfNoEntry: false })?.isDirectory() === true) {
    const old = join(parent, `.writing-old-${randomUUID()}`);
    renameSync(latest, old);
    rmSync(old, { recursive: true, force: true });
  }
  const link = join(parent, `.writing-link-${randomUUID()}`);
  symlinkSync(name, link);
  renameSync(link, latest);
}

/** What a symbolic link says; null where there is none. */
function linkedBy(link: string): string | null {
  return lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(link) : null;
}

/**
 * Moves files that no report wrote, such as notes, out of a folder that is replaced. Files in the manifest belong to
 * the report.
 */
function keepForeign(old: string, folder: string, files: readonly string[]): void {
  const written = new Set([...files, ...listedIn(join(old, 'manifest.json'))]);
  for (const name of readdirSync(old)) {
    if (!written.has(name)) renameSync(join(old, name), join(folder, name));
  }
}

function listedIn(manifest: string): string[] {
  try {
    const { files } = JSON.parse(readFileSync(manifest, 'utf8')) as {
      readonly files?: readonly { readonly name: string }[];
    };
    return (files ?? []).map(({ name }) => name);
  } catch {
    return [];
  }
}

/**
 * Removes unfinished folders and links whose last change lies before `before`, UTC milliseconds of the file system's
 * clock, but for the one that a process left `latest` pointing at.
 */
function removeLeftovers(parent: string, before: number): void {
  const shown = linkedBy(join(parent, 'latest'));
  for (const name of readdirSync(parent)) {
    if (!name.startsWith('.writing-') || name === shown) continue;
    const facts = lstatSync(join(parent, name), { throwIfNoEntry: false });
    if (facts !== undefined && facts.mtimeMs <= before) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
