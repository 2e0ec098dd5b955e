// The clicks of a project over the newest weeks, for the tracked rows and pages that they belong to.

import type { Clicks } from '../../db/history/clicks.ts';
import { keywordKey } from '../../src/service/terms.ts';
import {
  addClicks,
  type ClickFacts,
  type ClickGroup,
  type ClickMarket,
  type ClickNumbers,
  clicksOn,
  type DayClicks,
  groupKey,
  matchKey,
  noClicks,
  type QueryClicks,
} from '../../src/tracker/clicks/clicks.ts';
import { faultsIn, withFaults } from '../../src/tracker/clicks/known-faults.ts';
import { sumOf } from '../../src/tracker/figures.ts';
import type { Project, Target } from '../../src/tracker/project.ts';
import { addDays } from '../../src/tracker/schedule/local-time.ts';
import {
  type CompiledTargets,
  compileTargets,
  pageIdentity,
  pageKey,
  targetKey,
} from '../../src/tracker/targets/target.ts';

/** Four whole weeks: each day of the week counts equally. */
const clickDays = 28;

/** Reads when it is first asked. */
export class ProjectClicks {
  readonly #clicks: Clicks;
  readonly #project: string;
  readonly #property: string;
  readonly #period: { readonly from: string; readonly to: string };
  #queries: readonly QueryClicks[] | undefined;
  #byTarget = new Map<string, ReadonlyMap<string, ClickNumbers>>();
  #byPage: ReadonlyMap<string, ClickNumbers> | undefined;

  private constructor(clicks: Clicks, project: string, property: string, to: string) {
    this.#clicks = clicks;
    this.#project = project;
    this.#property = property;
    this.#period = { from: addDays(to, 1 - clickDays), to };
  }

  /** The weeks up to the newest final day on or before the date. Null: none is stored. */
  static until(clicks: Clicks, project: Pick<Project, 'id' | 'engine'>, date: string): ProjectClicks | null {
    const property = clicks.property(project);
    const to = property === null ? null : clicks.newestFinal(project.id, property, date);
    return property === null || to === null ? null : new ProjectClicks(clicks, project.id, property, to);
  }

  facts(): ClickFacts {
    const { from, to } = this.#period;
    const days = this.#clicks.days(this.#project, this.#property, from, '9999');
    const counted = days.filter(({ date, isFinal }) => isFinal && date <= to);
    const sum = (values: readonly Omit<ClickNumbers, 'averagePosition'>[]): ClickNumbers =>
      values.reduce<ClickNumbers>(
        (total, { clicks, impressions }) => addClicks(total, { clicks, impressions, averagePosition: null }),
        noClicks,
      );
    const { clicks, impressions } = sum(counted);
    const shown = sum(this.queries());
    const isKnown = impressions !== null && shown.impressions !== null;
    const alone = this.#clicks.dimensionSums(this.#project, this.#property, from, to);
    return {
      property: this.#property,
      from,
      to,
      days: counted.length,
      freshDays: days.filter(({ isFinal }) => !isFinal).length,
      clicks,
      impressions,
      hiddenClicks: Math.max(0, clicks - shown.clicks),
      hiddenImpressions: isKnown ? Math.max(0, impressions - shown.impressions) : null,
      pagesFrom: alone === null ? ('shown-queries' as const) : ('pages' as const),
      ...(alone !== null && { alone }),
      ...withFaults(from, to),
    };
  }

  queries(): readonly QueryClicks[] {
    this.#queries ??= this.#clicks.queries(this.#project, this.#property, this.#period.from, this.#period.to);
    return this.#queries;
  }

  /** Of pages of the target. Null: no impression is reported, or its query is hidden. */
  of(keyword: string, market: ClickMarket, target: Target): ClickNumbers | null {
    return this.#ofTarget(target).get(matchKey(keywordKey(keyword), market)) ?? null;
  }

  /** Of all queries, countries and devices; of the shown ones where `pagesFrom` says so. Null: none is reported. */
  ofPage(url: string): ClickNumbers | null {
    this.#byPage ??= this.#pagesAlone() ?? this.#pagesOfQueries();
    const key = pageKey(url);
    return key === null ? null : (this.#byPage.get(key) ?? null);
  }

  /** As the engine counts pages alone. Null: totals of a day are missing. */
  #pagesAlone(): ReadonlyMap<string, ClickNumbers> | null {
    const { from, to } = this.#period;
    const totals = this.#clicks.pageTotals(this.#project, this.#property, from, to);
    if (totals === null) return null;
    const bySpelling = Map.groupBy(totals, ({ name }) => pageIdentity(name));
    return new Map(
      [...bySpelling].map(([key, spellings]): [string, ClickNumbers] => {
        const [first = noClicks] = spellings;
        // a results page may show several spellings
        if (spellings.length > 1) {
          const clicks = sumOf(spellings, (each) => each.clicks);
          return [key, { clicks, impressions: null, averagePosition: null }];
        }
        const { clicks, impressions, averagePosition } = first;
        return [key, { clicks, impressions, averagePosition }];
      }),
    );
  }

  #pagesOfQueries(): ReadonlyMap<string, ClickNumbers> {
    return sumBy(this.queries(), (query) =>
      [...Map.groupBy(query.pages, ({ page }) => pageKey(page))].map(([key, spellings]) => {
        const [only = null] = spellings.length === 1 ? spellings : [];
        return [key, only ?? clicksOn(query, spellings)];
      }),
    );
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
    return this.#clicks
      .queriesByDay(this.#project, this.#property, [normal], from, to)
      .filter((query) => groupKey(normal, query) === key)
      .flatMap((query) => {
        const own = pagesOf(pages, query);
        const { date, isFinal } = query;
        if (own.length === 0) return [];
        const [fault] = faultsIn(date, date);
        const numbers = addClicks(noClicks, clicksOn(query, own));
        return [{ date, isFinal, ...numbers, ...(fault !== undefined && { fault: fault.text }) }];
      });
  }

  #ofTarget(target: Target): ReadonlyMap<string, ClickNumbers> {
    const name = targetKey(target);
    const known = this.#byTarget.get(name);
    if (known !== undefined) return known;
    const pages = compileTargets([target]);
    const sums = sumBy(this.queries(), (query) => {
      const own = pagesOf(pages, query);
      return own.length === 0 ? [] : [[groupKey(keywordKey(query.query), query), clicksOn(query, own)]];
    });
    this.#byTarget.set(name, sums);
    return sums;
  }
}

function pagesOf(targets: CompiledTargets, { pages }: QueryClicks): ClickGroup[] {
  return pages.filter(({ page }) => targets.matchingIndexes(page).length > 0);
}

/** `partsOf`: numbers of a query by the key that they belong to; null: to none. */
function sumBy(
  queries: readonly QueryClicks[],
  partsOf: (query: QueryClicks) => readonly (readonly [key: string | null, numbers: ClickNumbers])[],
): ReadonlyMap<string, ClickNumbers> {
  const sums = new Map<string, ClickNumbers>();
  for (const query of queries)
    for (const [key, numbers] of partsOf(query))
      if (key !== null) sums.set(key, addClicks(sums.get(key) ?? noClicks, numbers));
  return sums;
}
