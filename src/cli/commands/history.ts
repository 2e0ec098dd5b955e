// `history`: the ranks of one keyword over time, as a plot and a table. Failed checks are rows, too.

import type { Command } from '@commander-js/extra-typings';
import {
  type HistoryRow,
  historyRows,
  type HistoryQuery as KeywordHistoryQuery,
} from '../../../jobs/query/read-history.ts';
import type { App } from '../../app/app.ts';
import { projectsNamed } from '../../app/opening/named-projects.ts';
import type { ExportRow } from '../../report/formats/export-columns.ts';
import { byText } from '../../tracker/figures.ts';
import { marketName } from '../../tracker/project.ts';
import { isOtherPage as isDifferentPage } from '../../tracker/targets/target.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { describeSearches, refuseUnknown } from '../keyword-question.ts';
import { calendarDate, rejectEmptyRange, wholeNumber } from '../parsed-command.ts';
import type { Printer } from '../terminal/printer.ts';
import { usageError } from '../text/failure.ts';
import { amount, counted } from '../text/numbers.ts';
import { daysPerColumn, type PlotPoint, plotLegend, rankPlot } from '../text/results/rank-plot.ts';
import { statusName } from '../text/results/run-text.ts';
import { type Column, printable, tableLines } from '../text/table.ts';

interface HistoryQuery extends KeywordHistoryQuery {
  readonly project?: string;
}

/** A row, and its change from earlier rows of its series. */
interface TimedRow extends HistoryRow {
  /** Another page ranks than the time before. */
  readonly isOtherPage: boolean;
}

const rowsShown = 14;
const plotColumnsMin = 10;
/** Left of the plot: indent, rank and axis. */
const plotMargin = 8;

const narrowColumns: readonly Column<TimedRow>[] = [
  { title: 'slot', value: ({ slot }) => slot },
  { title: 'rank', align: 'right', value: ({ rank, status }) => (rank === null ? statusName(status) : amount(rank)) },
  {
    title: 'absolute',
    align: 'right',
    value: ({ absoluteRank }) => (absoluteRank === null ? '' : amount(absoluteRank)),
  },
  {
    title: 'page',
    align: 'right',
    value: ({ page, depth }) => (page === null ? `- of ${depth}` : `${page} of ${depth}`),
  },
];
/** Width of the narrow columns, gaps included; the others share the rest of the terminal. */
const narrowWidth = 52;

function chooseColumns({ isTerminal, columns }: Printer): readonly Column<TimedRow>[] {
  const room = isTerminal ? Math.max(0, columns - narrowWidth) : Number.POSITIVE_INFINITY;
  const atMost = (widthMax: number, share: number) => Math.max(12, Math.min(widthMax, Math.floor(room * share)));
  return [
    ...narrowColumns,
    {
      title: 'url',
      value: ({ url, isOtherPage }) => `${isOtherPage ? '^ ' : ''}${url ?? ''}`,
      widthMax: atMost(60, 0.5),
    },
    { title: 'features', value: formatFeatures, widthMax: atMost(40, 0.25) },
    {
      title: 'note',
      value: ({ reason, note }) => [reason, note].filter(Boolean).join('; '),
      widthMax: atMost(50, 0.25),
    },
  ];
}

const describe = (command: Command) =>
  describeSearches(command.argument('<keyword>', 'a keyword that is or was tracked'))
    .option('--from <date>', 'first local date, such as 2026-01-01', calendarDate)
    .option('--to <date>', 'last local date, inclusive', calendarDate)
    .option('--last <n>', 'rows per table, newest first; 0 for all', wholeNumber(0, 1_000_000), rowsShown)
    .option('--csv', 'print all rows as CSV, with the columns of `export`, safe for a spreadsheet');

export const command: CommandDefinition = {
  about: `Prints a plot and a table for each project, market and target that tracks the keyword. Days without a check stay blank; a check without a proven
ranking shows no rank. A + marks SERP features that link to the target.`,
  examples: [
    { command: 'history "running shoes"', does: 'every market and target of the keyword' },
    { command: 'history "running shoes" --target acme.com --device mobile', does: 'one target on one device' },
    { command: 'history "running shoes" --from 2026-01-01 --json', does: 'the rows as JSON' },
    { command: 'history "running shoes" --csv > shoes.csv', does: 'the rows for a spreadsheet' },
  ],
  readsConfig: true,
  asksServices: () => false,
  describe,
  async run(context) {
    const { last, country, csv = false, ...others } = context.flags(describe);
    if (csv && context.json) throw usageError('--csv and --json exclude each other.');
    rejectEmptyRange(others);
    const keyword = context.args[0] ?? '';
    const query: HistoryQuery = { keyword, ...others, country: country?.toUpperCase() };
    const rows = await context.withApp(async (app) => readHistory(app, query), { isReading: true });
    if (rows.length === 0) await refuseUnknown(context, query);
    if (context.json) context.out.json(rows);
    else if (csv) for (const chunk of await historyCsv(rows)) await context.out.chunk(chunk);
    else if (rows.length === 0)
      context.out.line(`No check of "${printable(keyword)}" matches yet. \`rankledger status\` shows when it is due.`);
    else print(context, rows, last);
    return exitCodes.done;
  },
};

/** Throws UsageError for an unknown project or location. */
async function readHistory({ config, context }: App, { project, ...query }: HistoryQuery): Promise<HistoryRow[]> {
  const projects = projectsNamed(config, project === undefined ? [] : [project]);
  if (query.location === undefined) return [...historyRows(context, projects, query)];
  const { trackedLocation } = await import('../../app/opening/place-names.ts');
  const location = trackedLocation(config, query.location, query.country);
  return [...historyRows(context, projects, { ...query, location })];
}

function print({ out }: Context, rows: readonly HistoryRow[], last: number): void {
  const series = Map.groupBy(rows, ({ project, service, country, language, device, location, target }) =>
    JSON.stringify([project, service, country, language, device, location, target]),
  );
  for (const [at, unsorted] of [...series.values()].entries()) {
    if (at > 0) out.line();
    printSeries(out, inTime(unsorted), last);
  }
  out.line();
  for (const line of plotLegend) out.line(line);
}

function printSeries(out: Printer, oldestFirst: readonly TimedRow[], last: number): void {
  const [first] = oldestFirst;
  if (first === undefined) return;
  const kind = first.competitor ? ' (competitor)' : '';
  const title = `${first.keyword} | ${marketName(first)} | ${first.target}${kind} | ${first.project}`;
  out.line(out.styled('bold', printable(title)));
  out.line(`  ${summarise(oldestFirst)}`);
  const plotColumns = Math.max(plotColumnsMin, out.columns - plotMargin);
  const points = oldestFirst.filter(({ discarded }) => !discarded).map(toPlotPoint);
  for (const line of rankPlot(points, plotColumns)) out.line(`  ${line}`);
  const days = daysPerColumn(points, plotColumns);
  if (days > 1) out.line(`  each column is ${days} days: their last check, or their best rank`);
  const newestFirst = oldestFirst.toReversed();
  const shown = last === 0 ? newestFirst : newestFirst.slice(0, last);
  for (const line of tableLines(chooseColumns(out), shown)) out.line(line);
  const older = newestFirst.length - shown.length;
  if (older > 0) out.line(`  ... and ${amount(older)} older; --last 0 shows all`);
}

/** `now 4, best 2 on 2026-01-12, worst 9; 30 checks, 1 of them without a proven ranking`. */
function summarise(rows: readonly TimedRow[]): string {
  const standing = rows.filter(({ discarded }) => !discarded);
  const ranked = standing.filter((row): row is TimedRow & { readonly rank: number } => row.rank !== null);
  const newest = standing.at(-1);
  const now = newest === undefined || newest.rank === null ? statusName(newest?.status ?? '') : amount(newest.rank);
  const best = ranked.reduce<(typeof ranked)[number] | null>((a, b) => (a !== null && a.rank <= b.rank ? a : b), null);
  const unproven = standing.filter(({ rank, status }) => rank === null && status !== 'not_found').length;
  const checks = `${counted(standing.length, 'check')}${unproven === 0 ? '' : `, ${amount(unproven)} of them without a proven ranking`}`;
  const sources = new Set(standing.flatMap(({ source }) => source ?? []));
  const from = sources.size > 1 ? `; from ${[...sources].map(printable).join(', ')}, which are not compared` : '';
  if (best === null) return `now ${now}, never ranked; ${checks}${from}`;
  const worst = ranked.reduce((most, { rank }) => Math.max(most, rank), best.rank);
  return `now ${now}, best ${amount(best.rank)} on ${best.localDate}, worst ${amount(worst)}; ${checks}${from}`;
}

/** Oldest first; each with whether its URL differs from the last URL seen before. */
function inTime(rows: readonly HistoryRow[]): TimedRow[] {
  let page: string | null = null;
  return rows
    .toSorted((a, b) => byText(a.localDate, b.localDate) || byText(a.slot, b.slot) || a.runId - b.runId)
    .map((row) => {
      const known = row.destination === 'exact' && !row.discarded ? row.url : null;
      const isOtherPage = known !== null && page !== null && isDifferentPage(known, page) === true;
      page = known ?? page;
      return { ...row, isOtherPage };
    });
}

function toPlotPoint({ localDate, rank, status, isOtherPage, ownedFeatures }: TimedRow): PlotPoint {
  const shared = { date: localDate, isInFeature: ownedFeatures.length > 0 };
  if (rank !== null) return { ...shared, kind: 'ranked', rank, isOtherPage };
  return { ...shared, kind: status === 'not_found' ? 'notFound' : 'unknown' };
}

function formatFeatures({ serpFeatures, ownedFeatures }: TimedRow): string {
  const owned = new Set(ownedFeatures);
  const others = serpFeatures.filter((name) => !owned.has(name));
  return [...ownedFeatures.map((name) => `+${name}`), ...others].join(' ');
}

/** With the columns of `export`, except check ids. */
async function historyCsv(rows: readonly HistoryRow[]): Promise<Generator<string>> {
  const { csvChunks, defaultCsvOptions } = await import('../../report/formats/csv.ts');
  const { exportColumns } = await import('../../report/formats/export-columns.ts');
  const columns = exportColumns.rankings.filter(({ name }) => name !== 'check_id');
  return csvChunks(columns, rows.map(exported), { ...defaultCsvOptions, bom: false });
}

/** The stored moment. Ranks of another tool have a day only, not a moment. */
function exported({ competitor, localDate, checkedAt, absoluteRank, localRank, runId, ...row }: HistoryRow): ExportRow {
  return {
    ...row,
    competitor: competitor ? 1 : 0,
    local_date: localDate,
    checked_at: checkedAt?.includes('T') === true ? Date.parse(checkedAt) : null,
    absolute_rank: absoluteRank,
    local_rank: localRank ?? null,
    serp_features: row.serpFeatures.join('|'),
    owned_features: row.ownedFeatures.join('|'),
    run_id: runId,
  };
}
