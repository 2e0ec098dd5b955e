// Backfills in words: what one would buy, and what was derived.
import type { DeriveReport } from '../../../../jobs/backfill/backfill-derive.ts';
import type { FetchedClicks } from '../../../../jobs/backfill/fetch-clicks.ts';
import type { RanksBackfillPlan } from '../../../app/backfill/ranks.ts';
import type { VolumesBackfillPlan } from '../../../app/backfill/volumes.ts';
import type { ImportedClicks } from '../../../app/import/import-clicks.ts';
import type { Printer } from '../../terminal/printer.ts';
import { amount, counted, dollars } from '../numbers.ts';
import { type Column, factLines, printable, tableLines } from '../table.ts';
import { printBudget, printDeferred } from './run-text.ts';

const gapColumns: readonly Column<RanksBackfillPlan['projects'][number]>[] = [
  { title: 'project', value: ({ project }) => project },
  { title: 'missing', align: 'right', value: ({ missing }) => amount(missing) },
  { title: 'failed', align: 'right', value: ({ failed }) => amount(failed) },
];

const linesShown = 20;

export function printRanksPlan(out: Printer, plan: RanksBackfillPlan): void {
  out.line(out.styled('bold', 'Searches that the latest slot is missing'));
  for (const line of tableLines(gapColumns, plan.projects)) out.line(line);
  out.line();
  out.line(out.styled('bold', 'What it would buy'));
  const facts: (readonly [string, string])[] = [
    ['searches', amount(plan.searches)],
    ['pages', `${amount(plan.pagesExpected)} expected, ${amount(plan.pagesWorstCase)} at worst`],
    ['SERP credits', `${amount(plan.creditsExpected)} expected, ${amount(plan.creditsWorstCase)} at worst`],
  ];
  if (plan.pagesFresh > 0) facts.push(['fresh pages', `${amount(plan.pagesFresh)} reused at no cost`]);
  for (const line of factLines(facts)) out.line(line);
  out.line();
  out.line(out.styled('bold', 'Budget'));
  printBudget(out, plan.budget);
  printDeferred(out, plan.deferred);
}

const marketColumns: readonly Column<VolumesBackfillPlan['markets'][number]>[] = [
  { title: 'service', value: ({ service }) => service },
  { title: 'country', value: ({ country }) => country },
  { title: 'language', value: ({ language }) => language },
  { title: 'month', value: ({ month }) => month },
  { title: 'keywords', align: 'right', value: ({ keywords }) => amount(keywords) },
];

export function printVolumesPlan(out: Printer, plan: VolumesBackfillPlan): void {
  out.line(out.styled('bold', 'Keywords to request'));
  for (const line of tableLines(marketColumns, plan.markets)) out.line(line);
  const cost = `${counted(plan.keywordRequests, 'request')} and ${dollars(plan.microUsdWorstCase)}`;
  out.line(`At most ${cost}; one answer may cover several keywords.`);
  out.line();
  out.line(out.styled('bold', 'Budget'));
  printBudget(out, plan.budget);
}

export function printDerived(out: Printer, report: DeriveReport, isDryRun: boolean): void {
  const { ranked, notFound, notFollowed, seen } = report.added;
  const total = ranked + notFound + notFollowed + seen;
  const parts = [`${amount(ranked)} ranked`, `${amount(notFound)} not found`];
  if (notFollowed > 0) parts.push(`${amount(notFollowed)} not read to the depth`);
  if (seen > 0) parts.push(`${amount(seen)} seen without an exact rank`);
  const facts: (readonly [string, string])[] = [
    ['checks', `${amount(report.checks)} examined, ${amount(report.known)} of them known already`],
    [isDryRun ? 'would add' : 'added', `${counted(total, 'ranking')}${total === 0 ? '' : `: ${parts.join(', ')}`}`],
  ];
  if (report.unproven > 0) {
    facts.push(['left open', `${counted(report.unproven, 'ranking')} not proven by the stored pages`]);
  }
  for (const [reason, checks] of Object.entries(report.skipped)) {
    if (checks > 0) facts.push(['skipped', `${counted(checks, 'check')}: ${reason}`]);
  }
  for (const line of factLines(facts)) out.line(line);
}

export function printImportedClicks(out: Printer, imported: ImportedClicks): void {
  const { project, from, to, queries, clicks, impressions, rejected } = imported;
  out.line(`Imported ${counted(queries, 'query', 'queries')} of ${from} to ${to} into ${printable(project)}`);
  out.line(`  ${counted(clicks, 'click')}, ${counted(impressions, 'impression')}`);
  if (rejected.length > 0) out.line(`  Lines that cannot be read: ${rejected.slice(0, linesShown).join(', ')}`);
}

export function printClicks(out: Printer, projects: readonly FetchedClicks[]): void {
  for (const fetched of projects) {
    const { project, property, from, to, days, fresh, known, clicks, impressions } = fetched;
    out.line(out.styled('bold', `${printable(project)}: ${printable(property)}, ${from} to ${to}`));
    const state = fresh === 0 ? '' : `, ${amount(fresh)} of them not final: fetched again next time`;
    const facts: (readonly [string, string])[] = [['days', `${amount(days)} fetched${state}, ${amount(known)} known`]];
    if (days > 0) {
      const hidden = `${amount(fetched.hiddenClicks)} and ${amount(fetched.hiddenImpressions)} of hidden queries`;
      facts.push(['rows', amount(fetched.rows)]);
      facts.push(['counted', `${counted(clicks, 'click')}, ${counted(impressions, 'impression')}; ${hidden}`]);
    }
    for (const line of factLines(facts)) out.line(line);
  }
}
