// The clicks of tracked keywords by day, for tables with a line per day. Final days only.
import type { Clicks } from '../../db/history/clicks.ts';
import { keywordKey } from '../../src/service/index.ts';
import { addClicks, type ClickNumbers, groupKey, matchKey, noClicks } from '../../src/tracker/clicks/matching.ts';
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
    const rows = this.#clicks.ofQueries(this.#project, this.#property, normals, this.#from, this.#to);
    for (const { isFinal, date, page, ...row } of rows) {
      const key = groupKey(keywordKey(row.query), row);
      if (!isFinal || key === null || pages.matchingIndexes(page).length === 0) continue;
      const days = found.get(key) ?? new Map<string, ClickNumbers>();
      found.set(key, days.set(date, addClicks(days.get(date) ?? noClicks, row)));
    }
    return normals.map((normal) => found.get(matchKey(normal, market)) ?? none);
  }
}
