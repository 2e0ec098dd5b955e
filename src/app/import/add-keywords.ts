// Turns keyword exports into new rows of a project's keyword file, with tags and preferred URLs. Writes nothing.

import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gridPoints } from '../../../config/keyword-files/grid.ts';
import {
  type KeywordEntry,
  keywordFileComplaint,
  readRows,
  withKeywords,
} from '../../../config/keyword-files/keyword-file.ts';
import { KeywordList } from '../../../config/keyword-files/keyword-list.ts';
import type { KeywordSource, ResolvedConfig } from '../../../config/resolve.ts';
import type { GeoTargets } from '../../../config/rules/geo-targets.ts';
import {
  countryComplaint,
  keywordComplaint,
  languageCode,
  languageComplaint,
  normalKeyword,
  preferredUrlComplaint,
  tagComplaint,
} from '../../../config/schema/complaints.ts';
import {
  type ListedKeyword,
  type ListRejectReason,
  type ListRole,
  listRejectReasons,
  type RejectedRow,
  readKeywordList,
} from '../../import/lists/read-list.ts';
import { suggestTags, type TagSource } from '../../import/lists/suggest-tags.ts';
import { type LocationKind, parseLocation, sourceLocations } from '../../service/terms.ts';
import { sumOf } from '../../tracker/figures.ts';
import { addTo, getOrInsert } from '../../tracker/maps.ts';
import type { Device, Project, TrackedKeyword } from '../../tracker/project.ts';
import { compileTargets } from '../../tracker/targets/target.ts';
import { UsageError } from '../opening/failures.ts';
import { projectsNamed } from '../opening/named-projects.ts';
import { geoTargets, parseLocationOption } from '../opening/place-names.ts';
import { FileBytes, heldBytes, openingFile, openTable, parseMarket } from './files.ts';

/** A list that is no file of this machine. */
interface PastedList {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface AddOptions {
  /** Absolute, or lists. */
  readonly files: readonly (string | PastedList)[];
  /** Default: the config's only one. */
  readonly project?: string;
  readonly map: ReadonlyMap<ListRole, string>;
  /** For rows that do not say it themselves; default: the market of the project. */
  readonly country?: string;
  readonly language?: string;
  readonly devices?: readonly Device[];
  readonly location?: string;
  /** Of every new keyword. */
  readonly tags?: readonly string[];
  /** Of suggested tags and those of the lists, which are not wanted. */
  readonly withoutTags?: readonly string[];
  readonly tagSources: ReadonlySet<TagSource>;
  /** Whether pages of the own targets become preferred URLs. */
  readonly suggestsUrls: boolean;
}

export type PlannedAddition = Awaited<ReturnType<typeof planKeywordAddition>>;
/** What would be added. */
export type KeywordAddition = PlannedAddition['addition'];

/**
 * `config`: loaded without keyword files, so that the project's may be missing. Throws UnreadableFile with the file
 * that cannot be read, and UsageError for options that do not fit the project.
 */
export async function planKeywordAddition(config: ResolvedConfig, options: AddOptions) {
  const project = onlyProject(config, options.project);
  const source = keywordSourceOf(config, project);
  const { file } = source;
  const { tags: more = [] } = options;
  const complaint = more.map(tagComplaint).find((found) => found !== undefined);
  if (complaint !== undefined) throw new UsageError(complaint);
  const places = geoTargets(config);
  const text = readKeywordText(file);
  const tracked = trackedKeywords(project, source, text, places);
  const market = parseMarket(options);
  const country = market.country ?? source.defaults.country;
  const taken = await takenLocations(config, project);
  const listed = new ListedKeywords({
    country,
    language: market.language ?? source.defaults.language,
    devices: options.devices ?? source.defaults.devices,
    ...(options.location === undefined ? {} : { location: checkedLocation(places, options.location, country) }),
    locate(written, of) {
      const found = places.resolve(written, of);
      if (!('location' in found)) return 'location';
      return found.location === undefined || taken.includes(parseLocation(found.location).kind)
        ? found
        : 'untaken_location';
    },
  });
  for (const name of options.files) await listed.read(name, options.map);
  const usual = usualLocation(source, places);
  const fresh = untracked(listed.keywords, tracked, source.defaults.country, usual);
  const added = toEntries(fresh, project, source, options);
  const addition = {
    project: project.id,
    /** Absolute. */
    keywordsFile: file,
    isNewFile: text === null || text.trim() === '',
    files: listed.reports,
    notTaken: sumOf(listed.reports, ({ notTaken }) => notTaken),
    /** Keywords of the files in a country and a language, each once. `known`: all their searches are tracked. */
    found: listed.keywords.size,
    known: listed.keywords.size - fresh.length,
    /** The others, as they are written. */
    added,
    /** Suggested tags and those of the files, with the number of new keywords. */
    tags: tagCounts(added),
  };
  return {
    addition,
    /** The keyword file, as it is (null: there is none) and as it will be. */
    file,
    text,
    content: added.length === 0 ? (text ?? '') : withKeywords(text, added),
    /** The project with its keywords as they are, and as they will be. */
    before: { ...project, keywords: tracked },
    after: { ...project, keywords: [...tracked, ...resolved(added, source)] },
  };
}

function onlyProject(config: ResolvedConfig, id: string | undefined): Project {
  const [project, ...others] = projectsNamed(config, id === undefined ? [] : [id]);
  if (project === undefined) throw new UsageError('the config has no project to which keywords could be added');
  if (others.length === 0) return project;
  const known = [project, ...others].map((each) => each.id).join(', ');
  throw new UsageError(`say to which project, with --project; the config has: ${known}`);
}

/** Throws UsageError for a place that is unknown in the country. */
function checkedLocation(places: GeoTargets, written: string, country: string): string {
  parseLocationOption(places, written, country);
  return written;
}

const allKinds: readonly LocationKind[] = ['place', 'coordinate'];

/** What the service of a project can request pages for. */
async function takenLocations({ services }: ResolvedConfig, { service }: Project): Promise<readonly LocationKind[]> {
  const config = services.get(service);
  if (config === undefined) return allKinds;
  if (config.mode === 'remote') return config.takesLocations ? allKinds : [];
  return (await sourceLocations(config.source, config.options)) ?? allKinds;
}

/** Where rows without a place are searched; of a grid one of its points stands for all. */
function usualLocation({ defaults }: KeywordSource, places: GeoTargets): string | undefined {
  const written = defaults.grid === undefined ? defaults.location : gridPoints(defaults.grid)[0];
  const found = written === undefined ? undefined : places.resolve(written, defaults.country);
  return found !== undefined && 'location' in found ? found.location : undefined;
}

/** A source with a keyword file. */
type KeywordFileSource = KeywordSource & { readonly file: string };

/** Throws UsageError for a project without a keyword file. */
export function keywordSourceOf(config: ResolvedConfig, project: Project): KeywordFileSource {
  const source = config.keywordSources.get(project.id);
  const file = source?.file;
  if (source !== undefined && file !== undefined) return { ...source, file };
  throw new UsageError(
    `project ${project.id} has no keyword file to write to`,
    `Add to the project in ${config.file}: keywordsFile: keywords/${project.id}.csv`,
  );
}

/** Null: there is no such file. Throws UsageError. */
export function readKeywordText(file: string): string | null {
  if (!existsSync(file)) return null;
  const complaint = keywordFileComplaint(file);
  if (complaint !== undefined) throw invalidFile(`${file} ${complaint}`);
  return readFileSync(file, 'utf8');
}

function invalidFile(problem: string): UsageError {
  return new UsageError(`the keyword file must be valid first: ${problem}`, 'Run `rankledger check`.');
}

/** The keywords of the config and of `text`, a keyword file. Throws UsageError for an invalid one. */
export function trackedKeywords(
  project: Project,
  { defaults, file }: KeywordFileSource,
  text: string | null,
  places: GeoTargets,
): readonly TrackedKeyword[] {
  const list = new KeywordList(defaults, places.resolve.bind(places));
  for (const [index, keyword] of project.keywords.entries())
    list.add({ ...keyword, location: keyword.location ?? 'none' }, -1 - index);
  for (const { line, entry } of keywordLines(file, text))
    if (list.add(entry, line)?.isCovered === false)
      throw invalidFile(`${file}:${line} "${entry.keyword}" is tracked twice; write its devices in one line`);
  return list.finish();
}

/** The keywords of `text`, a keyword file, with their lines. Throws UsageError for an invalid one. */
export function keywordLines(file: string, text: string | null) {
  const lines: { readonly line: number; readonly entry: KeywordEntry }[] = [];
  if (text === null || text.trim() === '') return lines;
  readRows(Buffer.from(text.replace(/^\uFEFF/, '')), {
    onKeyword: (entry, line) => void lines.push({ line, entry }),
    onProblem({ line, message }) {
      throw invalidFile(`${file}${line === undefined ? ':' : `:${line}`} ${message}`);
    },
    onWarning: () => {},
  });
  return lines;
}

/** The keywords with the devices on which they are not tracked. */
function untracked(
  found: ReadonlyMap<string, MergedKeyword>,
  tracked: readonly TrackedKeyword[],
  usualCountry: string,
  usual: string | undefined,
): MergedKeyword[] {
  const known = new Map<string, Set<Device>>();
  for (const { keyword, country, language, location, devices } of tracked) {
    const key = searchKey(keyword, country, language, location);
    known.set(key, new Set([...(known.get(key) ?? []), ...devices]));
  }
  return [...found.values()].flatMap((merged) => {
    const { keyword, country, language, location = country === usualCountry ? usual : undefined } = merged;
    const before = known.get(searchKey(keyword, country, language, location));
    const missing = new Set([...merged.devices].filter((device) => before?.has(device) !== true));
    return missing.size === 0 ? [] : [{ ...merged, devices: missing }];
  });
}

function toEntries(
  keywords: readonly MergedKeyword[],
  project: Project,
  { defaults }: KeywordSource,
  options: AddOptions,
): KeywordEntry[] {
  const own = compileTargets(project.targets);
  const urls = keywords.map(({ preferredUrls, urls: ranking }) =>
    options.suggestsUrls
      ? ([...preferredUrls, ...ranking.map(({ url }) => url)].find(
          (url) => preferredUrlComplaint(url) === undefined && own.matchingIndexes(url).length > 0,
        ) ?? null)
      : null,
  );
  const untagged = keywords.map(({ keyword, language, files }, at) => ({
    keyword,
    language,
    files: [...files],
    url: urls[at] ?? null,
  }));
  const suggested = suggestTags(untagged, options.tagSources);
  const { tags: more = [], withoutTags: unwanted = [] } = options;
  return keywords.map(({ keyword, country, language, location, devices, tags }, at): KeywordEntry => {
    const preferredUrl = urls[at] ?? undefined;
    const isUsual = devices.size === defaults.devices.length && defaults.devices.every((device) => devices.has(device));
    const found = [...tags, ...(suggested[at] ?? [])].map((tag) => tag.trim()).filter((tag) => !unwanted.includes(tag));
    const unique = new Set([...found, ...more.map((tag) => tag.trim())]);
    const written = [...unique].filter((tag) => tagComplaint(tag) === undefined && !defaults.tags.includes(tag));
    return {
      keyword,
      ...(country === defaults.country ? {} : { country }),
      ...(language === defaults.language ? {} : { language }),
      location,
      ...(isUsual ? {} : { devices: [...devices].sort() }),
      ...(written.length === 0 ? {} : { tags: written }),
      preferredUrl,
    };
  });
}

function resolved(added: readonly KeywordEntry[], { defaults }: KeywordSource): readonly TrackedKeyword[] {
  const list = new KeywordList(defaults);
  for (const [index, entry] of added.entries()) list.add(entry, index + 1);
  return list.finish();
}

/** Most frequent first. */
function tagCounts(added: readonly KeywordEntry[]) {
  const counts = new Map<string, number>();
  for (const tag of added.flatMap(({ tags = [] }) => tags)) addTo(counts, tag);
  return [...counts]
    .map(([tag, keywords]) => ({ tag, keywords }))
    .sort((a, b) => b.keywords - a.keywords || a.tag.localeCompare(b.tag, 'en'));
}

/** Where a keyword is searched if its row does not say. */
interface ListDefaults {
  readonly country: string;
  readonly language: string;
  readonly devices: readonly Device[];
  /** As written; for rows of the same country. */
  readonly location?: string;
  /** Resolves the place of a row, or says why it is left out. Absent: places are not looked up. */
  locate?(written: string, country: string): { readonly location: string | undefined } | ListRejectReason;
}

/** A keyword of a country and a language, once. */
interface MergedKeyword {
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
  /** Undefined: the row names no place. */
  readonly location: string | undefined;
  readonly devices: Set<Device>;
  readonly tags: Set<string>;
  /** Names without folder and ending. */
  readonly files: Set<string>;
  readonly preferredUrls: string[];
  /** Best rank first; of pages without a rank, in the order of the files. */
  urls: { readonly url: string; readonly rank: number }[];
}

interface ListFileReport {
  readonly file: string;
  readonly format: string;
  /** Rows that hold a keyword. */
  readonly rows: number;
  readonly notTaken: number;
  readonly refused: readonly {
    readonly reason: ListRejectReason;
    readonly what: string;
    readonly remedy: string | null;
    readonly count: number;
    readonly first: readonly { readonly line: number; readonly said: string }[];
  }[];
}

/** One key for all spellings of a keyword in a market. */
function searchKey(keyword: string, country: string, language: string, location = ''): string {
  return `${keyword.toLowerCase()}\n${country}\n${language}\n${location}`;
}

const firstMax = 3;
/** More pages of one keyword tell nothing new. */
const urlsMax = 20;

/** Two pages without a rank are equal. */
function byRank(a: { readonly rank: number }, b: { readonly rank: number }): number {
  return a.rank === b.rank ? 0 : a.rank - b.rank;
}

export class ListedKeywords {
  readonly reports: ListFileReport[] = [];
  /** By `searchKey`, in the order of the files. */
  readonly keywords = new Map<string, MergedKeyword>();
  readonly #defaults: ListDefaults;

  constructor(defaults: ListDefaults) {
    this.#defaults = defaults;
  }

  /** Rejects with UnreadableFile with the file. */
  async read(list: string | PastedList, map: ReadonlyMap<ListRole, string>): Promise<void> {
    const file = typeof list === 'string' ? list : list.name;
    const refused = new Map<ListRejectReason, RejectedRow[]>();
    const counts = new Map<ListRejectReason, number>();
    let rows = 0;
    const format = await openingFile(file, async () => {
      const given = typeof list === 'string' ? new FileBytes(list) : heldBytes(list.bytes);
      const { bytes, found: read } = await openTable(given, (pieces) => readKeywordList(pieces, map));
      try {
        for (const row of read.rows) {
          const rejected = 'refused' in row ? row : this.#take(row, file);
          if (rejected === null) {
            rows += 1;
            continue;
          }
          const { refused: reason } = rejected;
          addTo(counts, reason);
          const first = refused.get(reason) ?? [];
          if (first.length < firstMax) refused.set(reason, [...first, rejected]);
        }
        return read.format;
      } finally {
        bytes.close();
      }
    });
    const groups = [...counts].map(([reason, count]) => ({
      reason,
      ...listRejectReasons[reason],
      count,
      first: (refused.get(reason) ?? []).map(({ line, said }) => ({ line, said })),
    }));
    const notTaken = sumOf(groups, ({ count }) => count);
    this.reports.push({ file, format, rows, notTaken, refused: groups });
  }

  /** Null: taken. */
  #take(row: ListedKeyword, file: string): RejectedRow | null {
    const keyword = normalKeyword(row.keyword);
    const written = row.language ?? this.#defaults.language;
    const country = row.country ?? this.#defaults.country;
    if (keywordComplaint(keyword) !== undefined)
      return { line: row.line, refused: 'bad_keyword', said: keyword.slice(0, 80) };
    if (languageComplaint(written) !== undefined || countryComplaint(country) !== undefined)
      return { line: row.line, refused: 'unknown_market', said: `${keyword}: ${country} ${written}`.slice(0, 80) };
    const language = languageCode(written);
    const place = row.location ?? (country === this.#defaults.country ? this.#defaults.location : undefined);
    const found = place === undefined ? undefined : this.#defaults.locate?.(place, country);
    if (typeof found === 'string') return { line: row.line, refused: found, said: `${keyword}: ${place}`.slice(0, 80) };
    const location = found?.location;
    const key = searchKey(keyword, country, language, location);
    const merged: MergedKeyword = getOrInsert(this.keywords, key, () => ({
      keyword,
      country,
      language,
      location,
      devices: new Set(),
      tags: new Set(),
      files: new Set(),
      preferredUrls: [],
      urls: [],
    }));
    for (const device of row.device === null ? this.#defaults.devices : [row.device]) merged.devices.add(device);
    for (const tag of row.tags) if (tagComplaint(tag) === undefined) merged.tags.add(tag);
    merged.files.add(basename(file).replace(/\.[^.]+$/, ''));
    if (row.preferredUrl !== null && merged.preferredUrls.length < urlsMax) merged.preferredUrls.push(row.preferredUrl);
    const pages = row.urls.map((url) => ({ url, rank: row.rank ?? Number.POSITIVE_INFINITY }));
    if (pages.length > 0) merged.urls = [...merged.urls, ...pages].sort(byRank).slice(0, urlsMax);
    return null;
  }
}
