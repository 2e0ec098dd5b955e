// Replays recorded pages from a folder with an index, and optionally recorded keyword metrics.

import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import Papa from 'papaparse';
import * as z from 'zod';
import type { Engine } from '../engines/engine.ts';
import { loadEngine } from '../engines/registry.ts';
import { ServiceError } from '../model/errors.ts';
import { limits } from '../model/limits.ts';
import { decodeText } from '../model/results/charset.ts';
import { competitionLevel, type Intent, type KeywordMetrics, keywordKey } from '../model/results/keyword-data.ts';
import { canonicalCountry, canonicalLanguage } from '../model/results/locale.ts';
import type {
  FetchedPage,
  MetricsModule,
  MetricsRequest,
  MetricsSource,
  PageRequest,
  SerpSource,
  Source,
  SourceFacts,
} from '../model/source.ts';
import { localFacts } from './vendor-kit/facts.ts';
import { refusePage } from './vendor-kit/market.ts';

const facts: SourceFacts = {
  ...localFacts,
  title: 'Replay',
  failureRule: 'Nothing costs anything.',
  emptyRule: 'The recorded page says so, in the words of its engine.',
  example: 'mode: embedded\nsource: replay\ndir: recorded-pages',
};

/**
 * `dir` holds the pages; `index` is `index.json` or `index.csv` in it unless named (relative to `dir`; it may lie
 * outside).
 */
export const replayOptions = z.strictObject({
  dir: z.string().min(1).describe('Folder of the recorded pages.'),
  index: z.string().min(1).optional().describe('Index of the pages. Default: index.json or index.csv in the folder.'),
});

export type ReplayOptions = z.infer<typeof replayOptions>;

/**
 * Makes the source. The index is an array or table of {keyword, country, language, device, page, date, file, engine};
 * country, language and date may be blank (any market, undated), engine is `google` then. `keywords.json` or
 * `keywords.csv` beside the index gives keyword metrics. Throws Error naming the file, and the row, that is wrong.
 */
export async function createReplaySource(
  options: ReplayOptions,
  engineNamed: (name: string) => Promise<Engine> = loadEngine,
): Promise<Source> {
  const dir = resolve(options.dir);
  const indexFile =
    options.index === undefined ? await findFirst(dir, ['index.json', 'index.csv']) : resolve(dir, options.index);
  if (indexFile === undefined) {
    throw new Error(`${dir} holds no index.json or index.csv. List each page there: keyword, device, page, file.`);
  }
  const recordings = await readRecordings(indexFile, dir);
  const serp = replayPages(recordings, dir, indexFile, await engineNamed(recordings.engine));
  const metricsFile = await findFirst(dirname(indexFile), ['keywords.json', 'keywords.csv']);
  return metricsFile === undefined ? { serp } : { serp, metrics: await readMetrics(metricsFile) };
}

export const pagesModule = {
  facts,
  options: replayOptions,
  create: (options: unknown) => createReplaySource(replayOptions.parse(options)),
};

/** Its metrics alone, of a folder whose pages are listed all the same. */
export const metricsModule: MetricsModule<typeof replayOptions> = {
  facts: {
    title: facts.title,
    prices: [],
    failureCharge: 'no',
    failureRule: facts.failureRule,
    knows: ['search_volume', 'cpc', 'competition', 'intent', 'related_keywords'],
    keywordsMax: 1000,
    rate: facts.rate,
    note: 'Only keywords that were recorded.',
    example: 'mode: embedded\nsource: sandbox\nmetrics: { source: replay, dir: recorded-pages }',
  },
  options: replayOptions,
  async create(options) {
    const { metrics } = await createReplaySource(replayOptions.parse(options));
    if (metrics === undefined) throw new Error('there is no keywords.json or keywords.csv beside the index.');
    return metrics;
  },
};

async function findFirst(dir: string, names: readonly string[]): Promise<string | undefined> {
  for (const name of names) {
    const file = join(dir, name);
    if (
      await stat(file).then(
        (found) => found.isFile(),
        () => false,
      )
    )
      return file;
  }
  return undefined;
}

function replayPages(recordings: Recordings, dir: string, indexFile: string, engine: Engine): SerpSource {
  return {
    name: 'replay',
    kind: 'replay',
    async fetchPage(request, { at }) {
      refusePage('replay', facts, request);
      const recording = recordings.find(request, at);
      if (recording === undefined) throw noRecording(request, at, indexFile);
      return await readRecording(recording, dir, at, indexFile);
    },
    readPage(body, request) {
      try {
        return engine.parse(body.text, { keyword: request.keyword, mobile: request.mobile });
      } catch (error) {
        // The same recording reads the same at every try.
        throw error instanceof ServiceError ? error.with({ disposition: 'abandon' }) : error;
      }
    },
  };
}

async function readRecording(recording: Recording, dir: string, at: number, indexFile: string): Promise<FetchedPage> {
  const { path, keyword, recordedAt = at } = recording;
  try {
    // a recorded folder may come from elsewhere, and hold links to any file
    const [file, folder] = await Promise.all([realpath(path), realpath(dir)]);
    if (!file.startsWith(folder.endsWith(sep) ? folder : folder + sep))
      throw new Error('It is a link out of the folder.');
    const { size } = await stat(path);
    if (size > limits.recordingBytesMax) throw new Error(`It has more than ${limits.recordingBytesMax} bytes.`);
    return { body: { contentType: 'text/html', text: decodeText(await readFile(path)) }, observedAt: recordedAt };
  } catch (cause) {
    const message = `The recording ${path} of "${keyword}" cannot be read. Restore it, or remove it from ${indexFile}.`;
    throw missing(message, cause);
  }
}

function noRecording(request: PageRequest, at: number, indexFile: string): ServiceError {
  const { keyword, country, language, mobile, page } = request;
  const search = `"${keyword}" (${country}, ${language}, ${mobile ? 'mobile' : 'desktop'}, page ${page})`;
  const moment = new Date(at).toISOString();
  return missing(
    `${indexFile} lists no recording of ${search} up to ${moment}. Record the page and add its row there.`,
  );
}

function missing(message: string, cause?: unknown): ServiceError {
  return new ServiceError('SERP_FAILED', message, {
    reason: 'no_recording',
    disposition: 'abandon',
    charged: 'no',
    hint: 'Record the page and list it in the index, or stop tracking the keyword.',
    cause,
  });
}

/** Without country or language it stands for any. */
interface Market {
  readonly country: string | undefined;
  readonly language: string | undefined;
}

/** One recorded page. */
interface Recording extends Market {
  readonly keyword: string;
  readonly mobile: boolean;
  readonly page: number;
  /** UTC milliseconds; undefined for an undated recording. */
  readonly recordedAt: number | undefined;
  readonly engine: string;
  /** Absolute path. */
  readonly path: string;
}

interface Recordings {
  readonly engine: string;
  /** The latest recording of the page up to `at`; an undated one where no dated one is old enough. */
  find(request: PageRequest, at: number): Recording | undefined;
}

/**
 * Reads the index of `dir`. Throws Error naming file and row: unreadable, a missing column, a bad value, a path that
 * leaves `dir`, pages of more than one engine.
 */
async function readRecordings(indexFile: string, dir: string): Promise<Recordings> {
  const rows = await readTable(indexFile, ['keyword', 'device', 'page', 'file']);
  const recordings = rows.map((row) => toRecording(row, dir));
  const engine = recordings[0]?.engine;
  if (engine === undefined) throw new Error(`${indexFile} lists no recording.`);
  const other = recordings.findIndex((recording) => recording.engine !== engine);
  if (other >= 0) {
    const words = `"engine" is ${recordings[other]?.engine} where the rows above say ${engine}; give each engine its own index`;
    throw rows[other]?.problem(words) ?? new Error(words);
  }
  const bySearch = Map.groupBy(recordings, searchKey);
  return {
    engine,
    find(request, at) {
      const same = bySearch.get(searchKey(request)) ?? [];
      const old = same.filter((each) => isOfMarket(each, request) && (each.recordedAt ?? 0) <= at);
      // of several recordings of one moment, the one listed last
      return old.toSorted((one, next) => (one.recordedAt ?? 0) - (next.recordedAt ?? 0)).at(-1);
    },
  };
}

function isOfMarket(recorded: Market, { country, language }: { country: string; language: string }): boolean {
  return (recorded.country ?? country) === country && (recorded.language ?? language) === language;
}

function toRecording(row: Row, dir: string): Recording {
  const device = row.required('device').toLowerCase();
  if (device !== 'desktop' && device !== 'mobile') throw row.problem('"device" must be desktop or mobile');
  const page = row.required('page');
  if (!/^[1-9]\d{0,3}$/.test(page)) throw row.problem('"page" must be a whole number from 1');
  return {
    keyword: row.required('keyword'),
    ...readMarket(row),
    mobile: device === 'mobile',
    page: Number(page),
    recordedAt: readDate(row),
    engine: row.text('engine') ?? 'google',
    path: pathInside(row, dir),
  };
}

function readMarket(row: Row): Market {
  const read = (column: string, canonical: (text: string) => string | undefined, what: string) => {
    const text = row.text(column);
    const value = text === undefined ? undefined : canonical(text);
    if (text !== undefined && value === undefined) throw row.problem(`"${column}" must be ${what}, not "${text}"`);
    return value;
  };
  return {
    country: read('country', canonicalCountry, 'an ISO 3166-1 code'),
    language: read('language', canonicalLanguage, 'a BCP 47 language'),
  };
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

const intents: readonly string[] = ['commercial', 'informational', 'navigational', 'transactional'] satisfies Intent[];

interface RecordedMetrics extends Market {
  readonly metrics: Omit<KeywordMetrics, 'country' | 'language'>;
}

/**
 * Reads recorded metrics: columns keyword, search_volume, cpc, competition, intent, related_keywords (joined by `|` in
 * CSV), country and language; all but the first may be blank. Throws Error naming file and row.
 */
async function readMetrics(file: string): Promise<MetricsSource> {
  const rows = (await readTable(file, ['keyword'])).map(recordedMetrics);
  const byKeyword = Map.groupBy(rows, ({ metrics }) => keywordKey(metrics.keyword));
  const find = (keyword: string, request: MetricsRequest): KeywordMetrics | undefined => {
    const recorded = byKeyword.get(keywordKey(keyword))?.findLast((row) => isOfMarket(row, request));
    return recorded && { ...recorded.metrics, country: request.country.toLowerCase(), language: request.language };
  };
  return {
    name: 'replay',
    kind: 'replay',
    async fetchMetrics(request) {
      const asked = find(request.keyword, request);
      if (asked === undefined) return [];
      const related = (asked.related_keywords ?? []).map((keyword) => find(keyword, request));
      return [asked, ...related.filter((metrics) => metrics !== undefined)].slice(0, request.limit);
    },
  };
}

function recordedMetrics(row: Row): RecordedMetrics {
  const intent = row.text('intent')?.toLowerCase();
  if (intent !== undefined && !intents.includes(intent))
    throw row.problem(`"intent" must be one of ${intents.join(', ')}`);
  const competition = row.amount('competition');
  if (competition !== undefined && competition > 100) throw row.problem('"competition" must be 0 to 100');
  const related = row.list('related_keywords');
  return {
    ...readMarket(row),
    metrics: {
      keyword: row.required('keyword'),
      search_volume: row.amount('search_volume') ?? null,
      cpc: row.amount('cpc') ?? null,
      competition: competition ?? null,
      competition_level: competition === undefined ? null : competitionLevel(competition),
      intent: (intent as Intent | undefined) ?? null,
      related_keywords: related.length === 0 ? null : related,
    },
  };
}

/** One row. Cells are found by lower-case column name; blank cells and nulls are absent. */
class Row {
  readonly #cells: ReadonlyMap<string, unknown>;
  readonly #place: string;

  constructor(cells: ReadonlyMap<string, unknown>, place: string) {
    this.#cells = cells;
    this.#place = place;
  }

  /** The trimmed text of a cell; numbers and booleans as text. Throws Error for lists and objects. */
  text(column: string): string | undefined {
    const cell = this.#cells.get(column);
    if (cell === undefined || cell === null) return undefined;
    if (typeof cell === 'object') throw this.problem(`"${column}" must be text`);
    const text = String(cell).trim();
    return text === '' ? undefined : text;
  }

  required(column: string): string {
    const text = this.text(column);
    if (text === undefined) throw this.problem(`"${column}" is missing`);
    return text;
  }

  /** A number that is not negative; undefined where the cell is blank. */
  amount(column: string): number | undefined {
    const text = this.text(column);
    if (text === undefined) return undefined;
    if (!/^\d+(\.\d+)?$/.test(text)) throw this.problem(`"${column}" must be a number, not "${text}"`);
    return Number(text);
  }

  /** A list: an array in JSON, text joined by `|` in CSV. */
  list(column: string): string[] {
    const cell = this.#cells.get(column);
    const items = Array.isArray(cell) ? cell.map(String) : (this.text(column)?.split('|') ?? []);
    return items.map((item) => item.trim()).filter((item) => item !== '');
  }

  /** An error that says where the row stands. */
  problem(message: string): Error {
    return new Error(`${this.#place}: ${message}.`);
  }
}

/**
 * Reads all rows of `file`. Throws Error naming the file: unreadable, not JSON, not an array, or without a required
 * column.
 */
async function readTable(file: string, requiredColumns: readonly string[]): Promise<Row[]> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  } catch (cause) {
    throw new Error(`${file} cannot be read as UTF-8 text.`, { cause });
  }
  const rows = file.toLowerCase().endsWith('.csv') ? csvRows(file, text, requiredColumns) : jsonRows(file, text);
  return rows.map((cells, index) => new Row(cells, `${file}, row ${index + 1}`));
}

function jsonRows(file: string, text: string): Map<string, unknown>[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file} is not valid JSON.`, { cause });
  }
  if (!Array.isArray(value)) throw new Error(`${file} must hold an array of objects.`);
  return value.map((row: unknown, index) => {
    if (typeof row !== 'object' || row === null || Array.isArray(row)) {
      throw new Error(`${file}, row ${index + 1}: must be an object.`);
    }
    return new Map(Object.entries(row));
  });
}

function csvRows(file: string, text: string, requiredColumns: readonly string[]): Map<string, unknown>[] {
  const { data, errors } = Papa.parse<string[]>(text, { skipEmptyLines: 'greedy' });
  const broken = errors.find(({ type }) => type === 'Quotes');
  if (broken !== undefined) throw new Error(`${file}, row ${broken.row ?? 0}: ${broken.message}.`);
  const [header = [], ...rows] = data;
  const columns = header.map((name) => name.trim().toLowerCase());
  const missing = requiredColumns.filter((column) => !columns.includes(column));
  if (missing.length > 0) throw new Error(`${file} lacks the column ${missing.join(', ')}.`);
  return rows.map((cells) => new Map(columns.map((column, index) => [column, cells[index]])));
}
