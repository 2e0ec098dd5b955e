// `export`: all history, row by row, as CSV or JSON lines. Nothing is rounded, guarded or filled in unless asked.

import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Option } from 'commander';
import type { HistoryQuery, HistoryRow } from '../../app.ts';
import { type CsvColumn, csvChunks } from '../../report/csv.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { calendarDate } from '../command-line.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import { counted } from '../numbers.ts';
import type { Printer } from '../printer.ts';

interface Flags {
  readonly format: 'csv' | 'jsonl';
  readonly output?: string;
  readonly project?: string;
  readonly from?: string;
  readonly to?: string;
  readonly safe?: boolean;
}

const chunkRows = 500;

const text = (name: string, description: string, value: (row: HistoryRow) => string | null): CsvColumn<HistoryRow> => ({
  name,
  kind: 'text',
  description,
  value,
});
const number = (
  name: string,
  description: string,
  value: (row: HistoryRow) => number | null,
): CsvColumn<HistoryRow> => ({
  name,
  kind: 'number',
  description,
  value,
});
const list = (
  name: string,
  description: string,
  value: (row: HistoryRow) => readonly string[],
): CsvColumn<HistoryRow> => ({
  name,
  kind: 'list',
  description,
  value,
});

/** The columns of the CSV, in order; JSON lines have the same names. */
export const exportColumns: readonly CsvColumn<HistoryRow>[] = [
  text('project', 'Project id', (row) => row.project),
  text('keyword', 'Tracked keyword', (row) => row.keyword),
  text('service', 'Service of the market', (row) => row.service),
  text('country', 'Country of the market, ISO 3166-1', (row) => row.country),
  text('language', 'Language of the market, BCP 47', (row) => row.language),
  text('device', 'desktop or mobile', (row) => row.device),
  text('target', 'Target as configured', (row) => row.target),
  {
    name: 'competitor',
    kind: 'boolean',
    description: 'Whether the target is a competitor',
    value: (row) => row.competitor,
  },
  text('slot', 'Local date and time the run was due', (row) => row.slot),
  text('local_date', 'Local date of the slot', (row) => row.localDate),
  text('checked_at', 'When the pages were read, UTC', (row) => row.checkedAt),
  text('status', 'ranked, not_found, incomplete, failed, deferred or unknown_paid', (row) => row.status),
  number('rank', 'Place among organic results over all pages; empty unless ranked', (row) => row.rank),
  number('absolute_rank', 'Place among all elements; empty where it cannot be known', (row) => row.absoluteRank),
  number('page', 'Results page it is on', (row) => row.page),
  text('url', 'Page of the target that ranks', (row) => row.url),
  number('depth', 'Results pages asked', (row) => row.depth),
  list('serp_features', 'SERP features on the pages', (row) => row.serpFeatures),
  list('owned_features', 'Those of them that link to the target', (row) => row.ownedFeatures),
  text('reason', 'Why there is no rank', (row) => row.reason),
  text('source', 'service/source of the pages', (row) => row.source),
  number('run_id', 'The run that made the check', (row) => row.runId),
];

export const command: CommandDefinition = {
  about: `One row a target and check, failures included. The CSV has no byte order mark and holds text as it is; a
spreadsheet would run a keyword that begins with = as a formula, unless --safe puts an apostrophe before it.`,
  examples: [
    { command: 'export > history.csv', does: 'everything, as CSV' },
    {
      command: 'export --format jsonl --output history.jsonl',
      does: 'JSON lines, into a file that appears when it is whole',
    },
    { command: 'export --project acme --from 2026-01-01 --to 2026-03-31', does: 'one project, one quarter' },
  ],
  readsConfig: true,
  describe: (command) =>
    void command
      .addOption(new Option('-f, --format <format>', 'how rows are written').choices(['csv', 'jsonl']).default('csv'))
      .option('-o, --output <file>', 'write to this file instead of stdout')
      .option('-p, --project <id>', 'only this project')
      .option('--from <date>', 'only from this local date on, such as 2026-01-01', calendarDate)
      .option('--to <date>', 'only to this local date, itself included', calendarDate)
      .option('--safe', 'CSV: put an apostrophe before text that a spreadsheet would run'),
  async run(context) {
    const flags = context.flags<Flags>();
    const rows = await context.withApp(
      async (app) => {
        const history = counting(app.history(queryOf(flags)), context.signal);
        const chunks = flags.format === 'csv' ? csvOf(history.rows, flags.safe === true) : jsonLinesOf(history.rows);
        if (flags.output === undefined) await writeAll(context.out, chunks);
        else await writeFile(resolve(context.host.cwd, flags.output), chunks, context.signal);
        return history.count();
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

function queryOf({ project, from, to }: Flags): HistoryQuery {
  return {
    ...(project === undefined ? {} : { project }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
}

/** The rows, counted as they go by; they end early when the signal says so. */
function counting(rows: Iterable<HistoryRow>, signal: AbortSignal) {
  let count = 0;
  function* counted(): Generator<HistoryRow> {
    for (const row of rows) {
      if (signal.aborted) return;
      count += 1;
      yield row;
    }
  }
  return { rows: counted(), count: () => count };
}

function csvOf(rows: Iterable<HistoryRow>, safe: boolean): Iterable<string> {
  return csvChunks(exportColumns, rows, { bom: false, delimiter: ',', safe });
}

function* jsonLinesOf(rows: Iterable<HistoryRow>): Generator<string> {
  let lines: string[] = [];
  for (const row of rows) {
    lines.push(JSON.stringify(Object.fromEntries(exportColumns.map(({ name, value }) => [name, value(row)]))));
    if (lines.length < chunkRows) continue;
    yield `${lines.join('\n')}\n`;
    lines = [];
  }
  if (lines.length > 0) yield `${lines.join('\n')}\n`;
}

async function writeAll(printer: Printer, chunks: Iterable<string>): Promise<void> {
  for (const chunk of chunks) {
    await printer.chunk(chunk);
    if (printer.isClosed) return;
    // Lets a signal in: writing to a fast reader never waits.
    await new Promise((next) => setImmediate(next));
  }
}

/** Written beside and renamed, so that a file of this name is always whole. */
async function writeFile(file: string, chunks: Iterable<string>, signal: AbortSignal): Promise<void> {
  if (!existsSync(dirname(file))) {
    throw new CommandError(
      'NO_FOLDER',
      `There is no folder ${dirname(file)}.`,
      'Make it first, or write to another one.',
    );
  }
  const unfinished = `${file}.${process.pid}.tmp`;
  const handle = await open(unfinished, 'wx');
  try {
    for (const chunk of chunks) await handle.appendFile(chunk);
    signal.throwIfAborted();
    await handle.sync();
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}
