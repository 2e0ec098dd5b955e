// `export`: recorded data, row by row, as CSV, JSON lines or Parquet, exactly as recorded unless options say otherwise.
import { resolve } from 'node:path';
import { type Command, Option } from '@commander-js/extra-typings';
import { replaceFileWith } from '../../../db/connection/whole-file.ts';
import { exportHistory } from '../../../jobs/query/export-history.ts';
import { projectsNamed } from '../../app/opening/named-projects.ts';
import { csvLines, type Encoder, jsonDocument, jsonLines } from '../../report/formats/export.ts';
import { type ExportSubject, exportColumns } from '../../report/formats/export-columns.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { calendarDate, rejectEmptyRange } from '../parsed-command.ts';
import type { Printer } from '../terminal/printer.ts';
import { usageError } from '../text/failure.ts';
import { counted } from '../text/numbers.ts';

type Chunks = Iterable<string | Uint8Array<ArrayBuffer>>;

const encoders = {
  csv: async (): Promise<Encoder> => csvLines,
  jsonl: async (): Promise<Encoder> => jsonLines,
  parquet: async (): Promise<Encoder> => (await import('../../report/formats/parquet.ts')).parquetChunks,
} as const;

const describe = (command: Command) =>
  command
    .addOption(
      new Option('-w, --what <table>', 'which data to export')
        .choices(Object.keys(exportColumns) as ExportSubject[]) // a literal has no other keys
        .default('rankings' satisfies ExportSubject),
    )
    .addOption(
      new Option('-f, --format <format>', 'output format (default: csv; parquet with --partitions)').choices(
        Object.keys(encoders) as (keyof typeof encoders)[], // the same
      ),
    )
    .option(
      '--partitions <place>',
      'Parquet: a file per project and month, those that changed since the last export; into a folder, s3://bucket/prefix or gs://bucket/prefix',
    )
    .option('-o, --output <file>', 'write to this file instead of stdout')
    .option('-p, --project <id>', 'only this project')
    .option('--from <date>', 'first local date, such as 2026-01-01', calendarDate)
    .option('--to <date>', 'last local date, inclusive', calendarDate)
    .option('--safe', 'CSV guarded against formulas: the default, accepted for older scripts');

export const command: CommandDefinition = {
  about: `Exports recorded data unchanged: rankings (a row per target and check, failures included), checks, volumes, serps (a row per organic result and
feature link) or the ledger. With --project, it exports the targets and keywords of today's config; without, the whole database. The CSV has no byte
order mark, and an apostrophe before text that a spreadsheet would run as a formula, such as =1+1. JSON lines and Parquet have the text as it is.`,
  examples: [
    { command: 'export > history.csv', does: 'all rankings of all targets, as CSV' },
    {
      command: 'export --format jsonl --output history.jsonl',
      does: 'JSON lines, into a file that appears when it is complete',
    },
    {
      command: 'export --json',
      does: 'one JSON document, {"rows": [...]}; with --output it prints the file name and row count instead',
    },
    { command: 'export --project acme --from 2026-01-01 --to 2026-03-31', does: 'one project, one quarter' },
    {
      command: 'export --what serps --format parquet --output serps.parquet',
      does: 'every result of every page, for DuckDB, pandas or Spark',
    },
    { command: 'export --partitions lake', does: 'Parquet files in lake/rankings/project=acme/month=2026-01, ...' },
    { command: 'export --partitions s3://bucket/ranks', does: 'the same as objects; gs:// is Google Cloud Storage' },
  ],
  readsConfig: true,
  asksServices: () => false,
  describe,
  async run(context) {
    const flags = context.flags(describe);
    const { format = flags.partitions === undefined ? 'csv' : 'parquet' } = flags;
    if (flags.partitions !== undefined && format !== 'parquet')
      throw usageError(
        '--partitions writes Parquet.',
        `Leave out --format ${format}, or write one file: --format ${format} --output FILE.`,
      );
    if (
      format === 'parquet' &&
      flags.partitions === undefined &&
      flags.output === undefined &&
      context.out.isTerminal
    ) {
      throw usageError(
        'Parquet is binary and cannot be shown on a terminal.',
        'Name a file with --output, or redirect with >.',
      );
    }
    if (flags.safe === true && format !== 'csv') throw usageError('--safe needs --format csv.');
    rejectEmptyRange(flags);
    if (flags.partitions !== undefined) {
      if (flags.output !== undefined || flags.from !== undefined || flags.to !== undefined)
        throw usageError('--partitions writes whole months: leave out --output, --from and --to.');
      if (flags.what === 'ledger')
        throw usageError(
          'The ledger belongs to no project.',
          'Export it whole: --what ledger --output ledger.parquet.',
        );
      const { exportPartitions } = await import('../subcommands/export-partitions.ts');
      return await exportPartitions(context, { ...flags, what: flags.what, partitions: flags.partitions });
    }
    const isDocument = context.json && flags.output === undefined;
    if (isDocument && format === 'parquet')
      throw usageError('--json and Parquet cannot both go to stdout.', 'Name a file with --output.');
    const encode = isDocument ? jsonDocument : await encoders[format]();
    const rows = await context.withApp(
      async (app) => {
        const { what, project, from, to } = flags;
        const [only = null] = project === undefined ? [] : projectsNamed(app.config, [project]);
        const table = exportHistory(app.context, only, { what, from, to });
        const chunks = untilStopped(table.encoded(encode), context.signal);
        if (flags.output === undefined) await writeAll(context.out, chunks);
        else await replaceFileWith(resolve(context.host.cwd, flags.output), chunks, context.signal);
        return table.count();
      },
      { isReading: true },
    );
    if (context.signal.aborted) return exitCodes.interrupted;
    if (flags.output !== undefined) report(context, flags.output, rows);
    return exitCodes.done;
  },
};

function report({ json, out, err }: Context, file: string, rows: number): void {
  if (json) out.json({ file, rows });
  else err.line(`${file}: ${counted(rows, 'row')}`);
}

function* untilStopped(chunks: Chunks, signal: AbortSignal): Generator<string | Uint8Array<ArrayBuffer>> {
  for (const chunk of chunks) {
    if (signal.aborted) return;
    yield chunk;
  }
}

async function writeAll(printer: Printer, chunks: Chunks): Promise<void> {
  for (const chunk of chunks) {
    await printer.chunk(chunk);
    if (printer.isClosed) return;
    // Yields to the event loop so that a signal can arrive: writing to a fast reader never waits.
    await new Promise((next) => setImmediate(next));
  }
}
