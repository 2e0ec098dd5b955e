// Clicks gained or lost between two periods of a project, split into demand, rank and rate.

import type { TypeSums } from '../../db/history/clicks.ts';
import { type ClickChangesQuery, InvalidQuery } from '../../src/read/contract.ts';
import {
  type ClickChanges,
  type ClickGroup,
  type ClickTypeChange,
  clickChanges,
  type Named,
  type QueryClicks,
  type QueryGroup,
  sumEffects,
} from '../../src/tracker/clicks/clicks.ts';
import { rateAt } from '../../src/tracker/clicks/curves.ts';
import { withFaults } from '../../src/tracker/clicks/known-faults.ts';
import { sumOf } from '../../src/tracker/figures.ts';
import { namesBrand } from '../../src/tracker/intent/intent.ts';
import type { Project } from '../../src/tracker/project.ts';
import { addDays, isDate, localDate } from '../../src/tracker/schedule/local-time.ts';
import { deriveBrandTerms } from '../../src/tracker/targets/brand.ts';
import type { JobContext } from '../context.ts';
import { fitSiteCurve, ratesOf } from './site-curve.ts';

/** Two periods of these days fit into the 16 months of Search Console. */
const daysMax = 240;

/** The parts of a key. Only `page` has the page: otherwise a query that moves to another page would count as new. */
const partsOf = {
  query: ({ query, country, device }: QueryGroup) => [query, country, device],
  country: ({ country, query, device }: QueryGroup) => [country, query, device],
  device: ({ device, query, country }: QueryGroup) => [device, query, country],
  page: ({ page = '', query, country, device }: QueryGroup & Partial<ClickGroup>) => [page, query, country, device],
} as const;

type Asked = Omit<ClickChangesQuery, 'project' | 'by'>;

/** Throws InvalidQuery where the project has no final days, or a value is wrong. */
export function readClickChanges(
  context: Pick<JobContext, 'store' | 'clock'>,
  project: Project,
  { by, ...asked }: Omit<ClickChangesQuery, 'project'>,
): ClickChanges {
  return clickChangesBy(context, project, asked).of(by);
}

/** Like `readClickChanges`, for several groupings from one reading. */
export function clickChangesBy(
  { store, clock }: Pick<JobContext, 'store' | 'clock'>,
  project: Project,
  { to: asked, days }: Asked,
): { of(by: ClickChangesQuery['by']): ClickChanges } {
  if (asked !== undefined && !isDate(asked)) throw new InvalidQuery(`to: "${asked}" is not a date such as 2026-11-20`);
  if (!Number.isInteger(days) || days < 1 || days > daysMax)
    throw new InvalidQuery(`days: "${days}" is not a number from 1 to ${daysMax}`);
  const { clicks } = store;
  const property = clicks.property(project);
  const until = asked ?? localDate(clock.now(), project.timezone);
  const to = property === null ? null : clicks.newestFinal(project.id, property, until);
  if (property === null || to === null)
    throw new InvalidQuery(
      `no final day of clicks of ${project.id} is stored; rankledger backfill clicks fetches them`,
    );
  const curve = fitSiteCurve(store, project, to);
  const rates = ratesOf(curve);
  const brandTerms = deriveBrandTerms(project);
  const read = (end: string) => {
    const from = addDays(end, 1 - days);
    const final = clicks.days(project.id, property, from, end).filter(({ isFinal }) => isFinal);
    return {
      period: { from, to: end, stored: final.length },
      types: clicks.typeTotals(project.id, property, from, end).filter((of) => of.days === final.length),
      siteClicks: sumOf(final, (day) => day.clicks),
      queries: clicks.queries(project.id, property, from, end).map((query) => ({
        query,
        hasBrand: namesBrand(query.query, brandTerms),
      })),
    };
  };
  const [before, after] = [read(addDays(to, -days)), read(to)];
  const types = typeChanges(before.types, after.types);
  const rateOf = (position: number, hasBrand: boolean): number => rateAt((rank) => rates(rank, hasBrand), position);
  return {
    of(by) {
      const named = ({ query, hasBrand }: ReadQuery): Named[] =>
        (by === 'page' ? query.pages : [query]).map((group) => {
          const { clicks: counted, impressions, averagePosition } = group;
          return { key: partsOf[by](group).join('\n'), hasBrand, clicks: counted, impressions, averagePosition };
        });
      const nameOf = (key: string): string => key.split('\n')[0] ?? '';
      const rows = clickChanges(before.queries.flatMap(named), after.queries.flatMap(named), rateOf, nameOf);
      const total = sumEffects(rows);
      return {
        property,
        curve: curve.name,
        period: after.period,
        previous: before.period,
        total,
        hiddenChange: after.siteClicks - before.siteClicks - total.change,
        ...(types.some(({ type }) => type !== 'web') && { types }),
        ...withFaults(before.period.from, after.period.to),
        rows,
      };
    },
  };
}

function typeChanges(before: readonly TypeSums[], after: readonly TypeSums[]): ClickTypeChange[] {
  return after
    .map(({ days: _, ...sums }) => {
      const {
        clicks: previousClicks = null,
        impressions: previousImpressions = null,
        averagePosition: previousPosition = null,
      } = before.find(({ type }) => type === sums.type) ?? {};
      const change = previousClicks === null ? null : sums.clicks - previousClicks;
      return { ...sums, previousClicks, change, previousImpressions, previousPosition };
    })
    .filter(({ impressions, previousImpressions }) => impressions > 0 || (previousImpressions ?? 0) > 0)
    .sort((a, b) => b.clicks - a.clicks || b.impressions - a.impressions);
}

interface ReadQuery {
  readonly query: QueryClicks;
  readonly hasBrand: boolean;
}
