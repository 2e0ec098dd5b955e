// Bright Data: answers of Google's AI Mode, ChatGPT, Perplexity, Gemini and Copilot, from its scrapers of their pages.
import type * as z from 'zod';
import type { AiAnswer, AnswerEngine } from '../model/answer-source.ts';
import { ServiceError } from '../model/errors.ts';
import { boundedJson, vendorBounds } from '../net/bounded-json.ts';
import { type Fields, present, ShapeError } from '../net/fields.ts';
import { answersExample, citationsIn, defineAnswers } from './vendor-kit/answers/answers.ts';
import { vendorOptions } from './vendor-kit/pages/define.ts';
import { numberAt, objectsAt, wordsAt } from './vendor-kit/values.ts';

const name = 'brightdata';

/** Dataset of each scraper, and the page that it opens. Source: docs.brightdata.com and public clients, 2026-11. */
const scrapers: Readonly<Record<AnswerEngine, { readonly dataset: string; readonly url: string }>> = {
  'ai-mode': { dataset: 'gd_mcswdt6z2elth3zqr2', url: 'https://google.com/aimode' },
  chatgpt: { dataset: 'gd_m7aof0k82r803d5bjm', url: 'https://chatgpt.com/' },
  perplexity: { dataset: 'gd_m7dhdot1vw9a7gc1n', url: 'https://www.perplexity.ai/' },
  gemini: { dataset: 'gd_mbz66arm2mf9cu856y', url: 'https://gemini.google.com/' },
  copilot: { dataset: 'gd_m7di5jy6s9geokz8w', url: 'https://copilot.microsoft.com/chats' },
};

export const vendor = defineAnswers<z.output<typeof vendorOptions>>({
  name,
  facts: {
    title: 'Bright Data',
    engines: (Object.keys(scrapers) as AnswerEngine[]).map((engine) => ({
      engine,
      // paid as one goes; plans sell it for less
      microUsdMax: 1_500,
      asOf: '2026-08',
      format:
        engine === 'chatgpt'
          ? 'docs.brightdata.com, chatgpt-search-by-prompt, read 2026-11'
          : 'fields of public clients of the scraper, read 2026-11',
    })),
    failureCharge: 'unknown',
    failureRule: 'Only delivered records are billed; an answer that was ordered and not collected may be.',
    rate: { requestsPerSecond: 5, concurrency: 10 },
    example: answersExample(name, { apiKey: 'BRIGHTDATA_KEY' }),
  },
  options: vendorOptions,
  baseUrl: 'https://api.brightdata.com',
  keysOf: ({ apiKey }) => (typeof apiKey === 'string' ? [apiKey] : apiKey),
  // records are a list; while they are made, and for a refusal, there is an object or a line of text
  parse(text) {
    const root = boundedJson(text, vendorBounds);
    return Array.isArray(root) ? { records: root } : root;
  },
  complaint: (root) => (root.raw('records') === undefined ? wordsAt(root, 'error', 'validation_errors') : undefined),
  refusals: [
    { words: /suspend|balance|not active|customer_not/i, means: 'out_of_credits' },
    { words: /token|credential|auth/i, means: 'bad_key' },
    { status: 402, means: 'out_of_credits' },
    { status: 429, means: 'throttled', pauseMs: 30_000 },
    { status: 400, means: 'bad_request' },
    { status: 200, means: 'failed' },
  ],
  call: ({ engine, prompt, country }, key) => ({
    method: 'POST',
    path: '/datasets/v3/scrape',
    query: { dataset_id: scrapers[engine].dataset, format: 'json', include_errors: 'true' },
    headers: { authorization: `Bearer ${key}` },
    json: { input: [{ url: scrapers[engine].url, prompt, country }] },
  }),
  collect({ status, root }, key) {
    const snapshot = wordsAt(root, 'snapshot_id');
    if (status !== 202 || snapshot === undefined) return undefined;
    return {
      method: 'GET',
      path: `/datasets/v3/snapshot/${encodeURIComponent(snapshot)}`,
      query: { format: 'json' },
      headers: { authorization: `Bearer ${key}` },
    };
  },
  read(root) {
    const [record] = objectsAt(root, 'records');
    // one record that is delivered alone may come without its list
    const found = record ?? (root.raw('prompt') === undefined ? undefined : root);
    if (found === undefined) throw new ShapeError('it has no record');
    const error = wordsAt(found, 'error', 'warning');
    const text = wordsAt(found, 'answer_text_markdown', 'answer_text') ?? '';
    if (error !== undefined && text === '')
      throw new ServiceError('WORKER_FAILED', `${name} delivered an error: ${error}`, { charged: 'no' });
    return present<AiAnswer>({
      text,
      citations: citationsIn(citedBy(found)),
      model: wordsAt(found, 'model'),
      prompt: wordsAt(found, 'prompt'),
    });
  },
});

/** In their order. Pages that were searched, and entries that say that they are not cited, are left out. */
function citedBy(record: Fields): readonly Fields[] {
  const lists = ['citations', 'sources'].map((list) => objectsAt(record, list));
  const entries = lists.find((list) => list.length > 0) ?? [];
  return entries
    .filter((entry) => entry.raw('cited') !== false)
    .toSorted((a, b) => (numberAt(a, 'position') ?? 0) - (numberAt(b, 'position') ?? 0));
}
