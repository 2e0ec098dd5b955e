// Makes period.csv: the days of each tracked row between two dates.

import type { Row } from '../../../src/read/row.ts';
import { reportTable } from '../../../src/report/formats/table-writer.ts';
import {
  type PeriodDay,
  type PeriodFacts,
  type PeriodRow,
  periodColumns,
  periodRow,
} from '../../../src/report/tables/period.ts';
import { targetKey } from '../../../src/tracker/targets/target.ts';
import { type CheckedDay, DayReader } from '../../read/rows/day-reader.ts';
import type { ReportScope } from '../../read/rows/report-scope.ts';
import { datesAsked, daysWithin } from '../report-question.ts';
import { isReadWith, trackedRows } from './tracked-tables.ts';

/** Limit of days times rows read together, which bounds memory. */
const daysPerRead = 60_000;
const rowsPerReadMax = 500;
/** The page shows those with the largest volumes. */
const rowsShown = 50;

export const periodTable = reportTable({
  name: 'period',
  columns: periodColumns,
  neededFor: 'page',
  start(scope: ReportScope) {
    const period = scope.settings.question?.period;
    if (period === undefined) return null;
    const dates = datesAsked(scope.context, scope.settings, scope.run, scope.project, daysWithin(period, 0));
    const days = new DayReader(scope.context, { project: scope.project, dates });
    const reader = new PeriodReader(scope, { ...period, dayCount: dates.length }, days);
    return {
      *rest() {
        const shown: PeriodRow[] = [];
        for (const row of reader.rows()) {
          shown.push(row);
          if (shown.length > 2 * rowsShown) keepLargest(shown);
          yield row;
        }
        keepLargest(shown);
        scope.findings.period = shown;
      },
    };
  },
});

function keepLargest(rows: PeriodRow[]): void {
  rows.sort((a, b) => (b.searchVolume ?? -1) - (a.searchVolume ?? -1)).splice(rowsShown);
}

class PeriodReader {
  readonly #scope: ReportScope;
  readonly #facts: PeriodFacts;
  readonly #reader: DayReader;

  constructor(scope: ReportScope, facts: PeriodFacts, reader: DayReader) {
    this.#scope = scope;
    this.#facts = facts;
    this.#reader = reader;
  }

  /** In the order of the tracked rows. */
  *rows(): Generator<PeriodRow> {
    const rowsPerRead = Math.max(
      1,
      Math.min(rowsPerReadMax, Math.floor(daysPerRead / Math.max(1, this.#facts.dayCount))),
    );
    let waiting: Row[] = [];
    for (const row of trackedRows(this.#scope, [])) {
      const [first] = waiting;
      if (first !== undefined && (waiting.length === rowsPerRead || !isReadWith(first, row))) {
        yield* this.#read(first, waiting);
        waiting = [];
      }
      waiting.push(row);
    }
    const [first] = waiting;
    if (first !== undefined) yield* this.#read(first, waiting);
  }

  /** Rows of one market and target. */
  *#read(first: Row, rows: readonly Row[]): Generator<PeriodRow> {
    const found = this.#reader.daysOf(first.market, targetKey(first.own), rows);
    for (const [index, row] of rows.entries()) {
      const days = found[index] ?? new Map<string, CheckedDay>();
      const proven = [...days.values()].flatMap((day) => this.#proven(day) ?? []);
      yield periodRow(row, this.#facts, this.#withResults(proven), this.#reader.warningOf(days));
    }
  }

  #proven(day: CheckedDay): (PeriodDay & { checkId: number }) | null {
    const { status, isComplete, checkedAt, source } = day;
    if (!isComplete || checkedAt === null || (status !== 'ranked' && status !== 'not_found')) return null;
    return { ...day, status, checkedAt, source: source ?? '', resultsRead: null };
  }

  /** Only the ends are compared: the number of results on other pages is not needed. */
  #withResults(days: readonly (PeriodDay & { checkId: number })[]): PeriodDay[] {
    const { rankings } = this.#scope.context.store;
    const ends = new Set([days.find(({ isSuspect }) => !isSuspect), days.at(-1)]);
    return days.map((day) =>
      ends.has(day) && day.status === 'not_found' ? { ...day, resultsRead: rankings.resultsRead(day.checkId) } : day,
    );
  }
}
