// Replays recorded pages from a folder with an index, and optionally recorded keyword metrics.

import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import * as z from 'zod';
import type { Engine } from '../engines/engine.ts';
import { loadEngine } from '../engines/registry.ts';
import type { Source } from '../model/configured-source.ts';
import { ServiceError } from '../model/errors.ts';
import { limits } from '../model/limits.ts';
import { decodeText } from '../model/results/charset.ts';
import type { FetchedPage, MetricsModule, PageRequest, SerpSource, SourceFacts } from '../model/source.ts';
import { readMetrics } from './replay/metrics.ts';
import { type Recording, type Recordings, readRecordings } from './replay/recordings.ts';
import { refuseUnavailable } from './vendor-kit/market.ts';
import { localFacts } from './vendor-kit/pages/shared-facts.ts';

export const facts: SourceFacts = {
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
export const metricsModule: MetricsModule = {
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
      refuseUnavailable('replay', facts, request);
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

/**
 * Whether the file itself lies in the folder: a recorded folder may come from elsewhere, and hold links to any file.
 */
async function isInside(path: string, dir: string): Promise<boolean> {
  const [file, folder] = await Promise.all([realpath(path), realpath(dir)]);
  return file.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

async function readRecording(recording: Recording, dir: string, at: number, indexFile: string): Promise<FetchedPage> {
  let bytes: Uint8Array;
  try {
    if (!(await isInside(recording.path, dir))) throw new Error('It is a link out of the folder.');
    const { size } = await stat(recording.path);
    if (size > limits.recordingBytesMax) throw new Error(`It has more than ${limits.recordingBytesMax} bytes.`);
    bytes = await readFile(recording.path);
  } catch (cause) {
    const message = `The recording ${recording.path} of "${recording.keyword}" cannot be read. Restore it, or remove it from ${indexFile}.`;
    throw missing(message, cause);
  }
  return { body: { contentType: 'text/html', text: decodeText(bytes) }, observedAt: recording.recordedAt ?? at };
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
    ...(cause === undefined ? {} : { cause }),
  });
}
