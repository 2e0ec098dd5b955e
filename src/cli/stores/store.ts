// Where `export --partitions` keeps its files: a folder, or objects of S3 or Google Cloud Storage.
import { Readable } from 'node:stream';
import { CommandError, usageError } from '../text/failure.ts';

export type Chunks = Iterable<string | Uint8Array<ArrayBuffer>>;

/** Files by names with slashes. Rejects with CommandError if it cannot be used. */
export interface FileStore {
  /** As people write it. */
  readonly address: string;
  /** The files below a folder, with their bytes. */
  list(folder: string): Promise<Map<string, number>>;
  read(name: string): Promise<string>;
  /** Appears when it is complete: until then, readers see the one before. Resolves to its bytes. */
  write(name: string, chunks: Chunks, signal: AbortSignal): Promise<number>;
  remove(name: string): Promise<void>;
}

/** Objects of a bucket whose names begin with `prefix`: empty, or with a slash at its end. */
export interface Place {
  readonly bucket: string;
  readonly prefix: string;
  readonly address: string;
}

/** Loads the packages of a client, which are installed beside rankledger. */
export async function loadClient<Client>(load: () => Promise<Client>, place: Place, packages: string): Promise<Client> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw usageError(
      `${place.address} needs a client that is not installed.`,
      `Install it beside rankledger: npm install ${packages}`,
    );
  }
}

/** Objects as a client keeps them; its errors say what failed, and that the next export goes on from there. */
export function objectStore({ address }: Place, client: Omit<FileStore, 'address'>): FileStore {
  const attempted = async <T>(work: Promise<T>, signal?: AbortSignal): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      signal?.throwIfAborted();
      const { name, message, code } = error as Error & { readonly code?: unknown };
      const cause = [name, code, message]
        .filter((text) => text !== undefined && text !== '' && text !== 'Error')
        .join(': ');
      throw new CommandError(
        'STORE_FAILED',
        `${address}: ${cause}`,
        'Run the same command again: it writes what is missing.',
      );
    }
  };
  return {
    address,
    list: (folder) => attempted(client.list(folder)),
    read: (name) => attempted(client.read(name)),
    write: (name, chunks, signal) => attempted(client.write(name, chunks, signal), signal),
    remove: (name) => attempted(client.remove(name)),
  };
}

/** The chunks as a stream, and how many bytes it has given. */
export function byteStream(chunks: Chunks): { readonly stream: Readable; readonly bytes: () => number } {
  let bytes = 0;
  function* pieces() {
    for (const chunk of chunks) {
      const piece =
        typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      bytes += piece.length;
      yield piece;
    }
  }
  return { stream: Readable.from(pieces(), { objectMode: false }), bytes: () => bytes };
}
