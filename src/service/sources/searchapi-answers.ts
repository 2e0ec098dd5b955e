// SearchApi: answers of Google's AI Mode and of Bing's Copilot search.
import type * as z from 'zod';
import type { AiAnswer, AnswerEngine } from '../model/answer-source.ts';
import { present } from '../net/fields.ts';
import { answersExample, citationsIn, defineAnswers } from './vendor-kit/answers/answers.ts';
import { vendorOptions } from './vendor-kit/pages/define.ts';
import { objectAt, objectsAt, textsIn, wordsAt } from './vendor-kit/values.ts';

const name = 'searchapi';

const engines: Readonly<Partial<Record<AnswerEngine, string>>> = {
  'ai-mode': 'google_ai_mode',
  copilot: 'bing_copilot',
};

/** English names of countries are locations that the vendor takes. */
const countryNames = new Intl.DisplayNames('en', { type: 'region' });

export const vendor = defineAnswers<z.output<typeof vendorOptions>>({
  name,
  facts: {
    title: 'SearchApi',
    engines: [
      {
        engine: 'ai-mode',
        microUsdMax: 4_000,
        asOf: '2026-08',
        format: 'www.searchapi.io/openapi/google_ai_mode.yaml, read 2026-11',
      },
      {
        engine: 'copilot',
        microUsdMax: 4_000,
        asOf: '2026-08',
        format: 'www.searchapi.io/openapi/bing_copilot.yaml, read 2026-11: the engine takes no country',
      },
    ],
    failureCharge: 'no',
    failureRule: 'Only searches that succeed are charged.',
    rate: { requestsPerSecond: 5, concurrency: 5 },
    example: answersExample(name, { apiKey: 'SEARCHAPI_KEY' }),
  },
  options: vendorOptions,
  baseUrl: 'https://www.searchapi.io/api/v1',
  keysOf: ({ apiKey }) => (typeof apiKey === 'string' ? [apiKey] : apiKey),
  complaint(root) {
    const status = wordsAt(objectAt(root, 'search_metadata'), 'status') ?? 'Success';
    return wordsAt(root, 'error') ?? (status === 'Success' ? undefined : `the search is ${status}`);
  },
  refusals: [
    { words: /searches for (?:the|this) month|run out|credits|upgrade your plan/i, means: 'out_of_credits' },
    { words: /api.?key/i, means: 'bad_key' },
    { status: 429, words: /hour/i, means: 'throttled', pauseMs: 300_000 },
    { status: 200, means: 'failed' },
  ],
  call: ({ engine, prompt, country }, key) => ({
    method: 'GET',
    path: '/search',
    headers: { authorization: `Bearer ${key}` },
    query: {
      engine: engines[engine],
      q: prompt,
      location: engine === 'ai-mode' ? countryNames.of(country) : undefined,
    },
  }),
  read(root) {
    const blocks = objectsAt(root, 'text_blocks').flatMap((block) =>
      textsIn(block.raw('answer') ?? block.raw('snippet')),
    );
    return present<AiAnswer>({
      text: wordsAt(root, 'markdown') ?? blocks.join('\n\n'),
      citations: citationsIn(objectsAt(root, 'reference_links')),
      prompt: wordsAt(objectAt(root, 'search_parameters'), 'q'),
    });
  },
});
