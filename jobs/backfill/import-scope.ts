// Finds the target and the search of a project that a row of another tool is about, where that is certain.
import type { Reading, RejectReason } from '../../src/import/history/reading.ts';
import { expandSearches, type Market, type Project, type Search, type Target } from '../../src/tracker/project.ts';
import { type CompiledTargets, compileTargets, targetKey } from '../../src/tracker/targets/target.ts';

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
export interface ScopedTarget {
  readonly target: Target;
  readonly identity: string;
  readonly urls: CompiledTargets;
}

const languageSeparator = /[-_]/;

export class ImportScope {
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
      this.#tracked.set(tracked.keyword, [...(this.#tracked.get(tracked.keyword) ?? []), ...searches]);
      for (const { market } of searches) this.#markets.set(JSON.stringify(market), market);
      const folded = tracked.keyword.toLowerCase();
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
    return this.#spellings.get(written.toLowerCase()) ?? null;
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
