// The text of `check --online`: the state of each part, problems with remedies, and costs.

import type { OnlineCost, SourceAmount, Span } from '../../../app/preflight/online-cost.ts';
import type { PreflightCheck, PreflightState } from '../../../app/preflight/preflight-check.ts';
import type { Printer, Style } from '../../terminal/printer.ts';
import { amount, dollars } from '../numbers.ts';
import { type Column, printable, tableLines } from '../table.ts';

export interface OnlineText {
  readonly trials: readonly PreflightCheck[];
  readonly costs: readonly OnlineCost[];
  readonly warnings: readonly string[];
}

const stateWords: Readonly<Record<PreflightState, string>> = {
  ok: 'ok',
  'not-asked': 'not asked',
  refused: 'REFUSED',
  failed: 'FAILED',
};

/** The name of a checked part in the list: the sources of a chain by their position in it. */
interface Row {
  readonly name: string;
  readonly check: PreflightCheck;
}

const trialColumns: readonly Column<Row>[] = [
  { title: 'state', value: ({ check }) => stateWords[check.state] },
  { title: 'what', value: ({ name }) => name },
  { title: 'says', value: ({ check }) => describeResult(check) },
];

const boughtWords: Readonly<Record<OnlineCost['what'], string>> = {
  pages: 'pages',
  'keyword-data': 'keyword data',
  answers: 'AI answers',
};

const costColumns: readonly Column<OnlineCost>[] = [
  { title: 'project', value: ({ project }) => project },
  { title: 'buys', value: ({ what }) => boughtWords[what] },
  { title: 'from', value: ({ service, source }) => `${service} (${source})` },
  { title: 'a run', align: 'right', value: ({ perRun }) => spanText(perRun, amount) },
  { title: 'credits', align: 'right', value: ({ amountPerRun, price }) => unitsText(amountPerRun, price) },
  { title: 'USD a run', align: 'right', value: ({ amountPerRun }) => usdText(amountPerRun) },
  { title: 'a month', align: 'right', value: ({ perMonth }) => spanText(perMonth, amount) },
  { title: 'USD a month', align: 'right', value: ({ amountPerMonth }) => usdText(amountPerMonth) },
  { title: 'as of', value: ({ price }) => price?.asOf ?? '-' },
];

export function printOnline(out: Printer, { trials, costs, warnings }: OnlineText): void {
  const rows = trials.flatMap((check) => [
    { name: describeSubject(check), check },
    ...check.parts.map((part, at) => ({ name: `${part.service}, ${at + 1} (${part.source})`, check: part })),
  ]);
  out.line(out.styled('bold', 'Tried'));
  for (const line of tableLines(trialColumns, rows)) out.line(line);
  for (const warning of warnings) out.line(`${out.styled('yellow', 'Warning:')} ${printable(warning)}`);
  printProblems(out, rows);
  if (costs.length === 0) return;
  out.line();
  out.line(out.styled('bold', 'Cost by vendor'));
  for (const line of tableLines(costColumns, costs)) out.line(line);
  out.line(
    'From the expected cost on the cheapest plan to the worst case on the most expensive one, by list prices. A month has 31 days with runs like the next one.',
  );
  if (costs.some(({ price }) => price === null)) out.line('-: free, or no list price known.');
}

function printProblems(out: Printer, rows: readonly Row[]): void {
  const wrong = rows.filter(({ check: { problems, parts } }) => problems.length > 0 && parts.length === 0);
  if (wrong.length === 0) return;
  out.line();
  out.line(out.styled('bold', 'What to do'));
  for (const { name, check } of wrong) {
    const style: Style = check.state === 'refused' ? 'yellow' : 'red';
    for (const { code, message, remedy } of check.problems) {
      out.line(`  ${out.styled(style, name)}: ${printable(message)} [${code}]`);
      if (remedy !== null) out.line(`    ${printable(remedy)}`);
    }
  }
}

function describeSubject({ what, service, source }: PreflightCheck): string {
  if (service === null) return source === null ? what : `${what} (${source})`;
  if (what === 'account') return `${service}, account ${source}`;
  const part = what === 'keyword-data' || what === 'answers' ? `, ${boughtWords[what]}` : '';
  return `${service}${part} (${source})`;
}

/** Only problems are printed in full below the table. */
function describeResult({ says, problems, creditsLeft, unit, plan, what }: PreflightCheck): string {
  const [first] = problems;
  if (first !== undefined && says.startsWith(first.message))
    return [...new Set(problems.map(({ code }) => code))].join(', ');
  const left =
    creditsLeft === null || what === 'account'
      ? ''
      : ` ${unit === 'micro_usd' ? dollars(creditsLeft) : `${amount(creditsLeft)} credits`} left.`;
  return `${says}${left}${plan === null ? '' : ` Plan: ${plan}.`}`;
}

function unitsText(bought: SourceAmount | null, price: OnlineCost['price']): string {
  return bought === null || price?.unit !== 'credit' ? '-' : spanText(bought.units, amount);
}

function usdText(bought: SourceAmount | null): string {
  if (bought === null) return '-';
  return spanText({ expected: bought.microUsdLeast.expected, worst: bought.microUsdMost.worst }, dollars);
}

function spanText({ expected, worst }: Span, write: (count: number) => string): string {
  return expected === worst ? write(worst) : `${write(expected)} to ${write(worst)}`;
}
