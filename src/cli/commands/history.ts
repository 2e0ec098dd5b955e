// `history`: the ranks of one keyword over time, as a plot and a table. Failures are rows of their own; nothing is filled in.
import { Option } from 'commander';
import type { HistoryQuery, HistoryRow } from '../../app.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { calendarDate, wholeNumber } from '../command-line.ts';
import { exitCodes } from '../exit-codes.ts';
import { amount, marketName } from '../numbers.ts';
import { type PlotPoint, plotLegend, rankPlot } from '../rank-plot.ts';
import { statusName } from '../run-text.ts';
import { type Column, printable, tableLines } from '../table.ts';

interface Flags {
  readonly project?: string;
  readonly target?: string;
  readonly country?: string;
  readonly device?: 'desktop' | 'mobile';
  readonly from?: string;
  readonly to?: string;
  readonly last: number;
}

const rowsShown = 14;
const plotDaysMax = 90;
const plotDaysMin = 10;
/** Left of the plot: indent, rank and axis. */
const plotMargin = 8;

const columns: readonly Column<HistoryRow>[] = [
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
  { title: 'url', value: ({ url }) => url ?? '', widthMax: 60 },
  { title: 'note', value: ({ reason }) => reason ?? '', widthMax: 50 },
];

export const command: CommandDefinition = {
  about: 'One plot and table for each project, market and target that follows the keyword.',
  examples: [
    { command: 'history "running shoes"', does: 'every market and target of the keyword' },
    { command: 'history "running shoes" --target acme.com --device mobile', does: 'one target on one device' },
    { command: 'history "running shoes" --from 2026-01-01 --json', does: 'the rows as JSON' },
  ],
  readsConfig: true,
  describe: (command) =>
    void command
      .argument('<keyword>', 'a keyword that is or was tracked')
      .option('-p, --project <id>', 'only this project')
      .option('--target <target>', 'only this target, as the config writes it')
      .option('--country <code>', 'only this country')
      .addOption(new Option('--device <device>', 'only this device').choices(['desktop', 'mobile']))
      .option('--from <date>', 'only from this local date on, such as 2026-01-01', calendarDate)
      .option('--to <date>', 'only to this local date, itself included', calendarDate)
      .option('--last <n>', 'rows of each table, newest first; 0 for all', wholeNumber(0, 1_000_000), rowsShown),
  async run(context) {
    const { last, country, ...others } = context.flags<Flags>();
    const keyword = context.args[0] ?? '';
    const query: HistoryQuery = {
      keyword,
      ...others,
      ...(country === undefined ? {} : { country: country.toUpperCase() }),
    };
    const rows = await context.withApp(async (app) => [...app.history(query)], { isReading: true });
    if (context.json) context.out.json(rows);
    else if (rows.length === 0) await printNone(context, keyword);
    else print(context, rows, last);
    return exitCodes.done;
  },
};

function print({ out }: Context, rows: readonly HistoryRow[], last: number): void {
  const series = Map.groupBy(rows, ({ project, service, country, language, device, target }) =>
    JSON.stringify([project, service, country, language, device, target]),
  );
  const plotDays = Math.max(plotDaysMin, Math.min(plotDaysMax, out.columns - plotMargin));
  for (const [at, unsorted] of [...series.values()].entries()) {
    const [first] = unsorted;
    if (first === undefined) continue;
    if (at > 0) out.line();
    const kind = first.competitor ? ' (competitor)' : '';
    out.line(
      out.styled(
        'bold',
        printable(`${first.keyword} | ${marketName(first)} | ${first.target}${kind} | ${first.project}`),
      ),
    );
    const oldestFirst = unsorted.toSorted((a, b) => (a.slot < b.slot ? -1 : a.slot > b.slot ? 1 : a.runId - b.runId));
    for (const line of rankPlot(oldestFirst.map(pointOf), plotDays)) {
      out.line(`  ${line}`);
    }
    const newestFirst = oldestFirst.toReversed();
    const shown = last === 0 ? newestFirst : newestFirst.slice(0, last);
    for (const line of tableLines(columns, shown)) out.line(line);
    const older = newestFirst.length - shown.length;
    if (older > 0) out.line(`  ... and ${amount(older)} older; --last 0 shows all`);
  }
  out.line();
  out.line(plotLegend);
}

function pointOf(row: HistoryRow): PlotPoint {
  if (row.rank !== null) return { date: row.localDate, kind: 'ranked', rank: row.rank };
  return { date: row.localDate, kind: row.status === 'not_found' ? 'notFound' : 'unknown' };
}

async function printNone({ out, config }: Context, keyword: string): Promise<void> {
  const tracked = (await config()).projects.flatMap(({ keywords }) => keywords.map((each) => each.keyword));
  if (tracked.includes(keyword)) {
    out.line(`No check of "${printable(keyword)}" matches yet. \`rankledger status\` says when it is due.`);
    return;
  }
  const { nearestWord } = await import('../../../config/issues.ts');
  const meant = nearestWord(keyword, tracked);
  out.line(
    `"${printable(keyword)}" is not tracked${meant === undefined ? '.' : `. Did you mean "${printable(meant)}"?`}`,
  );
}
