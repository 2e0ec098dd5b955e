// Imports another tool's history: each reading is imported, already known, or rejected with a reason.

import { batchesOf } from '../../db/connection/batches.ts';
import { type ImportedDay, resultsPerPage } from '../../db/history/imports.ts';
import type { HistoryFile } from '../../src/import/history/read-history.ts';
import type { Reading, RejectedCell, RejectReason } from '../../src/import/history/table.ts';
import { byText } from '../../src/tracker/figures.ts';
import { getOrInsert } from '../../src/tracker/maps.ts';
import { expandSearches, type Market, type Project, type Search, type Target } from '../../src/tracker/project.ts';
import { localDate, toInstant } from '../../src/tracker/schedule/local-time.ts';
import { dayMs } from '../../src/tracker/schedule/time-units.ts';
import { foldKeyword } from '../../src/tracker/searches.ts';
import { type CompiledTargets, compileTargets, pageIdentity, targetKey } from '../../src/tracker/targets/target.ts';
import type { JobContext } from '../context.ts';

interface ImportRequest {
  readonly project: Project;
  /** Earlier names of the project. */
  readonly formerly?: readonly string[];
  readonly file: HistoryFile;
  /** As history names it. */
  readonly fileName: string;
  readonly scope: ImportScopeOptions;
  /** How many results the tool checked. */
  readonly top: number;
  /** Dry run: everything is processed, nothing stored. */
  readonly isDryRun: boolean;
}

/** Why readings were not imported: how often, and the first ones. */
interface RefusedGroup {
  readonly reason: RejectReason;
  readonly count: number;
  readonly first: readonly { readonly line: number; readonly said: string }[];
}

/** The result of an import. A reading is one ranking on one day: a row of a wide table holds several. */
export interface ImportTally {
  readonly readings: number;
  readonly ranked: number;
  readonly notFound: number;
  /** Of the imported and known readings: keywords that the project does not track. */
  readonly untracked: number;
  /** A ranking of that target, search and day exists. */
  readonly known: number;
  /** Blank: not checked, or unknown. */
  readonly empty: number;
  /** Of targets that were not requested, and in our own export of other projects. */
  readonly passedOver: number;
  /** Of pages that rank below another page of the target, on the same day for the same keyword. */
  readonly otherPages: number;
  readonly volumes: number;
  /** Local dates of the imported readings. */
  readonly from: string | null;
  readonly to: string | null;
  readonly refused: readonly RefusedGroup[];
  /** Stopped by the signal: the reported readings are stored, the rest of the file is not. Running again continues. */
  readonly isInterrupted: boolean;
}

/**
 * Readings per transaction. A dead process leaves complete transactions; the next import of the file finds them known
 * and continues.
 */
const readingsPerTransaction = 2_000;
/** In a dry run, contradictions within a file are found only within one transaction, because none is kept. */
const readingsPerDryRun = 50_000;
const firstShown = 5;

/** The outcome of one reading. */
type Verdict =
  | 'taken'
  | 'known'
  | 'empty'
  | 'passedOver'
  | 'otherPages'
  | { readonly refused: RejectReason; readonly said: string };

/** A reading with what it is about. */
interface Placed {
  readonly reading: Reading;
  readonly target: ScopedTarget;
  readonly search: Search;
  readonly day: ImportedDay;
}

const hashBits = 28;
const bitsOfWord = 32;

/** Thrown to roll back a transaction of a dry run. */
class Undo extends Error {}

/**
 * Takes what the file says. `onProgress` is called with counts of readings. Throws UnreadableFile where the file
 * stops being readable, StoreError; what was taken before stands.
 */
export async function importHistory(
  context: JobContext,
  request: ImportRequest,
  stop: AbortSignal,
  onProgress: (readings: number) => void,
): Promise<ImportTally> {
  const run = new Import(context, request);
  const size = request.isDryRun ? readingsPerDryRun : readingsPerTransaction;
  const eachPiece = async <Item>(items: Iterable<Item>, work: (piece: readonly Item[]) => void): Promise<void> => {
    for (const piece of batchesOf(items, size)) {
      if (stop.aborted) return;
      work(piece);
      await new Promise((next) => setImmediate(next));
    }
  };
  if (request.file.namesPages) await eachPiece(request.file.readings, (piece) => run.findRepeated(piece));
  await eachPiece(request.file.readings, (piece) => {
    run.take(piece);
    onProgress(run.readings);
  });
  await eachPiece(run.best(), (piece) => run.takeBest(piece));
  return run.tally(stop.aborted);
}

class Import {
  readings = 0;
  readonly #context: JobContext;
  readonly #request: ImportRequest;
  readonly #scope: ImportScope;
  readonly #today: string;
  readonly #days = new Map<string, ImportedDay | null>();
  readonly #refused = new Map<RejectReason, { count: number; first: { line: number; said: string }[] }>();
  readonly #counts = {
    ranked: 0,
    notFound: 0,
    untracked: 0,
    known: 0,
    empty: 0,
    passedOver: 0,
    otherPages: 0,
    volumes: 0,
  };
  #from: string | null = null;
  #to: string | null = null;
  /** Looked up again in each transaction: ids from a rolled-back one are invalid. */
  #projectId: number | null = null;
  #lastSearch: { search: Search; id: number } | null = null;

  /** Keywords of a day that have several pages, by hash: a collision only makes a reading wait for the others. */
  readonly #seen: Uint32Array;
  readonly #repeated = new Set<number>();
  readonly #best = new Map<string, Placed>();

  constructor(context: JobContext, request: ImportRequest) {
    this.#seen = new Uint32Array(request.file.namesPages ? 2 ** hashBits / bitsOfWord : 0);
    this.#context = context;
    this.#request = request;
    this.#scope = new ImportScope(request.project, request.scope);
    this.#today = localDate(context.clock.now(), request.project.timezone);
  }

  findRepeated(piece: readonly (Reading | RejectedCell)[]): void {
    for (const reading of piece) {
      const hash = 'refused' in reading ? null : pageHash(reading);
      if (hash === null) continue;
      const word = hash >>> 5;
      const bit = 1 << (hash % bitsOfWord);
      if (((this.#seen[word] ?? 0) & bit) !== 0) this.#repeated.add(hash);
      this.#seen[word] = (this.#seen[word] ?? 0) | bit;
    }
  }

  take(piece: readonly (Reading | RejectedCell)[]): void {
    this.#write(() => {
      for (const reading of piece) {
        this.readings += 1;
        const verdict = 'refused' in reading ? reading : this.#judge(reading);
        if (verdict !== null) this.#count(reading, verdict);
      }
    });
  }

  /** After all readings. */
  best(): Iterable<Placed> {
    return this.#best.values();
  }

  takeBest(piece: readonly Placed[]): void {
    this.#write(() => {
      for (const placed of piece) this.#count(placed.reading, this.#store(placed));
    });
  }

  #write(work: () => void): void {
    const { store } = this.#context;
    this.#lastSearch = null;
    this.#projectId = null;
    try {
      store.transaction(() => {
        work();
        if (this.#request.isDryRun) throw new Undo();
      });
    } catch (error) {
      if (!(error instanceof Undo)) throw error;
    }
  }

  tally(isInterrupted: boolean): ImportTally {
    const refused = [...this.#refused]
      .map(([reason, group]) => ({ reason, ...group }))
      .sort((a, b) => b.count - a.count || byText(a.reason, b.reason));
    return { readings: this.readings, ...this.#counts, from: this.#from, to: this.#to, refused, isInterrupted };
  }

  /** Null: it waits for other pages of the keyword. */
  #judge(reading: Reading): Verdict | null {
    if (reading.ranking.kind === 'nothing') return 'empty';
    const { project, formerly = [] } = this.#request;
    const exported = reading.exported?.project ?? project.id;
    if (exported !== project.id && !formerly.includes(exported)) return 'passedOver';
    const target = this.#scope.target(reading);
    if (target === 'passed-over') return 'passedOver';
    if (target === 'unknown_target') return { refused: target, said: reading.target ?? reading.keyword };
    const search = this.#scope.search(reading);
    if (typeof search === 'string') return { refused: search, said: quoteReading(reading) };
    const day = reading.date > this.#today ? 'future_date' : (this.#day(reading.date) ?? 'unreadable_date');
    if (typeof day === 'string') return { refused: day, said: `${reading.keyword}: ${reading.date}` };
    const { ranking, url } = reading;
    if (ranking.kind === 'ranked' && url !== null && target.urls.matchingIndexes(url).length === 0) {
      return { refused: 'foreign_url', said: `${reading.keyword}: ${url}` };
    }
    // fewer results than a page has prove no page
    if (this.#depth(reading) < 1) return { refused: 'unclear', said: quoteReading(reading) };
    const placed = { reading, target, search, day };
    const hash = pageHash(reading);
    return hash === null || !this.#repeated.has(hash) ? this.#store(placed) : this.#hold(placed);
  }

  /** Keeps the best rank of several pages, in any order. A page with two ranks contradicts itself. */
  #hold(placed: Placed): Verdict | null {
    const { reading, target, search, day } = placed;
    const key = JSON.stringify([target.identity, search, day.date]);
    const best = this.#best.get(key);
    if (best === undefined) {
      this.#best.set(key, placed);
      return null;
    }
    const [rank, bestRank] = [reading, best.reading].map(({ ranking }) =>
      ranking.kind === 'ranked' ? ranking.rank : 0,
    );
    const [url, bestUrl] = [reading.url, best.reading.url].map((each) => (each == null ? each : pageIdentity(each)));
    if (url === bestUrl && rank !== bestRank) return { refused: 'contradiction', said: quoteReading(reading) };
    if ((rank ?? 0) < (bestRank ?? 0)) this.#best.set(key, placed);
    return 'otherPages';
  }

  #store({ reading, target, search, day }: Placed): Verdict {
    const { ranking, exported, url } = reading;
    const { slot = null, checkedAt = null, page = null, absoluteRank = null, ownedFeatures = [] } = exported ?? {};
    const { format } = this.#request.file;
    const { store, clock } = this.#context;
    const outcome = store.imports.take({
      projectId: this.#ownProjectId(),
      source: sourceOf(reading, format),
      slot: slot ?? `${day.date} ${format}`,
      day,
      moment: this.#moment(reading),
      checkedAt,
      targetId: store.names.targetId({ identity: target.identity, ...target.target }),
      searchId: this.#searchId(search),
      ranked: ranking.kind === 'ranked' ? { rank: ranking.rank, url, page, absoluteRank } : null,
      ownedFeatures,
      depth: this.#depth(reading),
      note: `imported from ${this.#request.fileName}`,
      at: clock.now(),
    });
    if (outcome === 'contradiction') return { refused: outcome, said: quoteReading(reading) };
    this.#takeVolume(reading, search, day);
    return outcome;
  }

  #count(reading: Reading | RejectedCell, verdict: Verdict): void {
    if (typeof verdict === 'object') this.#refuse(verdict.refused, reading.line, verdict.said);
    else if (verdict !== 'taken') this.#counts[verdict] += 1;
    else if (!('refused' in reading) && reading.ranking.kind !== 'nothing') {
      this.#counts[reading.ranking.kind] += 1;
      if (this.#scope.trackedKeyword(reading.keyword) === null) this.#counts.untracked += 1;
      if (this.#from === null || reading.date < this.#from) this.#from = reading.date;
      if (this.#to === null || reading.date > this.#to) this.#to = reading.date;
    }
  }

  /** Pages that the tool checked, and at least the one with the rank. */
  #depth({ ranking, exported }: Reading): number {
    if (exported !== undefined) return exported.depth;
    const pages = Math.floor(
      (ranking.kind === 'notFound' ? (ranking.top ?? this.#request.top) : this.#request.top) / resultsPerPage,
    );
    return ranking.kind === 'ranked' ? Math.max(pages, Math.ceil(ranking.rank / resultsPerPage)) : pages;
  }

  /** Of the slot, in our own export; of a run on another day than that of its slot, when its pages were read. */
  #moment({ exported, date }: Reading): number | null {
    const [minute = ''] = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.exec(exported?.slot ?? '') ?? [];
    if (!minute.startsWith(date)) return exported?.checkedAt ?? null;
    return toInstant(Date.parse(`${minute}:00Z`), this.#request.project.timezone);
  }

  /** Only of past months: this month's metrics can still be bought, and bought ones have precedence. */
  #takeVolume({ volume, date }: Reading, { keyword, market }: Search, day: ImportedDay): void {
    const month = date.slice(0, 7);
    // volumes are those of a country: a tool may count only the searches of the place
    if (volume === null || market.location !== undefined || month >= this.#today.slice(0, 7)) return;
    const { volumes } = this.#context.store;
    if (volumes.has(keyword, market, month)) return;
    const source = `import/${this.#request.file.format}`;
    const unknown = {
      cpcMicroUsd: null,
      competition: null,
      competitionLevel: null,
      intent: null,
      relatedKeywords: null,
    };
    volumes.insert(keyword, market, { month, observedAt: day.noon, source, searchVolume: volume, ...unknown }, null);
    this.#counts.volumes += 1;
  }

  #ownProjectId(): number {
    this.#projectId ??= this.#context.store.names.projectId(this.#request.project.id);
    return this.#projectId;
  }

  /** In most files, rows of one keyword are adjacent. */
  #searchId(search: Search): number {
    const last = this.#lastSearch;
    if (last !== null && last.search.keyword === search.keyword && last.search.market === search.market) return last.id;
    const id = this.#context.store.names.searchId(search);
    this.#lastSearch = { search, id };
    return id;
  }

  /** Null for a day that the zone skips. */
  #day(date: string): ImportedDay | null {
    const known = this.#days.get(date);
    if (known !== undefined) return known;
    const { timezone } = this.#request.project;
    const clock = Date.parse(`${date}T00:00:00Z`);
    const [from, noon, next] = [clock, clock + dayMs / 2, clock + dayMs].map((at) => toInstant(at, timezone));
    const day = from == null || noon == null ? null : { date, timezone, from, noon, until: (next ?? from + dayMs) - 1 };
    this.#days.set(date, day);
    return day;
  }

  #refuse(reason: RejectReason, line: number, said: string): void {
    const group = getOrInsert(this.#refused, reason, () => ({ count: 0, first: [] }));
    group.count += 1;
    if (group.first.length < firstShown) group.first.push({ line, said });
  }
}

/** `import/csv`; of our own export `import/` and the source of the row, which may be an import itself. */
function sourceOf({ exported }: Reading, format: string): string {
  const source = exported?.source ?? format;
  return source.startsWith('import/') ? source : `import/${source}`;
}

/** Equal for the rows of one keyword, day and market that name a page (FNV-1a); null: it names none. */
function pageHash({
  keyword,
  date,
  target,
  country,
  language,
  device,
  location,
  url,
  ranking,
}: Reading): number | null {
  if (url === null || ranking.kind !== 'ranked') return null;
  const text = [keyword.toLowerCase(), date, target, country, language, device, location].join('\n');
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> (bitsOfWord - hashBits);
}

function quoteReading({ keyword, date, ranking, country, language, device, location }: Reading): string {
  const market = [country, language, device, location].filter((part) => part !== null).join(' ');
  const said = ranking.kind === 'ranked' ? `rank ${ranking.rank}` : ranking.kind === 'notFound' ? 'not found' : '';
  return [keyword, market, date, said].filter((part) => part !== '').join(', ');
}

/** The operator's statements about the file. */
export interface ImportScopeOptions {
  /** Only these targets; empty: all of the project that the file names. */
  readonly only: readonly Target[];
  /** Targets by their names in the file, in lower case. */
  readonly named: ReadonlyMap<string, Target>;
  /** For rows that do not say it themselves. */
  readonly country?: string;
  readonly language?: string;
  readonly device?: string;
  /** As the config resolves it; absent: the country as a whole. */
  readonly location?: string;
  /** A place of the file, as the config resolves it; null: unknown in that country. */
  locate(written: string, country: string): string | null;
}

/** A target to look for. */
interface ScopedTarget {
  readonly target: Target;
  readonly identity: string;
  readonly urls: CompiledTargets;
}

const languageSeparator = /[-_]/;

class ImportScope {
  /** The target of rows that name none; null: the operator must name it. */
  readonly defaultTarget: ScopedTarget | null;
  readonly #options: ImportScopeOptions;
  readonly #only: ReadonlySet<string>;
  readonly #targets = new Map<string, ScopedTarget>();
  readonly #byName = new Map<string, ScopedTarget | null>();
  readonly #tracked = new Map<string, Search[]>();
  readonly #spellings = new Map<string, string | null>();
  readonly #markets = new Map<string, Market>();

  constructor(project: Project, options: ImportScopeOptions) {
    this.#options = options;
    this.#only = new Set(options.only.map(targetKey));
    for (const target of [...project.targets, ...project.competitors]) {
      const identity = targetKey(target);
      this.#targets.set(identity, { target, identity, urls: compileTargets([target]) });
    }
    const [first, ...others] = options.only.length > 0 ? options.only : project.targets;
    this.defaultTarget =
      first === undefined || others.length > 0 ? null : (this.#targets.get(targetKey(first)) ?? null);
    for (const tracked of project.keywords) {
      const searches = [...expandSearches(project, tracked)];
      getOrInsert(this.#tracked, tracked.keyword, () => []).push(...searches);
      for (const { market } of searches) this.#markets.set(JSON.stringify(market), market);
      const folded = foldKeyword(tracked.keyword);
      const other = this.#spellings.get(folded);
      this.#spellings.set(folded, other === undefined || other === tracked.keyword ? tracked.keyword : null);
    }
  }

  /** `passed-over`: belongs to another target than the requested ones. */
  target({ target: name }: Reading): ScopedTarget | 'passed-over' | 'unknown_target' {
    const found = name === null ? this.defaultTarget : this.#named(name);
    if (found === null) return 'unknown_target';
    return this.#only.size === 0 || this.#only.has(found.identity) ? found : 'passed-over';
  }

  /**
   * The one search of the row: of those that the project tracks for the keyword, or else of its markets, the only one
   * that agrees with the row and the caller.
   */
  search(
    reading: Reading,
  ):
    | Search
    | Extract<
        RejectReason,
        'location' | 'unknown_market' | `ambiguous_${'device' | 'country' | 'language' | 'market'}`
      > {
    const keyword = this.trackedKeyword(reading.keyword) ?? reading.keyword;
    const location = this.#locationOf(reading);
    if (location === null) return 'location';
    const agreeing = (markets: Iterable<Market>): Market[] =>
      [...markets].filter((market) => market.location === location && this.#agrees(market, reading));
    const tracked = agreeing((this.#tracked.get(keyword) ?? []).map(({ market }) => market));
    const [market, ...others] = tracked.length > 0 ? tracked : agreeing(this.#markets.values());
    if (market === undefined) return 'unknown_market';
    if (others.length === 0) return { keyword, market };
    const [differing, ...more] = (['device', 'country', 'language'] as const).filter((part) =>
      others.some((other) => other[part] !== market[part]),
    );
    return differing === undefined || more.length > 0 ? 'ambiguous_market' : `ambiguous_${differing}`;
  }

  /** The keyword as the project spells it: most tools write all in lower case. Null: it does not track it. */
  trackedKeyword(written: string): string | null {
    if (this.#tracked.has(written)) return written;
    return this.#spellings.get(foldKeyword(written)) ?? null;
  }

  #named(name: string): ScopedTarget | null {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const given = this.#options.named.get(name.toLowerCase());
    const found = given === undefined ? this.#written(name) : (this.#targets.get(targetKey(given)) ?? null);
    if (this.#byName.size < 1_000) this.#byName.set(name, found);
    return found;
  }

  /** A target as tools write one: `acme.com`, `https://www.acme.com/`, `*.acme.com/*`. */
  #written(name: string): ScopedTarget | null {
    const [literal, ...others] = [...this.#targets.values()].filter(({ target }) => target.value === name);
    if (literal !== undefined && others.length === 0) return literal;
    const value = name.replace(/^\*\./, '').replace(/\/\*$/, '');
    for (const match of ['domain', 'host', 'prefix', 'url'] as const) {
      const target = this.#targets.get(
        targetIdentity({ match, value: match === 'url' ? value : value.replace(/\/$/, '') }),
      );
      if (target !== undefined) return target;
      if (match === 'domain') {
        const bare = this.#targets.get(targetIdentity({ match, value: parseHost(value).replace(/^www\./, '') }));
        if (bare !== undefined && /^(?:https?:\/\/)?[^/]+\/?$/.test(value)) return bare;
      }
    }
    return null;
  }

  /** Undefined: the country as a whole. Null: a place that is unknown in the country of the row. */
  #locationOf({ location, country }: Reading): string | undefined | null {
    if (location === null) return this.#options.location;
    const named = country ?? this.#options.country;
    const countries = named === undefined ? [...this.#markets.values()].map((market) => market.country) : [named];
    for (const each of new Set(countries)) {
      const found = this.#options.locate(location, each);
      if (found !== null) return found;
    }
    return null;
  }

  #agrees(market: Market, reading: Reading): boolean {
    const country = reading.country ?? this.#options.country ?? null;
    const language = reading.language ?? this.#options.language ?? null;
    const device = reading.device ?? this.#options.device ?? null;
    return (
      (country === null || country === market.country) &&
      (language === null || sameLanguage(language, market.language)) &&
      (device === null || device === market.device)
    );
  }
}

function targetIdentity(target: Target): string {
  try {
    return targetKey(target);
  } catch {
    return '';
  }
}

function parseHost(written: string): string {
  return written.replace(/^https?:\/\//, '').replace(/\/$/, '');
}

/** `en`, `EN`, `en_US`: a language without a region stands for all of its regions. */
function sameLanguage(written: string, language: string): boolean {
  const [ours = '', ourRegion] = language.toLowerCase().split(languageSeparator);
  const [theirs = '', theirRegion] = written.toLowerCase().split(languageSeparator);
  return ours === theirs && (ourRegion === undefined || theirRegion === undefined || ourRegion === theirRegion);
}
