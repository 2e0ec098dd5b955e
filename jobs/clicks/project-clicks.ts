// The clicks of a project over the newest weeks, for the tracked rows and pages that they belong to.
import type { Clicks } from '../../db/history/clicks.ts';
import { keywordKey } from '../../src/service/index.ts';
import { addDays } from '../../src/tracker/changes/baseline.ts';
import {
  addClicks,
  type ClickFacts,
  type ClickGroup,
  type ClickMarket,
  type ClickNumbers,
  type DayClicks,
  groupKey,
  matchKey,
  noClicks,
} from '../../src/tracker/clicks/matching.ts';
import type { Target } from '../../src/tracker/project.ts';
import { type CompiledTargets, compileTargets, pageKey, targetKey } from '../../src/tracker/targets/target.ts';

/** Four whole weeks: each day of the week counts equally. */
const clickDays = 28;

/** Reads when it is first asked. */
export class ProjectClicks {
  readonly #clicks: Clicks;
  readonly #project: string;
  readonly #property: string;
  readonly #period: { readonly from: string; readonly to: string };
  #groups: readonly ClickGroup[] | undefined;
  #byTarget = new Map<string, ReadonlyMap<string, ClickNumbers>>();
  #byPage: ReadonlyMap<string, ClickNumbers> | undefined;

  private constructor(clicks: Clicks, project: string, property: string, to: string) {
    this.#clicks = clicks;
    this.#project = project;
    this.#property = property;
    this.#period = { from: addDays(to, 1 - clickDays), to };
  }

  /** The weeks up to the newest final day on or before the date. Null: none is stored. */
  static until(clicks: Clicks, project: string, date: string): ProjectClicks | null {
    const property = clicks.property(project);
    const to = property === null ? null : clicks.newestFinal(project, property, date);
    return property === null || to === null ? null : new ProjectClicks(clicks, project, property, to);
  }

  facts(): ClickFacts {
    const { from, to } = this.#period;
    const days = this.#clicks.days(this.#project, this.#property, from, '9999');
    const counted = days.filter(({ date, isFinal }) => isFinal && date <= to);
    const sum = (values: readonly { clicks: number; impressions: number }[], name: 'clicks' | 'impressions'): number =>
      values.reduce((total, value) => total + value[name], 0);
    const [clicks, impressions] = [sum(counted, 'clicks'), sum(counted, 'impressions')];
    const groups = this.groups();
    return {
      property: this.#property,
      from,
      to,
      days: counted.length,
      freshDays: days.filter(({ isFinal }) => !isFinal).length,
      clicks,
      impressions,
      hiddenClicks: Math.max(0, clicks - sum(groups, 'clicks')),
      hiddenImpressions: Math.max(0, impressions - sum(groups, 'impressions')),
    };
  }

  groups(): readonly ClickGroup[] {
    this.#groups ??= this.#clicks.groups(this.#project, this.#property, this.#period.from, this.#period.to);
    return this.#groups;
  }

  /** Of pages of the target. Null: no impression is reported, or its query is hidden. */
  of(keyword: string, market: ClickMarket, target: Target): ClickNumbers | null {
    return this.#ofTarget(target).get(matchKey(keywordKey(keyword), market)) ?? null;
  }

  /** Of all shown queries, countries and devices. Null: none is reported. */
  ofPage(url: string): ClickNumbers | null {
    this.#byPage ??= sumBy(this.groups(), ({ page }) => pageKey(page));
    const key = pageKey(url);
    return key === null ? null : (this.#byPage.get(key) ?? null);
  }

  /** The numbers of a row by day, fresh days included, oldest first. */
  byDay(
    keyword: string,
    market: ClickMarket,
    target: Target,
    { from = '', to = '9999' }: { readonly from?: string; readonly to?: string },
  ): DayClicks[] {
    const normal = keywordKey(keyword);
    const key = matchKey(normal, market);
    const pages = compileTargets([target]);
    const rows = this.#clicks
      .ofQueries(this.#project, this.#property, [normal], from, to)
      .filter((row) => groupKey(normal, row) === key && isPageOf(pages, row.page));
    const days = Map.groupBy(rows, ({ date }) => date);
    return [...days].map(([date, ofDay]) => ({
      date,
      isFinal: ofDay.every(({ isFinal }) => isFinal),
      ...ofDay.map(numbersOf).reduce(addClicks, noClicks),
    }));
  }

  #ofTarget(target: Target): ReadonlyMap<string, ClickNumbers> {
    const name = targetKey(target);
    const known = this.#byTarget.get(name);
    if (known !== undefined) return known;
    const pages = compileTargets([target]);
    const own = this.groups().filter(({ page }) => isPageOf(pages, page));
    const sums = sumBy(own, (group) => groupKey(keywordKey(group.query), group));
    this.#byTarget.set(name, sums);
    return sums;
  }
}

function isPageOf(pages: CompiledTargets, page: string): boolean {
  return pages.matchingIndexes(page).length > 0;
}

function numbersOf({ clicks, impressions, averagePosition }: ClickNumbers): ClickNumbers {
  return { clicks, impressions, averagePosition };
}

function sumBy(
  groups: readonly ClickGroup[],
  keyOf: (group: ClickGroup) => string | null,
): ReadonlyMap<string, ClickNumbers> {
  const sums = new Map<string, ClickNumbers>();
  for (const group of groups) {
    const key = keyOf(group);
    if (key !== null) sums.set(key, addClicks(sums.get(key) ?? noClicks, group));
  }
  return sums;
}
