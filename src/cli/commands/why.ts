// `why`: the causes of one keyword's change, or of all changes beyond noise.
import type { Command } from '@commander-js/extra-typings';
import type { App } from '../../app/app.ts';
import { projectsNamed } from '../../app/opening/named-projects.ts';
import type { CauseRecord, KeywordCauses } from '../../tracker/causes/cause-text.ts';
import type { SummarySentence } from '../../tracker/causes/change-summary.ts';
import { rankText, rounded } from '../../tracker/figures.ts';
import { marketName, type NamedMarket } from '../../tracker/project.ts';
import { foldKeyword } from '../../tracker/searches.ts';
import type { CommandDefinition, Context, FlagsOf } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { describeSearches, refuseUnknown } from '../keyword-question.ts';
import { calendarDate, wholeNumber } from '../parsed-command.ts';
import type { Printer } from '../terminal/printer.ts';
import { usageError } from '../text/failure.ts';
import { amount, counted, signedAmount } from '../text/numbers.ts';
import { type Column, printable, tableLines } from '../text/table.ts';

interface ProjectCauses {
  readonly project: string;
  readonly rows: readonly KeywordCauses[];
  /** What the change of the whole project is made of; of one keyword none. */
  readonly summary: readonly SummarySentence[];
}

const changesShown = 20;
/** Columns of a terminal that a cause always gets. */
const causeWidthMin = 30;

const describe = (command: Command) =>
  describeSearches(command.argument('[keyword]', 'a tracked keyword; default: all that moved beyond noise'))
    .option('--from <date>', 'local date to compare with; default: that of the check before', calendarDate)
    .option('--to <date>', 'local date of the change; default: that of the newest check', calendarDate)
    .option('--last <n>', 'changes per project without a keyword; 0 for all', wholeNumber(0, 1_000_000), changesShown);

type WhyQuery = Omit<FlagsOf<typeof describe>, 'last'> & {
  /** Absent: all keywords that moved beyond their noise. */
  readonly keyword?: string;
};

export const command: CommandDefinition = {
  about: `Names the causes of a change of rank, strongest first, from what history holds: results that entered or left, our own page and title,
SERP features, keywords that moved alike, notes. Without a keyword, it lists the changes beyond noise. It asks no service.`,
  examples: [
    { command: 'why', does: 'the newest changes beyond noise, each with its first cause' },
    { command: 'why "running shoes"', does: 'the newest check against the one before' },
    { command: 'why "running shoes" --to 2026-01-14', does: 'that date against the check before it' },
    { command: 'why "running shoes" --from 2026-01-01 --to 2026-01-14', does: 'any two dates' },
    { command: 'why --json', does: 'the records of the read API' },
  ],
  readsConfig: true,
  asksServices: () => false,
  describe,
  async run(context) {
    const { last, country, ...others } = context.flags(describe);
    const { from, to } = others;
    if (from !== undefined && to !== undefined && from >= to)
      throw usageError(`--from ${from} is not before --to ${to}.`, 'Name two dates, the earlier one with --from.');
    const keyword = context.args[0];
    const query: WhyQuery = { ...others, keyword, country: country?.toUpperCase() };
    const found = await context.withApp((app) => readCauses(app, query), { isReading: true });
    const rows = found.flatMap((each) => each.rows);
    if (keyword !== undefined && rows.length === 0) await refuseUnknown(context, { ...query, keyword });
    if (context.json) context.out.json(rows);
    else if (keyword === undefined) printChanges(context, found, last);
    else if (rows.length === 0) printNothing(context, keyword, query);
    else printKeyword(context, found);
    return exitCodes.done;
  },
};

/** Throws UsageError for an unknown project or location. */
async function readCauses(app: App, { keyword, from, to, ...query }: WhyQuery): Promise<ProjectCauses[]> {
  const { historyReader } = await import('../../app/workspace/workspace.ts');
  const projects = projectsNamed(app.config, query.project === undefined ? [] : [query.project]);
  const isAsked = await searchFilter(app, query);
  const { target, country, device, location } = query;
  const isNarrow = [target, country, device, location].some((one) => one !== undefined);
  const history = historyReader(app);
  const state = { compare: from ?? 'previous', date: to };
  return projects.map(({ id: project }) => {
    const reader = history.of(project);
    const table = { ...state, filter: {}, sort: [] };
    if (keyword === undefined) {
      const rows = [...reader.changeCauses(table)].filter(isAsked);
      return { project, rows, summary: isNarrow ? [] : reader.changeSummary(table).sentences };
    }
    const asked = foldKeyword(keyword);
    const rows = reader.keywords(table).filter((row) => foldKeyword(row.keyword) === asked && isAsked(row));
    return { project, rows: rows.map(({ id }) => reader.causes({ id, ...state })), summary: [] };
  });
}

/** `location`: an empty one is a country as a whole. */
async function searchFilter({ config }: App, { target, country, device, location: written }: WhyQuery) {
  const { trackedLocation } = await import('../../app/opening/place-names.ts');
  const location = written === undefined ? undefined : trackedLocation(config, written, country);
  return (row: NamedMarket & { readonly target: string }): boolean =>
    (target === undefined || row.target === target) &&
    (country === undefined || row.country === country) &&
    (device === undefined || row.device === device) &&
    (location === undefined || (row.location ?? '') === location);
}

/** `+3`, `at least -8`; null where the stored pages do not show it. */
function placesText({ places, isAtLeast }: KeywordCauses): string | null {
  if (places === null) return null;
  return isAtLeast ? `at least ${signedAmount(places)}` : signedAmount(places);
}

/** `rank 8 on 2026-01-14, was rank 4 on 2026-01-13` */
function changeLine({ rank, previousRank, from, to }: KeywordCauses): string {
  const named = (of: number | null): string => rankText(of, (one) => `rank ${amount(one)}`);
  if (from === null) return `${named(rank)} on ${to}`;
  return `${named(rank)} on ${to}, was ${named(previousRank)} on ${from}`;
}

function judgement({ changeClass, significance, from }: KeywordCauses): string | null {
  if (from === null) return null;
  if (changeClass === 'unchanged') return 'no change of rank';
  if (changeClass === 'not_comparable') return 'both checks cannot be compared';
  if (significance === null) return 'too few checks to know its usual ranks';
  return { noise: 'within its noise band', likely: 'a likely change', certain: 'a certain change' }[significance];
}

function printKeyword({ out }: Context, found: readonly ProjectCauses[]): void {
  const all = found.flatMap(({ project, rows }) => rows.map((row) => ({ project, row })));
  for (const [at, { project, row }] of all.entries()) {
    if (at > 0) out.line();
    out.line(out.styled('bold', printable(`${row.keyword} | ${marketName(row)} | ${row.target} | ${project}`)));
    out.line(printable(`  ${[changeLine(row), judgement(row)].filter(Boolean).join('; ')}`));
    printCauses(out, row);
    for (const unknown of row.unknown) out.line(printable(`  Unknown: ${unknown}`));
  }
}

const numberColumns: readonly Column<CauseRecord>[] = [
  { title: 'places', align: 'right', value: ({ places = 0 }) => (places === 0 ? '' : signedAmount(places)) },
  { title: 'strength', align: 'right', value: ({ strength }) => rounded(strength, 2).toFixed(2) },
  { title: 'certainty', value: ({ certainty }) => certainty },
];
/** Of the columns above, with indent and gaps. */
const numbersWidth = 31;

function printCauses(out: Printer, row: KeywordCauses): void {
  if (row.causes.length === 0) {
    if (row.from !== null && row.changeClass !== 'unchanged') out.line('  No cause is known.');
    return;
  }
  const widthMax = out.isTerminal ? Math.max(causeWidthMin, out.columns - numbersWidth) : Number.POSITIVE_INFINITY;
  const columns = [...numberColumns, { title: 'cause', value: ({ sentence }: CauseRecord) => sentence, widthMax }];
  for (const line of tableLines(columns, row.causes)) out.line(line);
  const places = placesText(row);
  if (places !== null && row.changeClass !== 'unchanged') out.line(`  The places add up to the change: ${places}.`);
}

interface ShownChange {
  readonly row: KeywordCauses;
  readonly first: string;
}

const changeColumns: readonly Column<ShownChange>[] = [
  { title: 'keyword', value: ({ row }) => row.keyword, widthMax: 32 },
  { title: 'market', value: ({ row }) => marketName(row), widthMax: 24 },
  { title: 'target', value: ({ row }) => row.target, widthMax: 24 },
  { title: 'rank', align: 'right', value: ({ row }) => rankText(row.rank) },
  { title: 'was', align: 'right', value: ({ row }) => rankText(row.previousRank) },
];
/** Of the columns above at their usual widths. */
const changeWidth = 70;

function printChanges({ out }: Context, found: readonly ProjectCauses[], last: number): void {
  const widthMax = out.isTerminal ? Math.max(causeWidthMin, out.columns - changeWidth) : Number.POSITIVE_INFINITY;
  const columns = [...changeColumns, { title: 'first cause', value: ({ first }: ShownChange) => first, widthMax }];
  for (const [at, { project, rows, summary }] of found.entries()) {
    if (at > 0) out.line();
    const [from, to] = [datesOf(rows, 'from'), datesOf(rows, 'to')];
    const between = rows.length === 0 ? '' : ` on ${to}, since ${from}`;
    out.line(out.styled('bold', printable(`${project}: ${counted(rows.length, 'change')} beyond noise${between}`)));
    for (const { text } of summary) out.line(printable(`  - ${text}.`));
    const shown = last === 0 ? rows : rows.slice(0, last);
    const lines = shown.map((row) => ({ row, first: row.causes[0]?.sentence ?? 'no cause is known' }));
    for (const line of tableLines(columns, lines)) out.line(line);
    if (rows.length > shown.length)
      out.line(`  ... and ${amount(rows.length - shown.length)} more; --last 0 shows all`);
  }
  if (found.some(({ rows }) => rows.length > 0)) {
    out.line();
    out.line('All causes of one: rankledger why KEYWORD');
  }
}

/** `2026-01-14`, or `2026-01-12 to 2026-01-14`. */
function datesOf(rows: readonly KeywordCauses[], end: 'from' | 'to'): string {
  const dates = rows.flatMap((row) => row[end] ?? []).sort();
  const [first = '', newest = ''] = [dates[0], dates.at(-1)];
  return first === newest ? first : `${first} to ${newest}`;
}

function printNothing({ out }: Context, keyword: string, { target }: WhyQuery): void {
  const about = target === undefined ? '' : ` for the own target ${target}`;
  out.line(
    printable(`No row of "${keyword}" matches${about}. Causes are of own targets; \`rankledger history\` has all.`),
  );
}
