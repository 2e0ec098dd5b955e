// The rows of report.html in the shape of the read API, with their ranks over time.

import type { PageData } from '../../report/html/data/page-data.ts';
import { decodeRank, rankCodes, unpackTrail } from '../../report/html/data/trail.ts';
import { unpackRow } from '../../rows/packed-rows.ts';
import type { KeywordRow } from '../records.ts';

/** All rows, in the order of the file: the largest change in estimated clicks first. The id of a row is its index. */
export function pageRows(data: PageData): KeywordRow[] {
  return data.rows.keyword.map((_, index) => rowAt(data, index));
}

/** The rank codes of a row, one per date. */
export function trailOf({ history }: PageData, index: number | string): readonly number[] {
  return unpackTrail(history.trail[Number(index)] ?? '');
}

function rowAt(data: PageData, index: number): KeywordRow {
  const row = unpackRow(data, index) as KeywordRow; // of a row of the read API
  const { status, incomplete, depth, last, location, target } = row;
  return {
    ...row,
    location: location ?? undefined,
    complete: (status === 'ranked' || status === 'not_found') && incomplete === undefined,
    isPlace: data.places?.includes(target) ?? false,
    // comparable rows have a baseline, and with it a depth, of which headline numbers need no more
    previousDepth: depth,
    previousCheckedAt: null,
    lastAgeDays: last?.ageDays ?? null,
    // unpacked for rows that are shown
    get trend() {
      return { dates: data.axis.dates, ranks: trailOf(data, index).map(trendValue) };
    },
  };
}

function trendValue(code: number): number | 'not_found' | null {
  return code === rankCodes.notFound ? 'not_found' : decodeRank(code);
}
