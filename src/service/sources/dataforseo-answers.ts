// DataForSEO: answers of Google's AI Mode, ChatGPT and Gemini as their pages show them, and of Perplexity's API.
import type * as z from 'zod';
import type { AiAnswer, AnswerEngine, AnswerRequest } from '../model/answer-source.ts';
import { ServiceError } from '../model/errors.ts';
import type { Fields } from '../net/fields.ts';
import { login, password } from './dataforseo/account.ts';
import { complaint, findResult, findTask, readCharge, readCost, refusals } from './dataforseo/answer.ts';
import { authorization, decodedKeyword, encodedKeyword } from './dataforseo/task.ts';
import { answersExample, citationsIn, defineAnswers } from './vendor-kit/answers/answers.ts';
import { languageParameter, locationCode } from './vendor-kit/market.ts';
import { vendorOptions } from './vendor-kit/pages/define.ts';
import { objectAt, objectsAt, wordsAt } from './vendor-kit/values.ts';

const name = 'dataforseo';
const options = vendorOptions.omit({ apiKey: true }).extend({ login, password });

/** The vendor refuses longer prompts to the API of an assistant. */
const apiPromptCharactersMax = 500;
const apiModel = 'sonar';

const paths: Readonly<Partial<Record<AnswerEngine, string>>> = {
  'ai-mode': '/v3/serp/google/ai_mode/live/advanced',
  chatgpt: '/v3/ai_optimization/chat_gpt/llm_scraper/live/advanced',
  gemini: '/v3/ai_optimization/gemini/llm_scraper/live/advanced',
  perplexity: '/v3/ai_optimization/perplexity/llm_responses/live',
};

export const vendor = defineAnswers<z.output<typeof options>>({
  name,
  facts: {
    title: 'DataForSEO',
    engines: [
      {
        engine: 'ai-mode',
        microUsdMax: 10_000,
        asOf: '2026-08',
        format: 'docs.dataforseo.com, serp/google/ai_mode (page of 2026-06-06), read 2026-11',
      },
      {
        engine: 'chatgpt',
        microUsdMax: 10_000,
        asOf: '2026-08',
        format: 'docs.dataforseo.com, ai_optimization/chat_gpt/llm_scraper, read 2026-11',
      },
      {
        engine: 'gemini',
        microUsdMax: 10_000,
        asOf: '2026-08',
        format: 'docs.dataforseo.com, ai_optimization/gemini/llm_scraper, read 2026-11',
      },
      {
        engine: 'perplexity',
        microUsdMax: 30_000,
        asOf: '2026-08',
        format: `docs.dataforseo.com, ai_optimization/perplexity/llm_responses (model ${apiModel}), read 2026-11: the API of the assistant, not its page`,
      },
    ],
    failureCharge: 'unknown',
    failureRule: 'Each answer states the cost of its task.',
    rate: { requestsPerSecond: 10, concurrency: 10 },
    example: answersExample(name, { login: 'DATAFORSEO_LOGIN', password: 'DATAFORSEO_PASSWORD' }),
  },
  options,
  baseUrl: 'https://api.dataforseo.com',
  keysOf: ({ login, password }) => [`${login}:${password}`],
  complaint,
  refusals,
  outOfBandError: (_headers, _status, root) => ({ charged: root === undefined ? undefined : readCharge(root) }),
  call: (request, key) => ({
    method: 'POST',
    path: paths[request.engine] ?? '',
    headers: authorization(key),
    json: [taskOf(request)],
  }),
  read(root, engine) {
    const result = findResult(root);
    const prompt = promptIn(root);
    return { ...readText(result, engine), ...(prompt !== undefined && { prompt }) };
  },
  stated: (root) => readCost(findTask(root)),
});

function taskOf({ engine, prompt, country, language }: AnswerRequest): Record<string, unknown> {
  if (engine === 'perplexity') {
    if (prompt.length > apiPromptCharactersMax)
      throw refusal(`has no answers to prompts of more than ${apiPromptCharactersMax} characters`);
    return { user_prompt: prompt, model_name: apiModel, web_search_country_iso_code: country };
  }
  const location = locationCode(country);
  if (location === undefined) throw refusal(`has no code for the country ${country}`);
  return {
    keyword: encodedKeyword(prompt),
    location_code: location,
    language_code: languageParameter(language),
    ...(engine === 'ai-mode' && { device: 'desktop' }),
  };
}

/** Of the result, else of the request that the task repeats. */
function promptIn(root: Fields): string | undefined {
  const asked = objectAt(findTask(root), 'data');
  const keyword = wordsAt(findResult(root), 'keyword') ?? wordsAt(asked, 'keyword');
  return keyword === undefined ? wordsAt(asked, 'user_prompt') : decodedKeyword(keyword);
}

function readText(result: Fields | undefined, engine: AnswerEngine): AiAnswer {
  if (engine === 'ai-mode') return readAiMode(result);
  return engine === 'perplexity' ? readApiAnswer(result) : readPageAnswer(result);
}

function readAiMode(result: Fields | undefined): AiAnswer {
  const overviews = objectsAt(result, 'items').filter((item) => wordsAt(item, 'type') === 'ai_overview');
  const elements = overviews.flatMap((item) => objectsAt(item, 'items'));
  const written = overviews.flatMap((item) => wordsAt(item, 'markdown') ?? []);
  const texts = written.length > 0 ? written : elements.flatMap((item) => wordsAt(item, 'markdown', 'text') ?? []);
  const references = [...overviews, ...elements].flatMap((item) => objectsAt(item, 'references'));
  return { text: texts.join('\n\n'), citations: citationsIn(references) };
}

/** Its `search_results` are pages that were searched; `sources` are those that the answer cites. */
function readPageAnswer(result: Fields | undefined): AiAnswer {
  const model = wordsAt(result, 'model');
  return {
    text: wordsAt(result, 'markdown') ?? '',
    citations: citationsIn(objectsAt(result, 'sources')),
    ...(model !== undefined && { model }),
  };
}

function readApiAnswer(result: Fields | undefined): AiAnswer {
  const messages = objectsAt(result, 'items').filter((item) => wordsAt(item, 'type') === 'message');
  const sections = messages.flatMap((item) => objectsAt(item, 'sections'));
  const model = wordsAt(result, 'model_name');
  return {
    text: sections.flatMap((section) => wordsAt(section, 'text') ?? []).join('\n\n'),
    citations: citationsIn(sections.flatMap((section) => objectsAt(section, 'annotations'))),
    ...(model !== undefined && { model }),
  };
}

function refusal(what: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', `${name} ${what}.`, { hint: 'Use another source of AI answers for it.' });
}
