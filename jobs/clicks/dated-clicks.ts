// The clicks of tracked keywords by day, for tables with a line per day. Final days only.

import type { Clicks } from '../../db/history/clicks.ts';
import type { Row } from '../../src/read/row.ts';
import { keywordKey } from '../../src/service/terms.ts';
import {
  addClicks,
  type ClickNumbers,
  clicksOn,
  groupKey,
  matchKey,
  noClicks,
} from '../../src/tracker/clicks/clicks.ts';
import { getOrInsert } from '../../src/tracker/maps.ts';
import type { Project } from '../../src/tracker/project.ts';
import { type CompiledTargets, compileTargets, targetKey } from '../../src/tracker/targets/target.ts';

/** By date; a date without numbers is missing: nothing is reported. */
export type ClicksByDate = ReadonlyMap<string, ClickNumbers>;

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
  static within(clicks: Clicks, project: Pick<Project, 'id' | 'engine'>, from: string, to: string): DatedClicks | null {
    const property = clicks.property(project);
    return property === null ? null : new DatedClicks(clicks, project.id, property, from, to);
  }

  /** On pages of their targets, in the order of the rows. Read together. */
  of(rows: readonly Pick<Row, 'keyword' | 'market' | 'own'>[]): readonly ClicksByDate[] {
    const normals = rows.map(({ keyword }) => keywordKey(keyword));
    const asked = [...new Set(normals)];
    const days = this.#clicks
      .queriesByDay(this.#project, this.#property, asked, this.#from, this.#to)
      .filter(({ isFinal }) => isFinal);
    const byKey = Map.groupBy(days, (query) => groupKey(keywordKey(query.query), query));
    const compiled = new Map<string, CompiledTargets>();
    return rows.map(({ market, own: target }, index) => {
      const pages = getOrInsert(compiled, targetKey(target), () => compileTargets([target]));
      const found = new Map<string, ClickNumbers>();
      for (const query of byKey.get(matchKey(normals[index] ?? '', market)) ?? []) {
        const own = query.pages.filter(({ page }) => pages.matchingIndexes(page).length > 0);
        const { date } = query;
        if (own.length > 0) found.set(date, addClicks(found.get(date) ?? noClicks, clicksOn(query, own)));
      }
      return found;
    });
  }
}
