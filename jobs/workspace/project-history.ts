// The keyword tables and rank trails of one project, kept in memory until its history changes.
import {
  type Comparison,
  comparisonHint,
  comparisonName,
  isDate,
  parseComparison,
} from '../../src/tracker/changes/baseline.ts';
import type { Project } from '../../src/tracker/project.ts';
import { InvalidQuery, type KeywordQuery, NotFound } from '../../src/workspace/contract.ts';
import { filterRows } from '../../src/workspace/keyword-filter.ts';
import type { Summary } from '../../src/workspace/records.ts';
import type { SeriesColumns } from '../../src/workspace/sums/series.ts';
import { summarize } from '../../src/workspace/sums/summaries.ts';
import type { JobContext } from '../context.ts';
import type { SerpScope } from '../report/rows/report-scope.ts';
import { ProjectSearches } from './columns/project-searches.ts';
import { RankTrails } from './columns/rank-trails.ts';
import { RunRanks } from './columns/run-ranks.ts';
import { type KeywordTable, readKeywordTable } from './keyword-rows.ts';

import type { HistorySettings } from './settings.ts';
import type { TableRow } from './table-row.ts';

/** Tables of this many dates and comparisons stay in memory: one of 100,000 rows takes some 100 MB. */
const tablesMax = 4;

type TableQuery = Pick<KeywordQuery, 'date' | 'compare'>;

export class ProjectHistory {
  readonly project: Project;
  readonly #context: JobContext;
  readonly #settings: HistorySettings;
  readonly #tables = new Map<string, KeywordTable>();
  #trails: RankTrails | undefined;

  constructor(context: JobContext, settings: HistorySettings, project: Project) {
    this.project = project;
    this.#context = context;
    this.#settings = settings;
  }

  /** Throws InvalidQuery. */
  table({ date, compare }: TableQuery): KeywordTable {
    if (date !== undefined && !isDate(date)) throw new InvalidQuery(`date: "${date}" is not a date such as 2026-11-20`);
    const comparison = this.#comparison(compare);
    const key = `${date ?? ''}\n${comparisonName(comparison)}`;
    const { ctrCurve, toleranceMs, notes } = this.#settings;
    const table =
      this.#tables.get(key) ??
      readKeywordTable(this.#context, this.trails.ranks, {
        project: this.project,
        date,
        comparison,
        notes,
        ctrCurve,
        toleranceMs,
      });
    this.#tables.delete(key);
    this.#tables.set(key, table);
    for (const oldest of this.#tables.keys()) {
      if (this.#tables.size <= tablesMax) break;
      this.#tables.delete(oldest);
    }
    return table;
  }

  /** The rows of a filter, in the order of the config. Throws InvalidQuery. */
  rows(query: TableQuery & Pick<KeywordQuery, 'filter'>): readonly TableRow[] {
    const { rows } = this.table(query);
    if (Object.keys(query.filter).length === 0) return rows;
    const all = rows.map(({ row }) => row);
    const shown = new Set(filterRows(all, query.filter));
    return rows.filter(({ row }) => shown.has(row));
  }

  /** The run of a table, with its stored pages. Null: nothing was checked. Throws InvalidQuery. */
  serpScope(query: TableQuery): SerpScope | null {
    const { source } = this.table(query);
    const { toleranceMs, notes } = this.#settings;
    const comparison = this.#comparison(query.compare);
    const settings = { comparison, notes, ...(toleranceMs === undefined ? {} : { toleranceMs }) };
    return source === null ? null : { context: this.#context, settings, project: this.project, ...source };
  }

  /** A row as it stood on the date of the query. Throws NotFound and InvalidQuery. */
  row(id: string, query: TableQuery = {}): TableRow {
    const found = this.table(query).byId().get(id);
    if (found === undefined) throw new NotFound(`no keyword "${id}" in ${this.project.id}`);
    return found;
  }

  /** Sums of rows of the table of this query. */
  summarize(rows: Iterable<TableRow>, query: TableQuery): Summary {
    const { date } = this.table(query);
    const compare = comparisonName(this.#comparison(query.compare));
    const summed = Iterator.from(rows).map((entry) => entry.summed);
    return summarize(summed, { ctrCurve: this.#settings.ctrCurve, date, compare });
  }

  /** The ranks of these rows on all dates. Rows that were never checked have no codes. */
  *columnsOf(rows: Iterable<TableRow>): Generator<SeriesColumns> {
    for (const [own, group] of Map.groupBy(rows, (row) => row.own)) {
      const indices = Int32Array.from(group, ({ searchIndex }) => searchIndex);
      const volumes = group.map(({ row }) => row.searchVolume);
      yield { indices, volumes, column: (date) => this.trails.of(own).column(date) };
    }
  }

  get trails(): RankTrails {
    this.#trails ??= this.#readTrails();
    return this.#trails;
  }

  #readTrails(): RankTrails {
    const ranks = new RunRanks(this.#context, new ProjectSearches(this.#context, this.project));
    return new RankTrails(this.#context, this.project, this.#context.clock.now(), ranks);
  }

  #comparison(written: string | undefined): Comparison {
    if (written === undefined || written === '') return this.#settings.comparison;
    const comparison = parseComparison(written);
    if (comparison === null) throw new InvalidQuery(`compare: "${written}" is not ${comparisonHint}`);
    return comparison;
  }
}
