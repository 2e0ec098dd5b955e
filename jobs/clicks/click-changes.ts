// Clicks gained or lost between two periods of a project, split into demand, rank and rate.
import { addDays, isDate } from '../../src/tracker/changes/baseline.ts';
import { clickChanges, type Named, sumEffects } from '../../src/tracker/clicks/attribution.ts';
import type { ClickGroup } from '../../src/tracker/clicks/matching.ts';
import { rateAt } from '../../src/tracker/clicks/measured-curve.ts';
import { namesBrand } from '../../src/tracker/intent/intent.ts';
import type { Project } from '../../src/tracker/project.ts';
import { localDate } from '../../src/tracker/schedule/local-time.ts';
import { deriveBrandTerms } from '../../src/tracker/targets/brand.ts';
import type { ClickChanges, ClickChangesQuery } from '../../src/workspace/click-records.ts';
import { InvalidQuery } from '../../src/workspace/contract.ts';
import type { JobContext } from '../context.ts';
import { fitSiteCurve, ratesOf } from './site-curve.ts';

/** Two periods of these days fit into the 16 months of Search Console. */
const daysMax = 240;

/** The parts of a key: with pages only where they are asked for, so that another page of the site is no new query. */
const partsOf = {
  query: ({ query, country, device }: ClickGroup) => [query, country, device],
  country: ({ country, query, device }: ClickGroup) => [country, query, device],
  device: ({ device, query, country }: ClickGroup) => [device, query, country],
  page: ({ page, query, country, device }: ClickGroup) => [page, query, country, device],
} as const;

/** Throws InvalidQuery where the project has no final days, or a value is wrong. */
export function readClickChanges(
  { store, clock }: Pick<JobContext, 'store' | 'clock'>,
  project: Project,
  { by, to: asked, days }: Omit<ClickChangesQuery, 'project'>,
): ClickChanges {
  if (asked !== undefined && !isDate(asked)) throw new InvalidQuery(`to: "${asked}" is not a date such as 2026-11-20`);
  if (!Number.isInteger(days) || days < 1 || days > daysMax)
    throw new InvalidQuery(`days: "${days}" is not a number from 1 to ${daysMax}`);
  const { clicks } = store;
  const property = clicks.property(project.id);
  const until = asked ?? localDate(clock.now(), project.timezone);
  const to = property === null ? null : clicks.newestFinal(project.id, property, until);
  if (property === null || to === null)
    throw new InvalidQuery(
      `no final day of clicks of ${project.id} is stored; rankledger backfill clicks fetches them`,
    );
  const curve = fitSiteCurve(store, project, to);
  const rates = ratesOf(curve);
  const brandTerms = deriveBrandTerms(project);
  const named = ({ clicks, impressions, averagePosition, ...group }: ClickGroup): Named => {
    const key = partsOf[by](group as ClickGroup).join('\n'); // partsOf reads texts only
    return { key, hasBrand: namesBrand(group.query, brandTerms), clicks, impressions, averagePosition };
  };
  const read = (end: string) => {
    const from = addDays(end, 1 - days);
    const final = clicks.days(project.id, property, from, end).filter(({ isFinal }) => isFinal);
    return {
      period: { from, to: end, stored: final.length },
      siteClicks: final.reduce((sum, day) => sum + day.clicks, 0),
      groups: clicks.groups(project.id, property, from, end).map(named),
    };
  };
  const [before, after] = [read(addDays(to, -days)), read(to)];
  const rows = clickChanges(
    before.groups,
    after.groups,
    (position, hasBrand) => rateAt((rank) => rates(rank, hasBrand), position),
    (key) => key.split('\n')[0] ?? '',
  );
  const total = sumEffects(rows);
  return {
    property,
    curve: curve.name,
    period: after.period,
    previous: before.period,
    total,
    hiddenChange: after.siteClicks - before.siteClicks - total.change,
    rows,
  };
}
