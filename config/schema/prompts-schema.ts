// The keys of `prompts`: what is asked of AI engines, how often, and how many samples are bought.
import * as z from 'zod';
import { answerEngines } from '../../src/service/index.ts';
import type { TrackedPrompts } from '../../src/tracker/project.ts';
import { normalKeyword } from '../keyword-files/keyword-text.ts';
import { countryCode, languageCode } from '../rules/markets.ts';
import { count, country, language, text } from './schema-parts.ts';

const promptCharactersMax = 1_000;
const samplesMax = 50;

const promptText = text((written) => {
  if (normalKeyword(written) === '') return 'is empty';
  return /\p{Cc}/u.test(normalKeyword(written)) ? 'has control characters' : undefined;
}, promptCharactersMax);

const promptEntry = z.strictObject({
  prompt: promptText.describe('What is asked.'),
  country: country.optional().describe('Country, if it differs from the market.'),
  language: language.optional().describe('Language, if it differs from the market.'),
});

export const promptsSchema = z.strictObject({
  engines: z
    .array(z.enum(answerEngines))
    .min(1)
    .max(answerEngines.length)
    .describe('Engines that are asked: ai-mode, chatgpt, perplexity, gemini, copilot.'),
  samples: count(samplesMax)
    .default(5)
    .describe(
      'Answers per prompt, engine and period. Engines answer differently each time: 5 is the least that can show a change.',
    ),
  every: z
    .enum(['day', 'week', 'month'])
    .default('week')
    .describe('Period: the samples of each day, week (from Monday) or month are bought once, in runs of the project.'),
  texts: z
    .array(z.union([promptText, promptEntry]))
    .min(1)
    .max(10_000)
    .describe('Prompts, as text or { prompt, country, language }.'),
});

/** Each prompt once per market. */
export function resolvePrompts(
  written: z.output<typeof promptsSchema>,
  market: { readonly country: string; readonly language: string },
): TrackedPrompts {
  const { engines, samples, every, texts } = written;
  const list = texts.map((entry) => {
    const own = typeof entry === 'string' ? { prompt: entry } : entry;
    return {
      prompt: normalKeyword(own.prompt),
      country: countryCode(own.country ?? market.country),
      language: languageCode(own.language ?? market.language),
    };
  });
  const once = new Map(list.map((each) => [Object.values(each).join('\0'), each]));
  return { engines: [...new Set(engines)], samples, every, list: [...once.values()] };
}
