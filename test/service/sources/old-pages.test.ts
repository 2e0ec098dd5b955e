// An old page in answer to a live request is refused, under each name that vendors have for its time.
import { expect, it } from 'vitest';
import { readAnswer } from './vendor-service.ts';

const hourMs = 3_600_000;
const now = Date.UTC(2026, 0, 15, 6);
const results = [{ title: 'Shoes', link: 'https://shop.example/', url: 'https://shop.example/', type: 'organic' }];

const zoned = (at: number): string => new Date(at).toISOString();
const serpApiTime = (at: number): string => `${zoned(at).slice(0, 19).replace('T', ' ')} UTC`;
const taskTime = (at: number): string => `${zoned(at).slice(0, 19).replace('T', ' ')} +00:00`;
/** As Oxylabs writes it. */
const withoutZone = (at: number): string => zoned(at).slice(0, 19).replace('T', ' ');

const search = (created: string) => ({ search_metadata: { created_at: created }, organic_results: results });
const task = (datetime: string) => ({
  status_code: 20_000,
  tasks: [{ status_code: 20_000, result: [{ keyword: 'shoes', datetime, items: results }] }],
});
const job = (created: string) => ({
  results: [{ created_at: created, content: { parse_status_code: 12_000, results: { organic: results } } }],
});
const answers: Readonly<Record<string, (at: number) => object>> = {
  serpapi: (at) => search(serpApiTime(at)),
  searchapi: (at) => search(zoned(at)),
  valueserp: (at) => search(zoned(at)),
  brightdata: (at) => ({ general: { timestamp: zoned(at) }, organic: results }),
  dataforseo: (at) => task(taskTime(at)),
  oxylabs: (at) => job(withoutZone(at)),
};

it.each(Object.entries(answers))(
  'a page of %s is refused if it was fetched more than a day from its request',
  async (source, answer) => {
    const ask = (age: number) => readAnswer(source, 'shoes', answer(now - age), {}, now);
    for (const age of [25 * hourMs, 30 * 24 * hourMs, -25 * hourMs])
      expect(await ask(age)).toMatchObject({ code: 'SERP_FAILED', reason: 'stale_page', charged: 'yes' });
    // a clock that is ahead, and a time without a zone, date nothing
    expect(await ask(-2 * hourMs)).toMatchObject({ observedAt: now + 10 });
    expect(await ask(2 * hourMs)).toMatchObject({ observedAt: source === 'oxylabs' ? now + 10 : now - 2 * hourMs });
  },
);
