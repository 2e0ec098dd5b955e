// The rows of the keyword table by column. Above the limit, rows with the most clicks are kept.

import type { HistoryRow } from '../../../rows/row.ts';
import { marketName } from '../../../tracker/project.ts';
import { classifyDestination } from '../../../tracker/targets/destination.ts';
import { Interned } from './interned.ts';
import type { PageMarket, PageRows } from './page-data.ts';
import type { DatedRanks, FeatureSteps } from './timeline.ts';
import { notRecorded, packTrail } from './trail.ts';

/** A row of the page. */
export interface KeptRow {
  readonly row: HistoryRow;
  /** Null: the search was never made. */
  readonly searchId: number | null;
}

/** The history of what the page shows. */
export interface RowHistories {
  /** Of a row, by its index among the kept rows. */
  readonly codes: (index: number) => DatedRanks['codes'];
  readonly urlSteps: (index: number) => DatedRanks['urlSteps'];
  readonly ownedSteps: (index: number) => DatedRanks['ownedSteps'];
  /** The features that a search showed, owned or not. */
  readonly shown: (searchId: number) => FeatureSteps;
}

/** The kept rows, with the texts that they reference by index. */
export interface ColumnsOfRows {
  readonly rows: PageRows;
  readonly targets: readonly string[];
  readonly places?: readonly string[];
  readonly markets: readonly PageMarket[];
  readonly tags: readonly string[];
  readonly urls: readonly string[];
  readonly featureSets: readonly (readonly string[])[];
  readonly intents: readonly string[];
  readonly sources: readonly string[];
  readonly notes: readonly string[];
  readonly minutes: readonly string[];
}

/** Rows collect up to this multiple of the limit before the least are dropped: few sorts, little memory. */
const pruneAt = 1.25;

/** Collects rows. Keeps at most `max`, by size of traffic change, then traffic, then volume. */
export class KeptRows {
  readonly #max: number;
  #kept: KeptRow[] = [];
  /** The least of the kept rows, once rows were dropped: later rows must exceed it. */
  #least: HistoryRow | null = null;
  #total = 0;

  constructor(max: number) {
    this.#max = max;
  }

  add(row: HistoryRow, searchId: number | null = null): void {
    this.#total += 1;
    if (this.#least !== null && byWorth(row, this.#least) >= 0) return;
    this.#kept.push({ row: row.copy(), searchId });
    if (this.#kept.length < pruneAt * this.#max) return;
    this.#kept = this.#best();
    this.#least = this.#kept.at(-1)?.row ?? null;
  }

  /** Number of added rows, including dropped ones. */
  get total(): number {
    return this.#total;
  }

  /** The rows of the page, in its order. They are no longer kept here. Call once. */
  taken(): readonly KeptRow[] {
    const best = this.#best();
    this.#kept = [];
    return best;
  }

  #best(): KeptRow[] {
    return this.#kept.toSorted((a, b) => byWorth(a.row, b.row)).slice(0, this.#max);
  }
}

/** `urlOf`: returns the URL of an id. */
export function columnsOf(
  rows: readonly KeptRow[],
  urlOf: (id: number) => string,
  { codes, urlSteps, ownedSteps, shown }: RowHistories,
): ColumnsOfRows {
  const texts = new Texts(urlOf);
  const places = new Set(rows.flatMap(({ row }) => (row.isPlace ? row.target : [])));
  const column = <Value>(value: (row: HistoryRow) => Value): Value[] => rows.map(({ row }) => value(row));
  return {
    rows: {
      keyword: column((row) => row.keyword),
      market: column((row) => texts.market(row)),
      target: column((row) => texts.targets.idOf(row.target)),
      tags: column((row) => row.tags.map((tag) => texts.tags.idOf(tag))),
      status: column((row) => row.status),
      changeClass: column((row) => row.changeClass),
      significance: column((row) => row.significance),
      bandBest: column((row) => row.bandBest),
      bandWorst: column((row) => row.bandWorst),
      rank: column((row) => row.rank),
      previousRank: column((row) => row.previousRank),
      change: column((row) => row.change),
      bestRank: column((row) => row.bestRank),
      depth: column((row) => row.depth),
      volume: column((row) => row.searchVolume),
      clicks: column((row) => row.estimatedClicks),
      clicksChange: column((row) => row.estimatedClicksChange),
      cpc: column((row) => row.cpc),
      competition: column((row) => row.competition),
      intent: column((row) => (row.intent === null ? -1 : texts.intents.idOf(row.intent))),
      source: column((row) => (row.source === null ? -1 : texts.sources.idOf(row.source))),
      runId: column((row) => row.runId),
      complete: column((row) => (row.complete ? 1 : 0)),
      url: column((row) => texts.url(row.url)),
      previousUrl: column((row) => texts.url(row.previousUrl)),
      preferredUrl: column((row) => texts.url(row.preferredUrl)),
      urlIsPreferred: column(({ urlIsPreferred }) => (urlIsPreferred === null ? -1 : urlIsPreferred ? 1 : 0)),
      features: column((row) => texts.featureList(row.serpFeatures)),
      owned: column((row) => texts.featureList(row.ownedFeatures)),
      lost: column((row) => texts.featureList(row.lostFeatures)),
      checkedAt: column((row) => texts.minute(row.checkedAt)),
      previousCheckedAt: column((row) => texts.minute(row.previousCheckedAt)),
      note: column((row) => (row.note === null ? -1 : texts.notes.idOf(row.note))),
      last: column(({ lastRanking: last }) =>
        last === undefined ? null : ([last.rank, texts.minute(last.checkedAt), last.ageDays] as const),
      ),
      trail: rows.map((_, index) => packTrail(codes(index))),
      urlSteps: rows.map((_, index) =>
        urlSteps(index).flatMap(([date, id]) => {
          const page = texts.pageOfId(id);
          return page === null ? [] : [date, page];
        }),
      ),
      ownedSteps: rows.map((_, index) => ownedSteps(index).flatMap(([date, names]) => [date, texts.features(names)])),
      shownSteps: rows.map(({ searchId }) =>
        (searchId === null ? [] : shown(searchId)).flatMap(([date, names]) => [
          date,
          names === null ? notRecorded : texts.features(names),
        ]),
      ),
    },
    targets: texts.targets.list(),
    ...(places.size === 0 ? {} : { places: [...places] }),
    markets: texts.marketList(),
    tags: texts.tags.list(),
    urls: texts.urls.list(),
    featureSets: texts.featureSets.list().map((names) => (names === '' ? [] : names.split('|'))),
    intents: texts.intents.list(),
    sources: texts.sources.list(),
    notes: texts.notes.list(),
    minutes: texts.minutes.list().map((minute) => toMinute(minute * minuteMs)),
  };
}

function byWorth(a: HistoryRow, b: HistoryRow): number {
  return (
    size(b.estimatedClicksChange) - size(a.estimatedClicksChange) ||
    size(b.estimatedClicks) - size(a.estimatedClicks) ||
    size(b.searchVolume) - size(a.searchVolume) ||
    (a.rank ?? Number.MAX_SAFE_INTEGER) - (b.rank ?? Number.MAX_SAFE_INTEGER)
  );
}

function size(value: number | null): number {
  return value === null ? -1 : Math.abs(value);
}

/** `2026-11-20 06:00`, UTC. */
function toMinute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

/** Whether the ranking page is known. An empty text stands for a URL that another tool did not record. */
function isPage(url: string): boolean {
  return url === '' || classifyDestination(url) === 'exact';
}

const minuteMs = 60_000;

class Texts {
  readonly targets = new Interned<string>();
  readonly tags = new Interned<string>();
  readonly urls = new Interned<string>();
  readonly featureSets = new Interned<string>();
  readonly intents = new Interned<string>();
  readonly sources = new Interned<string>();
  readonly notes = new Interned<string>();
  /** UTC minutes since 1970. */
  readonly minutes = new Interned<number>();
  readonly #markets = new Interned<string>();
  readonly #marketsByKey = new Map<string, PageMarket>();
  readonly #pages = new Map<number, number | null>();
  readonly #lists = new Map<readonly string[], number>();
  readonly #urlOf: (id: number) => string;

  constructor(urlOf: (id: number) => string) {
    this.#urlOf = urlOf;
  }

  market({ country, language, device, location }: HistoryRow): number {
    const key = marketName({ country, language, device, location });
    if (!this.#marketsByKey.has(key)) this.#marketsByKey.set(key, { country, language, device, location });
    return this.#markets.idOf(key);
  }

  marketList(): PageMarket[] {
    return this.#markets.list().flatMap((key) => this.#marketsByKey.get(key) ?? []);
  }

  /** -1 for none, and for a URL that another tool did not record. */
  url(url: string | null): number {
    return url === null || url === '' ? -1 : this.urls.idOf(url);
  }

  /** -1 for none. */
  minute(at: number | null): number {
    return at === null ? -1 : this.minutes.idOf(Math.floor(at / minuteMs));
  }

  /** Null where the ranking page is not known. */
  pageOfId(id: number): number | null {
    let page = this.#pages.get(id);
    if (page === undefined) {
      const url = this.#urlOf(id);
      page = isPage(url) ? this.url(url) : null;
      this.#pages.set(id, page);
    }
    return page;
  }

  /** Rows share equal lists. */
  featureList(names: readonly string[]): number {
    let id = this.#lists.get(names);
    if (id === undefined) {
      id = this.features(names.join('|'));
      this.#lists.set(names, id);
    }
    return id;
  }

  features(names: string): number {
    return names === '' ? -1 : this.featureSets.idOf(names);
  }
}
