// The index of a folder of recorded pages: which recording answers a search at a moment.
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { keywordKey } from '../../model/results/keyword-data.ts';
import { canonicalCountry, canonicalLanguage } from '../../model/results/locale.ts';
import type { PageRequest } from '../../model/source.ts';
import { type Row, readTable } from './table.ts';

/** One recorded page. Without country or language it stands for any. */
export interface Recording {
  readonly keyword: string;
  readonly country: string | undefined;
  readonly language: string | undefined;
  readonly mobile: boolean;
  readonly page: number;
  /** UTC milliseconds; undefined for an undated recording. */
  readonly recordedAt: number | undefined;
  readonly engine: string;
  /** Absolute path. */
  readonly path: string;
}

export interface Recordings {
  readonly engine: string;
  /** The latest recording of the page up to `at`; an undated one where no dated one is old enough. */
  find(request: PageRequest, at: number): Recording | undefined;
}

const columns = ['keyword', 'device', 'page', 'file'];

/**
 * Reads the index of `dir`. Throws Error naming file and row: unreadable, a missing column, a bad value, a path that
 * leaves `dir`, pages of more than one engine.
 */
export async function readRecordings(indexFile: string, dir: string): Promise<Recordings> {
  const rows = await readTable(indexFile, columns);
  const bySearch = new Map<string, Recording[]>();
  let engine: string | undefined;
  for (const row of rows) {
    const recording = toRecording(row, dir);
    engine ??= recording.engine;
    if (recording.engine !== engine) {
      throw row.problem(
        `"engine" is ${recording.engine} where the rows above say ${engine}; give each engine its own index`,
      );
    }
    const key = searchKey(recording);
    const same = bySearch.get(key);
    if (same === undefined) bySearch.set(key, [recording]);
    else same.push(recording);
  }
  if (engine === undefined) throw new Error(`${indexFile} lists no recording.`);
  return { engine, find: (request, at) => latest(bySearch.get(searchKey(request)) ?? [], request, at) };
}

function toRecording(row: Row, dir: string): Recording {
  const device = row.required('device').toLowerCase();
  if (device !== 'desktop' && device !== 'mobile') throw row.problem('"device" must be desktop or mobile');
  const page = row.required('page');
  if (!/^[1-9]\d{0,3}$/.test(page)) throw row.problem('"page" must be a whole number from 1');
  return {
    keyword: row.required('keyword'),
    country: canonical(row, 'country', canonicalCountry, 'an ISO 3166-1 code'),
    language: canonical(row, 'language', canonicalLanguage, 'a BCP 47 language'),
    mobile: device === 'mobile',
    page: Number(page),
    recordedAt: readDate(row),
    engine: row.text('engine') ?? 'google',
    path: pathInside(row, dir),
  };
}

function canonical(row: Row, column: string, form: (text: string) => string | undefined, what: string) {
  const text = row.text(column);
  if (text === undefined) return undefined;
  const value = form(text);
  if (value === undefined) throw row.problem(`"${column}" must be ${what}, not "${text}"`);
  return value;
}

/** `2026-02-05` is the start of that day in UTC; an instant is `2026-02-05T09:30:00Z`. */
function readDate(row: Row): number | undefined {
  const text = row.text('date');
  if (text === undefined) return undefined;
  const form = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/.exec(text);
  const at = form === null ? Number.NaN : Date.parse(text);
  // A day that does not exist, such as 02-30, is rolled over by some date parsers.
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== form?.[1]) {
    throw row.problem(`"date" must be a date such as 2026-02-05 or 2026-02-05T09:30:00Z, not "${text}"`);
  }
  return at;
}

function pathInside(row: Row, dir: string): string {
  const file = row.required('file');
  const path = resolve(dir, file);
  const inside = relative(dir, path);
  if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    throw row.problem(`"file" must lie inside ${dir}, not "${file}"`);
  }
  return path;
}

function searchKey({ keyword, mobile, page }: { keyword: string; mobile: boolean; page: number }): string {
  return `${mobile ? 'mobile' : 'desktop'} ${page} ${keywordKey(keyword)}`;
}

/** Of several recordings of one moment, the one listed last. */
function latest(recordings: readonly Recording[], request: PageRequest, at: number): Recording | undefined {
  let best: Recording | undefined;
  for (const recording of recordings) {
    if ((recording.country ?? request.country) !== request.country) continue;
    if ((recording.language ?? request.language) !== request.language) continue;
    const moment = recording.recordedAt ?? Number.NEGATIVE_INFINITY;
    if (moment <= at && moment >= (best?.recordedAt ?? Number.NEGATIVE_INFINITY)) best = recording;
  }
  return best;
}
