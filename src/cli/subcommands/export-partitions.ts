// `export --partitions`: a Parquet file per project and month, in a folder or as objects of S3 or Google Cloud Storage.
import { readdirSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { replaceFileWith } from '../../../db/connection/whole-file.ts';
import {
  type ExportPartition,
  type PartitionedSubject,
  exportPartitions as partitionsOf,
} from '../../../jobs/query/export-history.ts';
import { projectsNamed } from '../../app/opening/named-projects.ts';
import { parquetChunks } from '../../report/formats/parquet.ts';
import type { Context } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { CommandError, usageError } from '../text/failure.ts';
import { counted } from '../text/numbers.ts';

interface PartitionsFlags {
  readonly what: PartitionedSubject;
  readonly partitions: string;
  readonly project?: string;
}

/** `_manifest.json` of a table and project: what its months were exported from. */
interface Manifest {
  readonly format: 1;
  readonly months: Readonly<Record<string, { readonly state: string; readonly rows: number; readonly bytes: number }>>;
}

/**
 * Writes the months that changed since the manifest was written, each before its entry in the manifest. Coordinators
 * with projects of their own may share the folder: each project has its own manifest.
 */
export async function exportPartitions(context: Context, flags: PartitionsFlags): Promise<ExitCode> {
  const { what, project } = flags;
  const { s3Endpoint } = await context.config();
  const store = await openStore(flags.partitions, { cwd: context.host.cwd, s3Endpoint });
  let [written, rows, unchanged] = [0, 0, 0];
  await context.withApp(
    async (app) => {
      for (const each of projectsNamed(app.config, project === undefined ? [] : [project])) {
        const folder = await ProjectFolder.open(store, what, each.id);
        for (const partition of partitionsOf(app.context, [each], what)) {
          if (context.signal.aborted) return;
          const { isWritten, count } = await folder.bring(partition, context.signal);
          if (count === 0) continue;
          if (isWritten) [written, rows] = [written + 1, rows + count];
          else unchanged += 1;
        }
      }
    },
    { isReading: true },
  );
  if (context.signal.aborted) return exitCodes.interrupted;
  const folder = `${store.address}/${what}`;
  if (context.json) context.out.json({ folder, written, rows, unchanged });
  else
    context.err.line(
      `${folder}: ${counted(written, 'month')} written, ${counted(rows, 'row')}; ${unchanged} unchanged`,
    );
  return exitCodes.done;
}

/** The months of one project. */
class ProjectFolder {
  readonly #store: FileStore;
  readonly #what: string;
  readonly #name: string;
  /** Of its files: their bytes. */
  readonly #files: Map<string, number>;
  #months: Manifest['months'];

  static async open(store: FileStore, what: string, project: string): Promise<ProjectFolder> {
    const name = `${what}/project=${encodeURIComponent(project)}`;
    const files = await store.list(name);
    const manifest = [manifestName, formerManifestName].map((of) => `${name}/${of}`).find((of) => files.has(of));
    const { months } = readManifest(manifest === undefined ? '{}' : await store.read(manifest));
    return new ProjectFolder(store, what, name, files, months);
  }

  constructor(store: FileStore, what: string, name: string, files: Map<string, number>, months: Manifest['months']) {
    this.#store = store;
    this.#what = what;
    this.#name = name;
    this.#files = files;
    this.#months = months;
  }

  /** Writes the month unless it is there as it should be. */
  async bring(partition: ExportPartition, signal: AbortSignal): Promise<{ isWritten: boolean; count: number }> {
    const { month, state } = partition;
    const file = `${this.#name}/month=${month}/${this.#what}.parquet`;
    const before = this.#months[month];
    const isThere = this.#files.get(file) === (before?.rows === 0 ? undefined : before?.bytes);
    if (before?.state === state && isThere) return { isWritten: false, count: before.rows };
    const table = partition.table();
    const chunks = begun(table.encoded(parquetChunks));
    let bytes = 0;
    if (table.count() > 0) bytes = await this.#store.write(file, chunks, signal);
    else if (this.#files.has(file)) await this.#store.remove(file);
    this.#months = { ...this.#months, [month]: { state, rows: table.count(), bytes } };
    const manifest: Manifest = { format: 1, months: this.#months };
    await this.#store.write(`${this.#name}/${manifestName}`, [`${JSON.stringify(manifest, null, 2)}\n`], signal);
    const former = `${this.#name}/${formerManifestName}`;
    if (this.#files.delete(former)) await this.#store.remove(former);
    return { isWritten: true, count: table.count() };
  }
}

/** The same chunks, the first of which has been made: a table without rows is then known. */
function begun(chunks: Chunks): Chunks {
  const iterator = chunks[Symbol.iterator]();
  const first = iterator.next();
  return (function* () {
    if (first.done !== true) yield first.value;
    yield* { [Symbol.iterator]: () => iterator };
  })();
}

/** Spark, Hive and Athena take a name with an underscore for no data. */
const manifestName = '_manifest.json';
const formerManifestName = 'manifest.json';

/** A manifest that cannot be read counts as none: everything is written again. */
function readManifest(text: string): Manifest {
  try {
    const { months = {} } = JSON.parse(text) as Partial<Manifest>;
    return { format: 1, months };
  } catch {
    return { format: 1, months: {} };
  }
}

type Chunks = Iterable<string | Uint8Array<ArrayBuffer>>;

/** Files by names with slashes. Rejects with CommandError if it cannot be used. */
interface FileStore {
  /** As people write it. */
  readonly address: string;
  /** The files below a folder, with their bytes. */
  list(folder: string): Promise<Map<string, number>>;
  read(name: string): Promise<string>;
  /** Appears when it is complete: until then, readers see the one before. Resolves to its bytes. */
  write(name: string, chunks: Chunks, signal: AbortSignal): Promise<number>;
  remove(name: string): Promise<void>;
}

interface Environment {
  /** For paths of folders. */
  readonly cwd: string;
  /** Of a server that speaks S3, other than Amazon's. */
  readonly s3Endpoint: string | undefined;
}

/** `address`: a folder, `s3://bucket/prefix` or `gs://bucket/prefix`. Loads the client for it. */
export async function openStore(address: string, { cwd, s3Endpoint }: Environment): Promise<FileStore> {
  const [, scheme, path = ''] = /^([a-z\d+.-]+):\/\/(.*)$/i.exec(address) ?? [];
  if (scheme === undefined) return folderStore(resolve(cwd, address));
  const [bucket, ...folders] = path.split('/');
  if (!bucket) throw usageError(`${address} names no bucket.`, `Write ${scheme}://BUCKET/PREFIX.`);
  const names = folders.filter(Boolean);
  const place: Place = {
    bucket,
    prefix: names.map((name) => `${name}/`).join(''),
    address: [`${scheme}://${bucket}`, ...names].join('/'),
  };
  if (scheme === 's3') return openS3(place, s3Endpoint);
  if (scheme === 'gs') return openGoogle(place);
  throw usageError(`${address} cannot be written.`, 'Name a folder, s3://BUCKET/PREFIX or gs://BUCKET/PREFIX.');
}

function folderStore(root: string): FileStore {
  const pathOf = (name: string) => join(root, ...name.split('/'));
  return {
    address: root,
    async list(folder) {
      const path = pathOf(folder);
      if (statSync(path, { throwIfNoEntry: false }) === undefined) return new Map();
      return new Map(
        readdirSync(path, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
          const file = join(path, name);
          const facts = statSync(file, { throwIfNoEntry: false }); // through links
          return facts?.isFile() === true ? [[relative(root, file).split(sep).join('/'), facts.size] as const] : [];
        }),
      );
    },
    read: async (name) => readFileSync(pathOf(name), 'utf8'),
    async write(name, chunks, signal) {
      const file = pathOf(name);
      await replaceFileWith(file, chunks, signal);
      return statSync(file).size;
    },
    async remove(name) {
      const file = pathOf(name);
      rmSync(file, { force: true });
      if (readdirSync(dirname(file)).length === 0) rmdirSync(dirname(file));
    },
  };
}

/** Objects of a bucket whose names begin with `prefix`: empty, or with a slash at its end. */
interface Place {
  readonly bucket: string;
  readonly prefix: string;
  readonly address: string;
}

const packages = '@aws-sdk/client-s3 @aws-sdk/lib-storage';

/**
 * Objects of S3, or of a server that speaks its protocol, through the client of AWS. Credentials and region are those
 * that the client finds: variables, shared files, roles.
 */
async function openS3(place: Place, endpoint: string | undefined): Promise<FileStore> {
  const { bucket: Bucket, prefix } = place;
  const load = () => Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]);
  const [sdk, { Upload }] = await loadClient(load, place, packages);
  // a bucket of such a server has no host name as a rule
  const client = new sdk.S3Client(endpoint === undefined ? {} : { endpoint, forcePathStyle: true });
  const keyOf = (name: string) => prefix + name;
  return objectStore(place, {
    async list(folder) {
      const found = new Map<string, number>();
      const pages = sdk.paginateListObjectsV2({ client }, { Bucket, Prefix: `${keyOf(folder)}/` });
      for await (const { Contents = [] } of pages) {
        for (const { Key = '', Size = 0 } of Contents) found.set(Key.slice(prefix.length), Size);
      }
      return found;
    },
    async read(name) {
      const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket, Key: keyOf(name) }));
      return (await Body?.transformToString()) ?? '';
    },
    async write(name, chunks, signal) {
      const { stream: Body, bytes } = byteStream(chunks);
      const upload = new Upload({ client, params: { Bucket, Key: keyOf(name), Body } });
      const abort = () => void upload.abort();
      signal.addEventListener('abort', abort);
      try {
        signal.throwIfAborted();
        await upload.done();
      } finally {
        signal.removeEventListener('abort', abort);
      }
      return bytes();
    },
    async remove(name) {
      await client.send(new sdk.DeleteObjectCommand({ Bucket, Key: keyOf(name) }));
    },
  });
}

/**
 * Objects of Google Cloud Storage, through its client. Credentials are those that it finds:
 * GOOGLE_APPLICATION_CREDENTIALS, gcloud, the machine.
 */
async function openGoogle(place: Place): Promise<FileStore> {
  const { prefix } = place;
  const { Storage } = await loadClient(() => import('@google-cloud/storage'), place, '@google-cloud/storage');
  const bucket = new Storage().bucket(place.bucket);
  const fileOf = (name: string) => bucket.file(prefix + name);
  return objectStore(place, {
    async list(folder) {
      const [files] = await bucket.getFiles({ prefix: `${prefix}${folder}/` });
      return new Map(files.map(({ name, metadata }) => [name.slice(prefix.length), Number(metadata.size)]));
    },
    async read(name) {
      const [bytes] = await fileOf(name).download();
      return bytes.toString('utf8');
    },
    async write(name, chunks, signal) {
      const { stream, bytes } = byteStream(chunks);
      await pipeline(stream, fileOf(name).createWriteStream(), { signal });
      return bytes();
    },
    async remove(name) {
      await fileOf(name).delete({ ignoreNotFound: true });
    },
  });
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
function objectStore({ address }: Place, client: Omit<FileStore, 'address'>): FileStore {
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
function byteStream(chunks: Chunks): { readonly stream: Readable; readonly bytes: () => number } {
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
