// What measured clicks say of a search since it was last checked, for the adaptive plan. Free.
import type { Store } from '../../db/store.ts';
import { keywordKey } from '../../src/service/terms.ts';
import {
  addClicks,
  type ClickMarket,
  type ClickNumbers,
  clicksOn,
  groupKey,
  matchKey,
  noClicks,
} from '../../src/tracker/clicks/clicks.ts';
import type { Project } from '../../src/tracker/project.ts';
import { addDays, localDate } from '../../src/tracker/schedule/local-time.ts';
import { sensedFactor } from '../../src/tracker/signal/check-value.ts';
import { compileTargets } from '../../src/tracker/targets/target.ts';

/** Final days that are compared with those before. */
const newDays = 3;
const daysBefore = 14;

/** The factor on the change rate of a search that was last checked at this moment; null: never. */
export type ClickSensor = (
  search: { readonly keyword: string; readonly market: ClickMarket },
  checkedAt: number | null,
) => number;

/** Days that a check has seen already say nothing new. */
export function clickSensor({ clicks }: Pick<Store, 'clicks'>, project: Project, moment: number): ClickSensor {
  const today = localDate(moment, project.timezone);
  const property = clicks.property(project);
  const to = property === null ? null : clicks.newestFinal(project.id, property, today);
  if (property === null || to === null) return () => 1;
  const pages = compileTargets(project.targets);
  const read = (from: string, until: string) => {
    const days = clicks.days(project.id, property, from, until).filter(({ isFinal }) => isFinal).length;
    const sums = new Map<string, ClickNumbers>();
    for (const query of clicks.queries(project.id, property, from, until)) {
      const own = query.pages.filter(({ page }) => pages.matchingIndexes(page).length > 0);
      const key = own.length === 0 ? null : groupKey(keywordKey(query.query), query);
      if (key !== null) sums.set(key, addClicks(sums.get(key) ?? noClicks, clicksOn(query, own)));
    }
    return (key: string) => ({ days, ...(sums.get(key) ?? noClicks) });
  };
  const from = addDays(to, 1 - newDays);
  const [before, now] = [read(addDays(from, -daysBefore), addDays(from, -1)), read(from, to)];
  return ({ keyword, market }, checkedAt) => {
    if (checkedAt === null || localDate(checkedAt, project.timezone) >= to) return 1;
    const key = matchKey(keywordKey(keyword), market);
    return sensedFactor(before(key), now(key));
  };
}
