// The clicks of tracked keywords by day, for tables with a line per day. Final days only.
import type { Clicks } from '../../db/history/clicks.ts';
import { keywordKey } from '../../src/service/terms.ts';
import {
  addClicks,
  type ClickNumbers,
  clicksOn,
  groupKey,
  matchKey,
  noClicks,
} from '../../src/tracker/clicks/clicks.ts';
import type { Market, Target } from '../../src/tracker/project.ts';
import { compileTargets } from '../../src/tracker/targets/target.ts';

/** By date; a date without numbers is missing: nothing is reported. */
export type ClicksByDate = ReadonlyMap<string, ClickNumbers>;

const none: ClicksByDate = new Map();

export class DatedClicks {
  readonly #clicks: Clicks;
  readonly #project: string;
  readonly #property: string;
  readonly #from: string;
  readonly #to: string;

  private constructor(clicks: Clicks, project: string, property: string, from: string, to: string) {
    this.#clicks = clicks;
    this.#project = project;
    this.#property = property;
    this.#from = from;
    this.#to = to;
  }

  /** Local dates, both inclusive. Null: the project has no clicks. */
  static within(clicks: Clicks, project: string, from: string, to: string): DatedClicks | null {
    const property = clicks.property(project);
    return property === null ? null : new DatedClicks(clicks, project, property, from, to);
  }

  /** On pages of a target: by keyword, in their order. */
  of(market: Market, target: Target, keywords: readonly string[]): readonly ClicksByDate[] {
    const normals = keywords.map((keyword) => keywordKey(keyword));
    const pages = compileTargets([target]);
    const found = new Map<string, Map<string, ClickNumbers>>();
    const queries = this.#clicks.queriesByDay(this.#project, this.#property, normals, this.#from, this.#to);
    for (const query of queries) {
      const { date, isFinal } = query;
      const own = query.pages.filter(({ page }) => pages.matchingIndexes(page).length > 0);
      const key = groupKey(keywordKey(query.query), query);
      if (!isFinal || key === null || own.length === 0) continue;
      const days = found.get(key) ?? new Map<string, ClickNumbers>();
      found.set(key, days.set(date, addClicks(days.get(date) ?? noClicks, clicksOn(query, own))));
    }
    return normals.map((normal) => found.get(matchKey(normal, market)) ?? none);
  }
}
