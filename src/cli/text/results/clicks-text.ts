// Results of `clicks` as text.
import type { ProjectChanges } from '../../../app/clicks/changes.ts';
import type { ProjectCurve } from '../../../app/clicks/curve.ts';
import type { ProjectSuggestions } from '../../../app/clicks/suggest.ts';
import { ctr } from '../../../tracker/changes/visibility.ts';
import type { ClickChange, ClickEffects } from '../../../tracker/clicks/clicks.ts';
import type { FittedRank } from '../../../tracker/clicks/curves.ts';
import type { Printer } from '../../terminal/printer.ts';
import { amount, counted, signedAmount } from '../numbers.ts';
import { type Column, factLines, printable, tableLines } from '../table.ts';

const ranksShown = 20;

/** Rates by rank of each project, beside the built-in curve. */
export function printCurves(out: Printer, curves: readonly ProjectCurve[]): void {
  for (const { project, name, prior, property, from, to, parts, features } of curves) {
    out.line(out.styled('bold', `${printable(project)}: ${name}`));
    if (property === null || to === null) {
      out.line('  No final day of clicks is stored: rankledger backfill clicks');
      continue;
    }
    const lines = parts.map(({ brand, device, impressions, ranks }): readonly [string, string] => [
      `${brand ? 'with' : 'without'} the brand, ${device ?? 'all devices'}`,
      `${amount(impressions)} impressions${ranks.length === 0 ? ': too few for a curve' : ''}`,
    ]);
    for (const line of factLines([['days', `${from} to ${to}, ${printable(property)}`], ...lines])) out.line(line);
    const [main] = parts;
    for (const line of tableLines(curveColumns(prior), main?.ranks.slice(0, ranksShown) ?? [])) out.line(line);
    printFeatures(out, features);
  }
}

type FeatureCurve = ProjectCurve['features'][number];

/** How clicks go with SERP features, and the curves of those that have one. */
function printFeatures(out: Printer, features: readonly FeatureCurve[]): void {
  const shown = features.filter(({ present }) => present.impressions > 0);
  if (shown.length === 0) return;
  out.line('  Clicks with a SERP feature, against pages without it at equal positions:');
  for (const line of tableLines(featureColumns, shown)) out.line(line);
  for (const { name, ranks } of shown.filter((one) => movesClicks(one))) {
    out.line(`  ${name}`);
    for (const line of tableLines(rankColumns, ranks.slice(0, featureRanksShown))) out.line(line);
  }
}

const featureRanksShown = 10;

/** More than chance: the interval of the ratio does not hold 1. */
function movesClicks({ ratio }: FeatureCurve): boolean {
  return ratio !== null && (ratio.high < 1 || ratio.low > 1);
}

function ratioText({ ratio }: FeatureCurve): string {
  if (ratio === null) return 'too little data';
  const whole = (value: number): string => `${Math.round(100 * value)} %`;
  return `${whole(ratio.value)} (${whole(ratio.low)} to ${whole(ratio.high)})`;
}

const featureColumns: readonly Column<FeatureCurve>[] = [
  { title: 'feature', value: ({ feature }) => feature },
  { title: 'queries', align: 'right', value: ({ present }) => amount(present.queries) },
  { title: 'impressions', align: 'right', value: ({ present }) => amount(present.impressions) },
  { title: 'without it', align: 'right', value: ({ absent }) => amount(absent.impressions) },
  { title: 'clicks (95 % interval)', value: ratioText },
];

/** The effects of each project, and its largest changes. */
export function printChanges(out: Printer, projects: readonly ProjectChanges[]): void {
  for (const { project, property, curve, period, previous, total, hiddenChange, rows } of projects) {
    out.line(out.styled('bold', `${printable(project)}: ${printable(property)}`));
    const days = ({ from, to, stored }: typeof period) => `${from} to ${to}, ${counted(stored, 'final day')} stored`;
    const facts: (readonly [string, string])[] = [
      ['days', days(period)],
      ['compared', days(previous)],
      ['clicks', `${amount(total.clicks)}, before ${amount(total.previousClicks)}: ${signedAmount(total.change)}`],
      ['demand', `${signedAmount(total.demand)}, of these ${signedAmount(total.newOrLost)} of new and lost queries`],
      ['rank', `${signedAmount(total.rank)}, along ${curve}`],
      ['rate', `${signedAmount(total.rate)}: snippets, features, other sites`],
      [
        'hidden',
        `${signedAmount(hiddenChange)} clicks of queries that are hidden or have unknown impressions, in no row`,
      ],
    ];
    for (const line of factLines(facts)) out.line(line);
    if (period.stored !== previous.stored)
      out.line('  The periods have different numbers of days: changes are partly those of the missing days.');
    for (const line of tableLines(changeColumns, rows.slice(0, rowsShown))) out.line(line);
  }
}

const rowsShown = 20;

type UntrackedQuery = ProjectSuggestions['untracked'][number];
type SilentKeyword = ProjectSuggestions['withoutImpressions'][number];

const changeColumns: readonly Column<ClickChange>[] = [
  { title: 'name', widthMax: 50, value: ({ name }) => name },
  { title: 'clicks', align: 'right', value: ({ clicks }) => amount(clicks) },
  ...(['change', 'demand', 'rank', 'rate'] as const).map(
    (title): Column<ClickEffects> => ({ title, align: 'right', value: (row) => signedAmount(row[title]) }),
  ),
];

/** The first of both lists; --json has all. */
export function printSuggestions(out: Printer, projects: readonly ProjectSuggestions[]): void {
  for (const { project, from, to, untracked, withoutImpressions: silent } of projects) {
    out.line(out.styled('bold', printable(project)));
    const queries = counted(untracked.length, 'query', 'queries');
    out.line(
      `  ${queries} with impressions from ${from} to ${to} that ${untracked.length === 1 ? 'is' : 'are'} not tracked`,
    );
    for (const line of tableLines(untrackedColumns, untracked.slice(0, rowsShown))) out.line(line);
    out.line(`  ${counted(silent.length, 'tracked keyword')} without reported impressions (rare queries are hidden)`);
    for (const line of tableLines(silentColumns, silent.slice(0, rowsShown))) out.line(line);
  }
}

const credits = {
  title: 'credits a month',
  align: 'right',
  value: ({ creditsPerMonth }: SilentKeyword | UntrackedQuery) => amount(creditsPerMonth),
} as const;

function marketsOf({ country, language, devices }: SilentKeyword | UntrackedQuery): string {
  return `${country} ${language} ${devices.join(', ')}`;
}

const untrackedColumns: readonly Column<UntrackedQuery>[] = [
  { title: 'query', widthMax: 50, value: ({ query }) => query },
  { title: 'market', value: marketsOf },
  {
    title: 'impressions',
    align: 'right',
    value: ({ impressions }) => (impressions === null ? '' : amount(impressions)),
  },
  { title: 'clicks', align: 'right', value: ({ clicks }) => amount(clicks) },
  { title: 'position', align: 'right', value: ({ averagePosition }) => averagePosition?.toFixed(1) ?? '' },
  { title: 'brand', value: ({ brand }) => (brand ? 'yes' : '') },
  credits,
];

const silentColumns: readonly Column<SilentKeyword>[] = [
  { title: 'keyword', widthMax: 50, value: ({ keyword }) => keyword },
  { title: 'market', value: marketsOf },
  credits,
];

const rankColumns: readonly Column<FittedRank>[] = [
  { title: 'rank', align: 'right', value: ({ rank }) => `${rank}` },
  { title: 'impressions', align: 'right', value: ({ impressions }) => amount(Math.round(impressions)) },
  { title: 'clicks', align: 'right', value: ({ clicks }) => amount(Math.round(clicks)) },
  { title: 'rate', align: 'right', value: ({ rate }) => percent(rate) },
  { title: '95 % interval', value: ({ low, high }) => `${percent(low)} to ${percent(high)}` },
];

function curveColumns(prior: string): Column<FittedRank>[] {
  return [...rankColumns, { title: prior, align: 'right', value: ({ rank }) => percent(ctr(prior, rank)) }];
}

function percent(rate: number): string {
  return `${(100 * rate).toFixed(2)} %`;
}
