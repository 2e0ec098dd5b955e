// Reads what report.html holds of its first rows: competitors' ranks, volumes by month, stored results of two dates.

import { batchesOf } from '../../../db/connection/batches.ts';
import type { StoredSerpView } from '../../../src/read/records.ts';
import type { KeptRow } from '../../../src/report/html/data/kept-rows.ts';
import type { PageData } from '../../../src/report/html/data/page-data.ts';
import { RowTrails } from '../../../src/report/html/data/row-trails.ts';
import type { ReportScope } from '../../read/rows/report-scope.ts';
import { type SeenSearch, storedSerpsAt } from '../../read/rows/stored-serps.ts';

/** Characters of the page for each kind of detail: enough for thousands of keywords, little beside all rows. */
const charactersMax = 400_000;
const monthsMax = 24;
/** A volume with its comma. */
const volumeCharacters = 6;
/** Searches with stored results, and the characters of these, which gzip makes a tenth. */
const searchesMax = 300;
const serpCharactersMax = 2_000_000;
const rowsPerRead = 500;
/** Rows whose stored results are read together. */
const serpRowsPerRead = 50;

type Scope = Pick<ReportScope, 'context' | 'project'>;
type RowDetails = PageData['details'];

/** Trails of competitors for the first rows, collected while their sums are made. */
export class RivalTrails {
  readonly #searchIndices: Int32Array;
  readonly #dateCount: number;
  readonly #ofRivals: RowTrails[] = [];

  /** `searchIndices`: of the searches of the rows, in the order of the page; -1: it was never made. */
  constructor(searchIndices: Int32Array, dateCount: number, rivalCount: number) {
    const max = rivalCount === 0 ? 0 : Math.floor(charactersMax / (2 * Math.max(1, dateCount) * rivalCount));
    this.#searchIndices = searchIndices.subarray(0, max);
    this.#dateCount = dateCount;
  }

  /** Of the next competitor. */
  start(): RowTrails {
    const trails = new RowTrails(this.#searchIndices, this.#dateCount);
    this.#ofRivals.push(trails);
    return trails;
  }

  details(targets: readonly string[]): RowDetails['rivals'] {
    const codes = [...this.#searchIndices].map((searchIndex, row) =>
      searchIndex < 0 ? [] : this.#ofRivals.map((trails) => [...trails.codes(row)]),
    );
    return { targets, codes };
  }
}

/** Volumes by month of as many rows as the page has room for. */
export function volumeDetails({ context, project }: Scope, rows: readonly KeptRow[]): RowDetails['volumes'] {
  const known = rows.slice(0, Math.floor(charactersMax / volumeCharacters));
  const byMarket = Map.groupBy(known, ({ row: { country, language } }) => `${country}\n${language}`);
  const found = new Map<string, Map<string, number | null>>();
  const months = new Set<string>();
  for (const group of byMarket.values()) {
    const [first] = group;
    if (first === undefined) continue;
    const { country, language } = first.row;
    const market = { service: project.service, country, language };
    const ofMarket = context.store.volumeSeries.months(market, '0000-00', '9999-99').sort().slice(-monthsMax);
    const keywords = [...new Set(group.map(({ row }) => row.keyword))];
    for (const batch of batchesOf(keywords, rowsPerRead)) {
      for (const line of context.store.volumeSeries.of(market, batch, ofMarket)) {
        const volumes = line.months.flatMap((volume) =>
          volume === null ? [] : [[volume.month, volume.searchVolume] as const],
        );
        for (const [month] of volumes) months.add(month);
        found.set(`${country}\n${language}\n${line.keyword}`, new Map(volumes));
      }
    }
  }
  const shown = [...months].sort().slice(-monthsMax);
  const rowsMax = shown.length === 0 ? 0 : Math.floor(charactersMax / (volumeCharacters * shown.length));
  return {
    months: shown,
    rows: known.slice(0, rowsMax).map(({ row: { country, language, keyword } }) => {
      const volumes = found.get(`${country}\n${language}\n${keyword}`);
      return volumes === undefined ? [] : shown.map((month) => volumes.get(month) ?? null);
    }),
  };
}

/** The stored results of the first searches, of their check and of its baseline. */
export function serpDetails(scope: Scope, rows: readonly KeptRow[]): StoredSerpView[] {
  const known = new Set<string>();
  const serps: StoredSerpView[] = [];
  let characters = 0;
  for (const some of batchesOf(rows, serpRowsPerRead)) {
    const read = readSerps(
      scope,
      some.filter(({ row }) => !known.has(searchKey(row))),
    );
    for (const [key, ofSearch] of read) {
      if (known.size >= searchesMax || characters > serpCharactersMax) return serps;
      known.add(key);
      for (const serp of ofSearch) {
        characters += JSON.stringify(serp).length;
        serps.push(serp);
      }
    }
  }
  return serps;
}

function searchKey({ keyword, country, language, device, location }: KeptRow['row']): string {
  return [keyword, country, language, device, location].join('\n');
}

/** By `searchKey`: the results of the check and of its baseline. Of several rows of a search the first counts. */
function readSerps({ context, project }: Scope, rows: readonly KeptRow[]): Map<string, StoredSerpView[]> {
  const firsts = new Map<string, KeptRow>();
  for (const kept of rows) if (!firsts.has(searchKey(kept.row))) firsts.set(searchKey(kept.row), kept);
  const seen: SeenSearch[] = [];
  const places = [...firsts].map(([key, { row, searchId }]) => {
    const { keyword, country, language, device, location, checkedAt, previousCheckedAt } = row;
    const at = [checkedAt, previousCheckedAt].map((moment) =>
      searchId === null || moment === null
        ? -1
        : seen.push({ keyword, country, language, device, location, searchId, moment }) - 1,
    );
    return [key, at] as const;
  });
  const serps = storedSerpsAt(context, project, seen);
  return new Map(places.map(([key, at]) => [key, at.flatMap((index) => serps[index] ?? [])]));
}
