// `export --partitions`: a Parquet file per project and month, in folders that DuckDB, ClickHouse and BigQuery read.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type PartitionedSubject, exportPartitions as partitionsOf } from '../../../jobs/query/export-history.ts';
import { projectsNamed } from '../../app/opening/named-projects.ts';
import { parquetChunks } from '../../report/formats/parquet.ts';
import type { Context } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { writeWholeFile } from '../terminal/whole-file.ts';
import { counted } from '../text/numbers.ts';

export interface PartitionsFlags {
  readonly what: PartitionedSubject;
  readonly partitions: string;
  readonly project?: string;
}

/** `manifest.json` of a table and project: what its months were exported from. */
interface Manifest {
  readonly format: 1;
  readonly months: Readonly<Record<string, { readonly state: string; readonly rows: number; readonly bytes: number }>>;
}

/**
 * Writes the months that changed since the manifest was written. Coordinators with projects of their own may share the
 * folder: each project has its own manifest.
 */
export async function exportPartitions(context: Context, flags: PartitionsFlags): Promise<ExitCode> {
  const { what, project } = flags;
  const root = resolve(context.host.cwd, flags.partitions);
  let [written, rows, unchanged] = [0, 0, 0];
  await context.withApp(
    async (app) => {
      const projects = projectsNamed(app.config, project === undefined ? [] : [project]);
      for (const partition of partitionsOf(app.context, projects, what)) {
        if (context.signal.aborted) return;
        const folder = join(root, what, `project=${encodeURIComponent(partition.project)}`);
        const file = join(folder, `month=${partition.month}`, `${what}.parquet`);
        const { months } = readManifest(folder);
        const before = months[partition.month];
        const isThere =
          statSync(file, { throwIfNoEntry: false })?.size === (before?.rows === 0 ? undefined : before?.bytes);
        if (before?.state === partition.state && isThere) {
          if (before.rows > 0) unchanged += 1;
          continue;
        }
        const table = partition.table();
        mkdirSync(join(file, '..'), { recursive: true });
        await writeWholeFile(file, table.encoded(parquetChunks), context.signal);
        const bytes = statSync(file).size;
        if (table.count() === 0) rmSync(join(file, '..'), { recursive: true });
        const entry = { state: partition.state, rows: table.count(), bytes };
        const manifest: Manifest = { format: 1, months: { ...months, [partition.month]: entry } };
        await writeWholeFile(join(folder, manifestName), [`${JSON.stringify(manifest, null, 2)}\n`], context.signal);
        if (table.count() > 0) written += 1;
        rows += table.count();
      }
    },
    { isReading: true },
  );
  if (context.signal.aborted) return exitCodes.interrupted;
  const folder = join(root, what);
  if (context.json) context.out.json({ folder, written, rows, unchanged });
  else
    context.err.line(
      `${folder}: ${counted(written, 'month')} written, ${counted(rows, 'row')}; ${unchanged} unchanged`,
    );
  return exitCodes.done;
}

const manifestName = 'manifest.json';

/** A manifest that cannot be read counts as none: everything is written again. */
function readManifest(folder: string): Manifest {
  const file = join(folder, manifestName);
  if (!existsSync(file)) return { format: 1, months: {} };
  try {
    const { months = {} } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Manifest>;
    return { format: 1, months };
  } catch {
    return { format: 1, months: {} };
  }
}
