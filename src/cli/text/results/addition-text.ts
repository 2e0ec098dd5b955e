// The report of `keywords add` and `init --from`: keywords in the files, new keywords, and their cost.
import type { KeywordAddition } from '../../../app/import/add-keywords.ts';
import type { ProjectCost } from '../../../app/planning.ts';
import type { Printer } from '../../terminal/printer.ts';
import { amount, counted, dollars } from '../numbers.ts';
import { type Column, printable, tableLines } from '../table.ts';
import { printRefused } from './import-text.ts';

interface AdditionReport extends KeywordAddition {
  readonly isWritten: boolean;
  /** `before` is null for a new project. */
  readonly cost: { readonly before: ProjectCost | null; readonly after: ProjectCost | null };
}

interface Shown {
  shown(file: string): string;
  /** SERP credits a month that the budget allows; null: no cap. */
  readonly budget: number | null;
}

type Entry = KeywordAddition['added'][number];

const entriesMax = 20;
const tagsMax = 15;

const entryColumns: readonly Column<Entry>[] = [
  { title: 'keyword', value: ({ keyword }) => keyword, widthMax: 40 },
  { title: 'country', value: ({ country = '' }) => country },
  { title: 'language', value: ({ language = '' }) => language },
  { title: 'location', value: ({ location = '' }) => location },
  { title: 'device', value: ({ devices = [] }) => devices.join('|') },
  { title: 'tags', value: ({ tags = [] }) => tags.join('|'), widthMax: 40 },
  { title: 'preferred URL', value: ({ preferredUrl = '' }) => preferredUrl, widthMax: 60 },
];

const tagColumns: readonly Column<KeywordAddition['tags'][number]>[] = [
  { title: 'tag', value: ({ tag }) => tag, widthMax: 40 },
  { title: 'keywords', align: 'right', value: ({ keywords }) => amount(keywords) },
];

interface CostLine extends ProjectCost {
  readonly when: string;
}

const costColumns: readonly Column<CostLine>[] = [
  { title: '', value: ({ when }) => when },
  { title: 'keywords', align: 'right', value: ({ keywords }) => amount(keywords) },
  { title: 'searches', align: 'right', value: ({ searches }) => amount(searches) },
  { title: 'runs a month', align: 'right', value: ({ slotsPerMonth }) => amount(slotsPerMonth) },
  { title: 'credits a run', align: 'right', value: ({ creditsPerRun }) => amount(creditsPerRun) },
  { title: 'credits a month', align: 'right', value: ({ creditsPerMonth }) => amount(creditsPerMonth) },
  { title: 'keyword data a month', align: 'right', value: ({ microUsdPerMonth }) => dollars(microUsdPerMonth) },
];

/** The report of `keywords add`. */
export function printAddition(out: Printer, report: AdditionReport, shown: Shown): void {
  printPlan(out, report, shown, report.isWritten ? 'Added' : 'Would add');
  if (report.added.length === 0) return;
  out.line();
  out.line(
    report.isWritten
      ? '`rankledger plan` says what the next run buys.'
      : 'Nothing was written: `--yes` adds them. An empty cell takes the value of the project.',
  );
}

/** The keywords in the files, the new ones and their cost. `verb` begins the line on new keywords. */
export function printPlan(out: Printer, report: AdditionReport, { shown, budget }: Shown, verb: string): void {
  const { added, known, project } = report;
  for (const { file, format, rows } of report.files)
    out.line(`Read ${counted(rows, 'row')} of ${printable(shown(file))} (${format})`);
  const target = printable(shown(report.keywordsFile));
  if (added.length === 0) out.line(`Nothing to add to ${project}: ${counted(known, 'keyword')} tracked already.`);
  else out.line(`${verb} ${counted(added.length, 'keyword')} to ${target} of ${project}`);
  if (added.length > 0 && known > 0) out.line(`  ${amount(known)} tracked already`);
  const preferred = added.filter(({ preferredUrl }) => preferredUrl !== undefined).length;
  if (preferred > 0) out.line(`  ${amount(preferred)} with a preferred URL`);
  printEntries(out, report);
  printCost(out, report, budget);
  for (const { file, notTaken, refused } of report.files)
    printRefused(out, `Not taken of ${printable(shown(file))}: ${counted(notTaken, 'row')}`, refused);
}

function printEntries(out: Printer, { added, tags, isWritten }: AdditionReport): void {
  if (tags.length > 0) {
    out.line();
    for (const line of tableLines(tagColumns, tags.slice(0, tagsMax))) out.line(line);
    if (tags.length > tagsMax) out.line(`  ... and ${counted(tags.length - tagsMax, 'more tag')}`);
  }
  if (isWritten || added.length === 0) return;
  const columns = entryColumns.filter(
    (column) => column.title === 'keyword' || added.some((entry) => column.value(entry) !== ''),
  );
  out.line();
  for (const line of tableLines(columns, added.slice(0, entriesMax))) out.line(line);
  if (added.length > entriesMax)
    out.line(`  ... and ${counted(added.length - entriesMax, 'more keyword')}; --json lists all`);
}

function printCost(out: Printer, { added, cost: { before, after } }: AdditionReport, budget: number | null): void {
  if (added.length === 0 || after === null) return;
  out.line();
  out.line(out.styled('bold', 'Cost at worst (every check reads to its depth; a month has 31 days)'));
  const lines =
    before === null
      ? [{ ...after, when: 'all' }]
      : [
          { ...before, when: 'before' },
          { ...after, when: 'after' },
        ];
  for (const line of tableLines(costColumns, lines)) out.line(line);
  const over = after.creditsPerMonth - (budget ?? Number.POSITIVE_INFINITY);
  if (over > 0)
    out.line(
      `  ${out.styled('yellow', 'short')}  the budget allows ${amount(budget ?? 0)} credits a month: ${amount(over)} would be deferred`,
    );
}
