// The keywords of several exports, each once: devices, tags, files and pages of its rows together.
import { basename } from 'node:path';
import {
  countryComplaint,
  keywordComplaint,
  languageCode,
  languageComplaint,
  normalKeyword,
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
import { UnreadableFile } from '../../import/text/text-file.ts';
import type { Device } from '../../tracker/project.ts';
import { FileBytes } from './file-bytes.ts';

/** Where a keyword is searched if its row does not say. */
export interface ListDefaults {
  readonly country: string;
  readonly language: string;
  readonly devices: readonly Device[];
  /** As written; for rows of the same country. */
  readonly location?: string;
  /** Resolves the place of a row, or says why it is left out. Absent: places are not looked up. */
  locate?(written: string, country: string): { readonly location: string | undefined } | ListRejectReason;
}

/** A keyword of a country and a language, once. */
export interface MergedKeyword {
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

export interface ListFileReport {
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

/** Thrown where a file cannot be read; it names the file. */
class UnreadableList extends UnreadableFile {
  readonly file: string;

  constructor(file: string, { message, hint }: UnreadableFile) {
    super(message, hint);
    this.file = file;
  }
}

/** One key for all spellings of a keyword in a market. */
export function searchKey(keyword: string, country: string, language: string, location = ''): string {
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

  /** `file`: absolute. Throws UnreadableFile with the file. */
  read(file: string, map: ReadonlyMap<ListRole, string>): void {
    const refused = new Map<ListRejectReason, RejectedRow[]>();
    const counts = new Map<ListRejectReason, number>();
    let rows = 0;
    try {
      const bytes = new FileBytes(file);
      try {
        const list = readKeywordList(() => bytes.pieces(), map);
        for (const row of list.rows) {
          const rejected = 'refused' in row ? row : this.#take(row, file);
          if (rejected === null) rows += 1;
          else {
            const { refused: reason } = rejected;
            counts.set(reason, (counts.get(reason) ?? 0) + 1);
            const first = refused.get(reason) ?? [];
            if (first.length < firstMax) refused.set(reason, [...first, rejected]);
          }
        }
        const groups = [...counts].map(([reason, count]) => ({
          reason,
          ...listRejectReasons[reason],
          count,
          first: (refused.get(reason) ?? []).map(({ line, said }) => ({ line, said })),
        }));
        const notTaken = groups.reduce((sum, { count }) => sum + count, 0);
        this.reports.push({ file, format: list.format, rows, notTaken, refused: groups });
      } finally {
        bytes.close();
      }
    } catch (error) {
      throw error instanceof UnreadableFile ? new UnreadableList(file, error) : error;
    }
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
    const merged: MergedKeyword = this.keywords.get(key) ?? {
      keyword,
      country,
      language,
      location,
      devices: new Set(),
      tags: new Set(),
      files: new Set(),
      preferredUrls: [],
      urls: [],
    };
    for (const device of row.device === null ? this.#defaults.devices : [row.device]) merged.devices.add(device);
    for (const tag of row.tags) if (tagComplaint(tag) === undefined) merged.tags.add(tag);
    merged.files.add(basename(file).replace(/\.[^.]+$/, ''));
    if (row.preferredUrl !== null && merged.preferredUrls.length < urlsMax) merged.preferredUrls.push(row.preferredUrl);
    const pages = row.urls.map((url) => ({ url, rank: row.rank ?? Number.POSITIVE_INFINITY }));
    if (pages.length > 0) merged.urls = [...merged.urls, ...pages].sort(byRank).slice(0, urlsMax);
    this.keywords.set(key, merged);
    return null;
  }
}
