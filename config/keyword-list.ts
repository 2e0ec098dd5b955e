// The keywords of one project: fills in the market, shares what repeats, refuses duplicates. A million keywords fit well below 1 GB.
import type { Device, TrackedKeyword } from '../src/tracker/project.ts';
import type { KeywordEntry } from './keyword-file.ts';
import { countryCode, languageCode } from './markets.ts';

/** What a project says about keywords that do not say otherwise. */
export interface KeywordDefaults {
  readonly country: string;
  readonly language: string;
  readonly devices: readonly Device[];
  readonly tags: readonly string[];
  readonly depth: number;
}

/** A place that costs one number to keep: a line of the keyword file, or -1 - index among the inline keywords. */
export type KeywordPlace = number;

const onlyDesktop: readonly Device[] = Object.freeze(['desktop'] as const);
const onlyMobile: readonly Device[] = Object.freeze(['mobile'] as const);
const bothDevices: readonly Device[] = Object.freeze(['desktop', 'mobile'] as const);
const deviceSets = [onlyDesktop, onlyMobile, bothDevices] as const;
/** For each set, the sets with which it shares a device. */
const overlapping = [
  [0, 2],
  [1, 2],
  [0, 1, 2],
] as const;

function deviceSetOf(devices: readonly Device[]): 0 | 1 | 2 {
  if (!devices.includes('mobile')) return 0;
  return devices.includes('desktop') ? 2 : 1;
}

/** The one string that spells `written`: each row of a file comes with its own copy. */
function shared(known: Map<string, string>, written: string, spelling: (written: string) => string): string {
  const before = known.get(written);
  if (before !== undefined) return before;
  const spelled = spelling(written);
  known.set(written, spelled);
  return spelled;
}

export class KeywordList {
  readonly #defaults: KeywordDefaults;
  readonly #keywords: TrackedKeyword[] = [];
  readonly #places: KeywordPlace[] = [];
  /** Market without device -> for each device set, lower-case keyword -> index. */
  readonly #seen = new Map<string, readonly [Map<string, number>, Map<string, number>, Map<string, number>]>();
  /** Tag list as JSON -> the one frozen array of it. */
  readonly #tagLists = new Map<string, readonly string[]>();
  /** Written tag list -> the merged one. */
  readonly #merged = new WeakMap<readonly string[], readonly string[]>();
  readonly #countries = new Map<string, string>();
  readonly #languages = new Map<string, string>();
  readonly #ownTags: readonly string[];

  constructor(defaults: KeywordDefaults) {
    this.#defaults = defaults;
    this.#ownTags = this.#shareTags(defaults.tags);
  }

  /** Adds a keyword. Returns the place of the keyword that it repeats, in which case it is not added. */
  add(entry: KeywordEntry, place: KeywordPlace): KeywordPlace | undefined {
    const country = shared(this.#countries, entry.country ?? this.#defaults.country, countryCode);
    const language = shared(this.#languages, entry.language ?? this.#defaults.language, languageCode);
    const set = deviceSetOf(entry.devices ?? this.#defaults.devices);
    const index = this.#keywords.length;
    const repeated = this.#see(`${country} ${language}`, set, entry.keyword.toLowerCase(), index);
    if (repeated !== undefined) return this.#places[repeated];
    this.#places.push(place);
    this.#keywords.push(
      Object.freeze({
        keyword: entry.keyword,
        country,
        language,
        devices: deviceSets[set],
        tags: entry.tags === undefined ? this.#ownTags : this.#mergeTags(entry.tags),
        priority: entry.priority ?? 'normal',
        depth: entry.depth ?? this.#defaults.depth,
      }),
    );
    return undefined;
  }

  /** The keywords in the order they were added, frozen. */
  finish(): readonly TrackedKeyword[] {
    return Object.freeze(this.#keywords);
  }

  #see(market: string, set: 0 | 1 | 2, key: string, index: number): number | undefined {
    let seen = this.#seen.get(market);
    if (seen === undefined) {
      seen = [new Map(), new Map(), new Map()];
      this.#seen.set(market, seen);
    }
    for (const other of overlapping[set]) {
      const repeated = seen[other].get(key);
      if (repeated !== undefined) return repeated;
    }
    seen[set].set(key, index);
    return undefined;
  }

  #mergeTags(tags: readonly string[]): readonly string[] {
    const known = this.#merged.get(tags);
    if (known !== undefined) return known;
    const merged = this.#shareTags([...this.#defaults.tags, ...tags]);
    this.#merged.set(tags, merged);
    return merged;
  }

  #shareTags(tags: readonly string[]): readonly string[] {
    const unique = [...new Set(tags.map((tag) => tag.trim()))];
    const key = JSON.stringify(unique);
    const known = this.#tagLists.get(key);
    if (known !== undefined) return known;
    Object.freeze(unique);
    this.#tagLists.set(key, unique);
    return unique;
  }
}
