// The bytes of a file, piece by piece.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { UnreadableFile } from '../../import/text/text-file.ts';
import { errorText } from '../../service/index.ts';

const pieceBytes = 65_536;

/** Can be read several times. Throws UnreadableFile if the file cannot be read. */
export class FileBytes {
  readonly total: number;
  /** Of the reading that began last. */
  read = 0;
  readonly #handle: number;

  constructor(file: string) {
    try {
      this.#handle = openSync(file, 'r');
    } catch (error) {
      throw unreadable(error);
    }
    const facts = fstatSync(this.#handle);
    this.total = facts.size;
    if (facts.isFile()) return;
    this.close();
    throw new UnreadableFile('it is not a regular file', 'Name the file that the other tool exported.');
  }

  *pieces(): Generator<Uint8Array> {
    for (this.read = 0; ; ) {
      const piece = Buffer.alloc(pieceBytes);
      const length = this.#next(piece, this.read);
      if (length === 0) return;
      this.read += length;
      yield piece.subarray(0, length);
    }
  }

  close(): void {
    closeSync(this.#handle);
  }

  #next(piece: Buffer, at: number): number {
    try {
      return readSync(this.#handle, piece, 0, pieceBytes, at);
    } catch (error) {
      throw unreadable(error);
    }
  }
}

function unreadable(error: unknown): UnreadableFile {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return new UnreadableFile('the file does not exist', 'Check the name.');
  if (code === 'EACCES' || code === 'EPERM')
    return new UnreadableFile('this user has no permission to read it', 'Check its permissions.');
  return new UnreadableFile(`it cannot be read (${errorText(error)})`, 'Check the disk.');
}
