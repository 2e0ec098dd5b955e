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
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { makeFolder, syncToDisk } from '../../../db/connection/disk.ts';
import { StoreError } from '../../../db/connection/errors.ts';
import type { Scratch } from '../../../src/report/formats/sorted-lines.ts';
import { errorText } from '../../../src/service/terms.ts';
import { hourMs } from '../../../src/tracker/schedule/time-units.ts';

/** What happens to `latest`: it points at the new folder, is created only if missing, or stays. */
export type LatestLink = 'set' | 'set-if-missing' | 'leave';

/** A disk or folder that rejected the report. */
export class ReportError extends Error {
  override readonly name = 'ReportError';
  readonly hint: string;

  constructor(folder: string, cause: unknown) {
    const code = (cause as NodeJS.ErrnoException).code ?? '';
    super(
      `the report in ${folder} could not be written: ${code === 'ENOSPC' ? 'the disk is full' : errorText(cause)}`,
      { cause },
    );
    const remedy = ['ENOTDIR', 'ENOENT', 'EEXIST'].includes(code)
      ? 'Check `reports.dir` in the config: a part of its path is a file, or a link that leads to nothing'
      : 'Free space or give this user write permission there';
    this.hint = `History is safe in the database. ${remedy}, then run \`rankledger report\`.`;
  }
}

/** Rows are read while files are written: a database error is not an error of the report's disk. */
function isStoreFailure(error: unknown): boolean {
  return error instanceof StoreError || String((error as { code?: unknown }).code).startsWith('SQLITE_');
}

/** What is unfinished and younger than this may be another process's work. */
const leftoverMsMin = hourMs;
const readBytes = 262_144;
const publishAttemptsMax = 20;

/**
 * A report folder that is written beside its final place. `add` writes and syncs one file; `publish` puts all of them
 * in place; `discard` removes everything.
 */
export class ReportFolder {
  readonly #parent: string;
  readonly #temporary: string;
  /** For tables that are sorted; gone once the folder is published. */
  readonly scratch: ScratchFile;
  readonly #files: string[] = [];
  /** Folders of earlier reports that were replaced. */
  readonly #aside: string[] = [];
  /** `latest` points at the folder before the rename: the folder is complete, and keeps this name. */
  #isShown = false;

  /**
   * `parent`: the project's folder, created if missing; remains of crashes an hour ago or earlier are removed. Throws
   * ReportError.
   */
  constructor(parent: string) {
    this.#parent = parent;
    this.#temporary = join(parent, `.writing-${randomUUID()}`);
    this.scratch = new ScratchFile(join(this.#temporary, '.scratch'));
    this.#guarded(() => {
      makeFolder(parent);
      mkdirSync(this.#temporary);
      removeLeftovers(parent, this.#temporary);
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

  /** Files that are generated together: each piece names its file by its index in `names`. Throws ReportError. */
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

  /** The pieces of an added file, for a file that is made from it. */
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
   * Moves the folder to `<parent>/<name>` and updates `<parent>/latest` as `latest` says, with one rename each. If a
   * folder of that name exists (the same run reported again), it is replaced as a whole; files in it that no report
   * wrote are kept. At any moment and after any crash, a reader of `latest` finds a complete report, old or new. Throws
   * ReportError.
   */
  publish(name: string, latest: LatestLink): string {
    return this.#guarded(() => {
      const folder = join(this.#parent, name);
      this.scratch.remove();
      syncToDisk(this.#temporary);
      for (let attempts = 1; !this.#renameInto(folder); attempts += 1) {
        if (attempts === publishAttemptsMax) throw new Error(`other processes keep writing ${folder}`);
        this.#moveAside(name);
      }
      const isMissing = latest === 'set-if-missing' && !existsSync(join(this.#parent, 'latest'));
      if (latest === 'set' || isMissing) pointLatest(this.#parent, name);
      syncToDisk(this.#parent);
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
   * No rename replaces a non-empty folder, so for a moment there is none of this name. If `latest` points at it, it
   * points at the new report while the old one moves, and at the moved old one while the new one takes its place.
   */
  #moveAside(name: string): void {
    const old = `.writing-old-${randomUUID()}`;
    const isShown = latestFolder(this.#parent) === name;
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
    this.scratch.remove();
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

function pointLatest(parent: string, name: string): void {
  const latest = join(parent, 'latest');
  // a copy of the reports may have made a folder of the link: it gives way
  if (lstatSync(latest, { throwIfNoEntry: false })?.isDirectory() === true) {
    const old = join(parent, `.writing-old-${randomUUID()}`);
    renameSync(latest, old);
    rmSync(old, { recursive: true, force: true });
  }
  const link = join(parent, `.writing-link-${randomUUID()}`);
  // on Windows, where other links need an administrator; elsewhere the type is ignored
  symlinkSync(name, link, 'junction');
  // Windows replaces no folder by a rename, and a junction is one
  if (process.platform === 'win32' && latestFolder(parent) !== null) unlinkSync(latest);
  renameSync(link, latest);
}

/** The name of the folder to which `latest` points; null: it is no link. A junction holds the whole path. */
export function latestFolder(parent: string): string | null {
  const latest = join(parent, 'latest');
  const isLink = lstatSync(latest, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink ? basename(readlinkSync(latest)) : null;
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
 * Removes unfinished files, folders and links that processes left which died while writing: those last changed well
 * before `present`, except the one at which a dead process left `latest` pointing.
 */
function removeLeftovers(parent: string, present: string): void {
  const shown = latestFolder(parent);
  const before = lstatSync(present).mtimeMs - leftoverMsMin;
  for (const name of readdirSync(parent)) {
    if (!name.startsWith('.writing-') || name === shown) continue;
    const facts = lstatSync(join(parent, name), { throwIfNoEntry: false });
    if (facts !== undefined && facts.mtimeMs <= before) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

// A file of a report while it is written: its bytes, and their hash.

interface WrittenFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

const encoder = new TextEncoder();
const encodedBytes = 65_536;

class FileBeingWritten {
  readonly #name: string;
  readonly #handle: number;
  readonly #hash = createHash('sha256');
  readonly #encoded = new Uint8Array(encodedBytes);
  #bytes = 0;

  constructor(folder: string, name: string) {
    this.#name = name;
    this.#handle = openSync(join(folder, name), 'wx');
  }

  /** Text is encoded into one buffer again and again: V8 would free a buffer for each piece late. */
  write(chunk: string | Uint8Array): void {
    if (typeof chunk !== 'string') {
      this.#append(chunk);
      return;
    }
    for (let rest = chunk; rest !== ''; ) {
      const { read, written } = encoder.encodeInto(rest, this.#encoded);
      this.#append(this.#encoded.subarray(0, written));
      rest = rest.slice(read);
    }
  }

  #append(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#handle, bytes, at);
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
  }

  synced(): WrittenFile {
    fsyncSync(this.#handle);
    return { name: this.#name, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  close(): void {
    closeSync(this.#handle);
  }
}

// A file for bytes that wait to be written in another order. It is made when the first bytes come.

export class ScratchFile implements Scratch {
  readonly #file: string;
  #handle: number | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  append(bytes: Uint8Array): void {
    this.#handle ??= openSync(this.#file, 'wx+');
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#handle, bytes, at);
  }

  read(into: Uint8Array, at: number): void {
    if (this.#handle === null) throw new Error('nothing was written');
    for (let read = 0; read < into.length; ) {
      const bytes = readSync(this.#handle, into, read, into.length - read, at + read);
      if (bytes === 0) throw new Error(`${this.#file} ends early`);
      read += bytes;
    }
  }

  remove(): void {
    if (this.#handle === null) return;
    closeSync(this.#handle);
    this.#handle = null;
    rmSync(this.#file);
  }
}
