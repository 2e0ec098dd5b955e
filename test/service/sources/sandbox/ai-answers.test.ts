// AI answers of the sandbox: the same for the same sample, and as different between samples as real ones.
import { expect, it } from 'vitest';
import { type AnswerEngine, createSource, systemClock } from '../../../../src/service/index.ts';

const at = Date.UTC(2026, 0, 15);
const { answers } = await createSource('sandbox', {}, { clock: systemClock });

async function ask(sample: number, more: { prompt?: string; engine?: AnswerEngine; at?: number } = {}) {
  const { prompt = 'best running shoes', engine = 'chatgpt' } = more;
  const request = { prompt, engine, country: 'US', language: 'en', sample };
  const answer = await answers?.fetchAnswer(request, { signal: new AbortController().signal, at: more.at ?? at });
  if (answer === undefined) throw new Error('the sandbox has answers');
  return answer;
}

const sites = (answer: { citations: readonly { url: string }[] }): Set<string> =>
  new Set(answer.citations.map(({ url }) => new URL(url).host));

it('a sample is always the same', async () => {
  expect(await ask(1)).toEqual(await ask(1));
});

it('samples differ, and share some of the sites that they cite', async () => {
  const all = await Promise.all(Array.from({ length: 30 }, (_, index) => ask(index + 1)));
  const overlaps = all.slice(1).map((answer, index) => {
    const [one, other] = [sites(answer), sites(all[index] ?? answer)];
    return [...one].filter((site) => other.has(site)).length / new Set([...one, ...other]).size;
  });
  const mean = overlaps.reduce((sum, overlap) => sum + overlap, 0) / overlaps.length;
  expect(mean).toBeGreaterThan(0.1);
  expect(mean).toBeLessThan(0.7);
});

it('engines, prompts and days have other answers, and each has a text', async () => {
  const usual = await ask(1);
  for (const more of [{ engine: 'gemini' as const }, { prompt: 'trail shoes' }, { at: at + 40 * 86_400_000 }]) {
    const other = await ask(1, more);
    expect(other.text).not.toBe('');
    expect(other.citations).not.toEqual(usual.citations);
  }
});

it('every citation of the text has its page', async () => {
  const { text, citations } = await ask(3);
  const marks = [...text.matchAll(/\[(\d+)\]/g)].map(([, mark]) => Number(mark));
  expect(marks).toEqual(citations.map((_, index) => index + 1));
});
