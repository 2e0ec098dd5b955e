// The keyword tables and rank trails of one project, kept in memory until its history changes.
import {
  type Comparison,
  comparisonHint,
  comparisonName,
  isDate,
  parseComparison,
} from '../../src/tracker/baseline.ts';
import type { Project } from '../../src/tracker/project.ts';
import { InvalidQuery, type KeywordQuery, NotFound } from '../../src/workspace/contract.ts';
import { filterRows } from '../../src/workspace/keyword-filter.ts';
import type { Summary } from '../../src/workspace/records.ts';
import type { JobContext } from '../context.ts';
import type { SerpScope } from '../report/report-scope.ts';
import { type KeywordTable, readKeywordTable, summarize, type TableRow } from './keyword-rows.ts';
import { RankTrails } from './rank-trails.ts';
import type { HistorySettings } from './settings.ts';

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
      readKeywordTable(this.#context, { project: this.project, date, comparison, notes, ctrCurve, toleranceMs });
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
    const { byId, rows } = this.table(query);
    if (Object.keys(query.filter).length === 0) return rows;
    const shown = filterRows(
      rows.map(({ row }) => row),
      query.filter,
    );
    return shown.flatMap(({ id }) => byId.get(id) ?? []);
  }

  /** The run of a table, with its stored pages. Null: nothing was checked. Throws InvalidQuery. */
  serpScope(query: TableQuery): SerpScope | null {
    const { source } = this.table(query);
    const { toleranceMs, notes } = this.#settings;
    const comparison = this.#comparison(query.compare);
    const settings = { comparison, notes, ...(toleranceMs === undefined ? {} : { toleranceMs }) };
    return source === null ? null : { context: this.#context, settings, project: this.project, ...source };
  }

  /** The newest state of a row. Throws NotFound. */
  row(id: string): TableRow {
    const found = this.table({}).byId.get(id);
    if (found === undefined) throw new NotFound(`no keyword "${id}" in ${this.project.id}`);
    return found;
  }

  /** Sums of rows of the table of this query. */
  summarize(rows: Iterable<TableRow>, query: TableQuery): Summary {
    const { date } = this.table(query);
    const compare = comparisonName(this.#comparison(query.compare));
    return summarize(rows, { ctrCurve: this.#settings.ctrCurve, date, compare });
  }

  get trails(): RankTrails {
    this.#trails ??= new RankTrails(this.#context, this.project, this.#context.clock.now());
    return this.#trails;
  }

  #comparison(written: string | undefined): Comparison {
    if (written === undefined || written === '') return this.#settings.comparison;
    const comparison = parseComparison(written);
    if (comparison === null) throw new InvalidQuery(`compare: "${written}" is not ${comparisonHint}`);
    return comparison;
  }
}
