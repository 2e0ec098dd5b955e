// The keywords of one project: fills in markets, shares repeated values, rejects duplicates. Made for a million.

import { canonicalLocation } from '../../src/service/terms.ts';
import { getOrInsert } from '../../src/tracker/maps.ts';
import type { Device, TrackedKeyword } from '../../src/tracker/project.ts';
import type { ResolvedLocation } from '../rules/geo-targets.ts';
import { countryCode, languageCode } from '../schema/complaints.ts';
import { gridPoints, type WrittenGrid } from './grid.ts';
import type { KeywordEntry } from './keyword-file.ts';

/** Project defaults for keywords. */
export interface KeywordDefaults {
  readonly country: string;
  readonly language: string;
  /** As written; of keywords of the same country. */
  readonly location?: string;
  /** Instead of a location. */
  readonly grid?: WrittenGrid;
  readonly devices: readonly Device[];
  readonly tags: readonly string[];
  readonly depth: number;
}

/** A source location in one number: a line of the keyword file, or -1 - index among the inline keywords. */
export type SourceLocation = number;

/** A location that could not be resolved, at its first keyword. */
interface MisplacedKeyword {
  readonly at: SourceLocation;
  readonly message: string;
  readonly hint?: string;
}

/** Resolves a written location in a country. */
export type ResolveLocation = (written: string, country: string) => ResolvedLocation;

interface RepeatedKeyword {
  /** Where the first original is written. */
  readonly location: SourceLocation;
  /** Whether every search of the duplicate is tracked already. */
  readonly isCovered: boolean;
}

const onlyDesktop: readonly Device[] = Object.freeze(['desktop'] as const);
const onlyMobile: readonly Device[] = Object.freeze(['mobile'] as const);
const bothDevices: readonly Device[] = Object.freeze(['desktop', 'mobile'] as const);

function sharedDevices(devices: readonly Device[]): readonly Device[] {
  if (!devices.includes('mobile')) return onlyDesktop;
  return devices.includes('desktop') ? bothDevices : onlyMobile;
}

function covers(devices: readonly Device[], wanted: readonly Device[]): boolean {
  return wanted.every((device) => devices.includes(device));
}

function asWritten(written: string): ResolvedLocation {
  return { location: written.toLowerCase() === 'none' ? undefined : (canonicalLocation(written) ?? written) };
}

/** Interns `written`: each row of a file comes with its own copy of a string. */
function shared(known: Map<string, string>, written: string, spelling: (written: string) => string): string {
  return getOrInsert(known, written, () => spelling(written));
}

/** Whether two keywords of equal text would buy the same page twice. Countries and languages are interned strings. */
export function isSameSearch(a: TrackedKeyword, b: TrackedKeyword): boolean {
  if (a.country !== b.country || a.language !== b.language || a.location !== b.location) return false;
  return a.devices === b.devices || a.devices === bothDevices || b.devices === bothDevices;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

export class KeywordList {
  readonly #defaults: KeywordDefaults;
  readonly #keywords: TrackedKeyword[] = [];
  readonly #locations: SourceLocation[] = [];
  /** Indexes of keywords by their text in lower case, and their location. */
  readonly #byText = new Map<string, number | number[]>();
  /** Tag list as JSON -> its frozen array. */
  readonly #tagLists = new Map<string, readonly string[]>();
  /** Written tag list -> the merged one. */
  readonly #merged = new WeakMap<readonly string[], readonly string[]>();
  readonly #countries = new Map<string, string>();
  readonly #languages = new Map<string, string>();
  readonly #ownTags: readonly string[];
  readonly #resolve: ResolveLocation;
  /** Locations of the grid; none without one. */
  readonly #points: readonly string[];
  readonly #misplaced = new Map<string, MisplacedKeyword>();

  /** Without `resolve`, locations are taken as they are written. */
  constructor(defaults: KeywordDefaults, resolve: ResolveLocation = asWritten) {
    this.#defaults = defaults;
    this.#resolve = resolve;
    this.#points = defaults.grid === undefined ? [] : gridPoints(defaults.grid);
    this.#ownTags = this.#shareTags(defaults.tags);
  }

  /**
   * Adds a keyword, in a market with a grid once for each of its points. A duplicate is not added; its original is
   * returned. A paused keyword is not added either.
   */
  add(entry: KeywordEntry, location: SourceLocation): RepeatedKeyword | undefined {
    if (entry.paused === true) return undefined;
    if (this.#points.length === 0 || entry.location !== undefined) return this.#addOne(entry, location);
    if (entry.country !== undefined && countryCode(entry.country) !== countryCode(this.#defaults.country))
      return this.#addOne(entry, location);
    let repeated: RepeatedKeyword | undefined;
    for (const point of this.#points) repeated = this.#addOne({ ...entry, location: point }, location) ?? repeated;
    return repeated;
  }

  #addOne(entry: KeywordEntry, location: SourceLocation): RepeatedKeyword | undefined {
    const country = shared(this.#countries, entry.country ?? this.#defaults.country, countryCode);
    const language = shared(this.#languages, entry.language ?? this.#defaults.language, languageCode);
    const place = this.#locate(entry, country, location);
    const devices = sharedDevices(entry.devices ?? this.#defaults.devices);
    // no spreads: in a million keywords they take longer than all else
    const keyword: Mutable<TrackedKeyword> = {
      keyword: entry.keyword,
      country,
      language,
      devices,
      tags: entry.tags === undefined ? this.#ownTags : this.#mergeTags(entry.tags),
      priority: entry.priority ?? 'normal',
      depth: entry.depth ?? this.#defaults.depth,
    };
    if (place !== undefined) keyword.location = place;
    if (entry.preferredUrl !== undefined) keyword.preferredUrl = entry.preferredUrl;
    const repeated = this.#enter(keyword, this.#keywords.length);
    if (repeated !== undefined)
      return { location: this.#locations[repeated.index] ?? 0, isCovered: covers(repeated.devices, devices) };
    this.#locations.push(location);
    this.#keywords.push(Object.freeze(keyword));
    return undefined;
  }

  /** Keywords with locations that could not be resolved, each location once. */
  get misplaced(): readonly MisplacedKeyword[] {
    return [...this.#misplaced.values()];
  }

  /** The source location of a keyword. */
  locationOf(index: number): SourceLocation {
    return this.#locations[index] ?? 0;
  }

  /** The keywords in the order they were added, frozen. */
  finish(): readonly TrackedKeyword[] {
    return Object.freeze(this.#keywords);
  }

  /** The location of the market is one inside its country: keywords of other countries do not have it. */
  #locate(entry: KeywordEntry, country: string, at: SourceLocation): string | undefined {
    const written = entry.location ?? this.#defaults.location;
    if (written === undefined) return undefined;
    if (entry.location === undefined && country !== countryCode(this.#defaults.country)) return undefined;
    const resolved = this.#resolve(written, country);
    if ('location' in resolved) return resolved.location;
    const { complaint: message, hint } = resolved;
    if (!this.#misplaced.has(message))
      this.#misplaced.set(message, { at, message, ...(hint !== undefined && { hint }) });
    return written; // two unknown places are two markets
  }

  /** Enters a keyword by index. A duplicate is not entered; its first original and the devices of all are returned. */
  #enter(keyword: TrackedKeyword, index: number): { index: number; devices: readonly Device[] } | undefined {
    const text = keyword.keyword.toLowerCase();
    const key = keyword.location === undefined ? text : `${text}\n${keyword.location}`;
    const entered = this.#byText.get(key) ?? [];
    const alike = (typeof entered === 'number' ? [entered] : entered).flatMap((at) => {
      const other = this.#keywords[at];
      return other !== undefined && isSameSearch(keyword, other) ? [{ at, devices: other.devices }] : [];
    });
    const [first] = alike;
    if (first !== undefined) return { index: first.at, devices: alike.flatMap(({ devices }) => devices) };
    // most texts have one keyword: a list for each would take twice the memory
    this.#byText.set(key, this.#byText.has(key) ? [entered, index].flat() : index);
    return undefined;
  }

  #mergeTags(tags: readonly string[]): readonly string[] {
    return getOrInsert(this.#merged, tags, () => this.#shareTags([...this.#defaults.tags, ...tags]));
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
