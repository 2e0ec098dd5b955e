// `export --partitions`: a Parquet file per project and month, in folders that DuckDB, ClickHouse and BigQuery read.
import {
  type ExportPartition,
  type PartitionedSubject,
  exportPartitions as partitionsOf,
} from '../../../jobs/query/export-history.ts';
import { projectsNamed } from '../../app/opening/named-projects.ts';
import { parquetChunks } from '../../report/formats/parquet.ts';
import type { Context } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { counted } from '../text/numbers.ts';
import { type Chunks, type FileStore, openStore } from './file-store.ts';

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
