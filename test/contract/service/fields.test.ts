// Every row of the specification's field tables, quoted, for each kind of access to the service.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serpPageSchema } from '../../../src/service/model/results/serp.ts';
import { fullPage } from './full-page.ts';
import { type Reply, type Subject, subjects } from './subjects.ts';

const search = { keyword: 'shoes', country: 'US', language: 'en', mobile: false, page: 1 };
const whole = fullPage(search).serp;

describe.each(subjects)('the service %s', (_, open) => {
  let subject: Subject;
  beforeAll(async () => {
    subject = await open({}, { requestRate: { count: 1_000_000, windowMs: 60_000 } });
    await subject.accounts.credit('acme', { serpCredits: 1_000, microUsd: 10_000_000 });
  });
  afterAll(() => subject.close());
  beforeEach(() => {
    subject.source.asked.length = 0;
    subject.source.askedMetrics.length = 0;
  });

  const ok = async (body: object): Promise<Reply> => {
    const reply = await subject.ask('serp', body);
    expect(reply).toMatchObject({ status: 200 });
    return reply;
  };
  const refused = async (operation: 'serp' | 'keyword-data', body: unknown, code: string) => {
    expect(await subject.ask(operation, body)).toMatchObject({ status: 400, code });
  };

  describe('SERP request body', () => {
    it('| keyword | string | yes | none | Search keyword |', async () => {
      await ok({ keyword: '  running  shoes ' });
      expect(subject.source.asked[0]?.keyword).toBe('running  shoes');
      await ok({ keyword: '🥾'.repeat(400) });
      for (const keyword of [undefined, null, '', ' \t ']) await refused('serp', { keyword }, 'KEYWORD_REQUIRED');
      const broken = ['a\u0000b', 'a\nb', 'a\u0085b', 'a\ud800b', '🥾'.repeat(401)];
      for (const keyword of [7, ['a'], {}, 'a'.repeat(401), ...broken]) {
        await refused('serp', { keyword }, 'INVALID_REQUEST');
      }
      for (const body of [[], 'a', 7, null]) await refused('serp', body, 'INVALID_REQUEST');
      expect(subject.source.asked).toHaveLength(2);
    });

    it('| language | string | no | `en` | Language code (examples: en, es, fr) |', async () => {
      for (const language of [undefined, 'es', 'PT-br']) await ok({ keyword: 'shoes', language });
      expect(subject.source.asked.map((asked) => asked.language)).toEqual(['en', 'es', 'pt-BR']);
      for (const language of ['', 'english', 'en_US', 'zh-Hant', 'e', 7, null])
        await refused('serp', { keyword: 'a', language }, 'INVALID_REQUEST');
    });

    it('| country | string | no | `US` | Country code (examples: US, GB, DE) |', async () => {
      for (const country of [undefined, 'gb', 'DE']) await ok({ keyword: 'shoes', country });
      expect(subject.source.asked.map((asked) => asked.country)).toEqual(['US', 'GB', 'DE']);
      for (const country of ['', 'XX', 'USA', 'UK', 'ſt', 7, null])
        await refused('serp', { keyword: 'a', country }, 'INVALID_REQUEST');
    });

    it('| format | string | no | `json` | Allowed values: `json`, `raw` |', async () => {
      for (const format of [undefined, 'json']) expect((await ok({ keyword: 'shoes', format })).pages).toHaveLength(1);
      expect((await ok({ keyword: 'shoes', format: 'raw' })).html).toHaveLength(1);
      for (const format of ['xml', 'JSON', '', 7, null])
        await refused('serp', { keyword: 'a', format }, 'INVALID_FORMAT');
    });

    it('| mobile | boolean | no | `false` | Fetch mobile results when true |', async () => {
      for (const mobile of [undefined, false, true]) await ok({ keyword: 'shoes', mobile });
      expect(subject.source.asked.map((asked) => asked.mobile)).toEqual([false, false, true]);
      for (const mobile of ['true', 1, null]) await refused('serp', { keyword: 'a', mobile }, 'INVALID_REQUEST');
    });

    it('| start_page | integer | no | 1 | First page, 1-indexed |', async () => {
      await ok({ keyword: 'shoes' });
      await ok({ keyword: 'shoes', start_page: 3 });
      expect(subject.source.asked.map(({ page }) => page)).toEqual([1, 3]);
      for (const start_page of [0, -1, 1.5, '1', Number.MAX_VALUE, 101, null])
        await refused('serp', { keyword: 'a', start_page }, 'INVALID_REQUEST');
    });

    it('| end_page | integer | no | 1 | Last page of a multi-page request |', async () => {
      await ok({ keyword: 'shoes', end_page: 2 });
      await ok({ keyword: 'shoes', start_page: 4, end_page: 5 });
      expect(subject.source.asked.map(({ page }) => page)).toEqual([1, 2, 4, 5]);
      for (const end_page of [0, 1.5, '2', null, 11])
        await refused('serp', { keyword: 'a', end_page }, 'INVALID_REQUEST');
      await refused('serp', { keyword: 'a', start_page: 2, end_page: 1 }, 'INVALID_REQUEST');
      await refused('serp', { keyword: 'a', start_page: 95, end_page: 101 }, 'INVALID_REQUEST');
    });

    it('ignores fields that are in no table', async () => {
      await ok({ keyword: 'shoes', colour: 'red', limit: 'many' });
    });
  });

  describe('SERP response, format `json`: root object', () => {
    const rows = [
      '| organic | array of organic result | Main organic results |',
      '| knowledge | object | Knowledge panel |',
      '| people_also_ask | array | Questions with answers |',
      '| related | array | Related searches at the bottom of the page |',
      '| navigation | array | Search type tabs (images, videos, news and similar) |',
      '| perspectives | array | Social media and forum perspectives |',
      '| ai_overview | object | AI-generated overview |',
      '| images | array | Image carousel results |',
      '| top_ads | array | Sponsored results at the top |',
      '| bottom_ads | array | Sponsored results at the bottom |',
      '| overview | object | Knowledge graph metadata (kgmid, title) |',
    ];
    it.each(rows)('%s', async (row) => {
      const field = nameIn(row);
      const { pages } = await ok({ keyword: 'shoes' });
      expect(pages?.[0]?.[field as keyof typeof whole]).toEqual(whole[field as keyof typeof whole]);
    });

    it('has these fields and no others', async () => {
      const { pages } = await ok({ keyword: 'shoes' });
      expect(Object.keys(pages?.[0] ?? {}).sort()).toEqual(rows.map(nameIn).sort());
      expect(serpPageSchema.parse(pages?.[0])).toEqual(whole);
    });

    it('A field is present only when data exists for it.', async () => {
      const bare = await open({
        page: () => ({ serp: { organic: whole.organic!, related: [], overview: {} }, features: [] }),
      });
      expect(Object.keys((await bare.ask('serp', { keyword: 'shoes' })).pages?.[0] ?? {})).toEqual(['organic']);
      await bare.close();
    });
  });

  describe('Organic result', () => {
    it.each([
      ['| rank | integer | Position among organic results, 1-indexed |', [1, 2]],
      ['| global_rank | integer | Position across all SERP elements |', [2, 4]],
      ['| title | string | Result title |', ['shoes on page 1', 'A video']],
      ['| description | string | Snippet |', ['A snippet.', undefined]],
      ['| link | string | Destination URL |', ['https://one.example/', 'https://two.example/']],
      ['| display_link | string | URL formatted as displayed |', ['https://one.example', undefined]],
      ['| source | string | Website or source name |', ['One', undefined]],
      ['| extensions | array | Site links, dates and other extensions |', [whole.organic?.[0]?.extensions, undefined]],
      ['| image | string | Thumbnail URL (video results) |', [undefined, 'https://two.example/thumbnail.jpg']],
      ['| duration | string | Video duration, format minutes:seconds |', [undefined, '2:05']],
      ['| duration_sec | integer | Video duration in seconds |', [undefined, 125]],
    ])('%s', async (row, values) => {
      const organic = (await ok({ keyword: 'shoes' })).pages?.[0]?.organic ?? [];
      expect(organic.map((result) => new Map<string, unknown>(Object.entries(result)).get(nameIn(row)))).toEqual(
        values,
      );
    });
  });

  describe('Nested element shapes observed in a SERP response', () => {
    it.each([
      [
        '| extensions item | type (string), text (string), link (string), rank (integer) |',
        whole.organic?.[0]?.extensions?.[0],
        ['type', 'text', 'link', 'rank'],
      ],
      [
        '| knowledge | name, subtitle, description, description_source (strings); facts: array of objects with key (string) and value (array of objects with text) |',
        whole.knowledge,
        ['name', 'subtitle', 'description', 'description_source', 'facts'],
      ],
      [
        '| people_also_ask item | rank (integer), global_rank (integer), question (string), answer_source (string), answers (array of objects: rank integer, type string, value object with text) |',
        whole.people_also_ask?.[0],
        ['rank', 'global_rank', 'question', 'answer_source', 'answers'],
      ],
      [
        '| related item | rank, global_rank (integers), text, link (strings) |',
        whole.related?.[0],
        ['rank', 'global_rank', 'text', 'link'],
      ],
      ['| navigation item | title, href (strings) |', whole.navigation?.[0], ['title', 'href']],
      [
        '| perspectives item | title, author, source (strings) |',
        whole.perspectives?.[0],
        ['title', 'author', 'source'],
      ],
      [
        '| images item | rank (integer), title, link, image (strings) |',
        whole.images?.[0],
        ['rank', 'title', 'link', 'image'],
      ],
      [
        '| top_ads / bottom_ads item | rank (integer), title, link, referral_link (strings) |',
        whole.top_ads?.[0],
        ['rank', 'title', 'link', 'referral_link'],
      ],
      ['| ai_overview | references (array), texts (array) |', whole.ai_overview, ['texts', 'references']],
    ])('%s', async (_row, element, fields) => {
      const { pages } = await ok({ keyword: 'shoes' });
      expect(JSON.stringify(pages?.[0])).toContain(JSON.stringify(element));
      expect(Object.keys(element ?? {})).toEqual(fields);
    });
  });

  describe('Keyword Data request body', () => {
    const metrics = async (body: object) => (await subject.ask('keyword-data', body)).data!;

    it('| keyword | string | yes | none | Keyword to analyze |', async () => {
      expect((await metrics({ keyword: ' shoes ', limit: 1 })).data[0]?.keyword).toBe('shoes');
      for (const keyword of [undefined, null, '', ' ']) await refused('keyword-data', { keyword }, 'KEYWORD_REQUIRED');
      for (const keyword of [7, 'a'.repeat(401)]) await refused('keyword-data', { keyword }, 'INVALID_REQUEST');
    });

    it('| country | string | no | `US` | Country code |', async () => {
      for (const country of [undefined, 'gb']) await metrics({ keyword: 'shoes', country, limit: 1 });
      expect(subject.source.askedMetrics.map(({ country }) => country)).toEqual(['US', 'GB']);
      await refused('keyword-data', { keyword: 'a', country: 'XX' }, 'INVALID_REQUEST');
    });

    it('| language | string | no | `en` | Language code |', async () => {
      for (const language of [undefined, 'FR']) await metrics({ keyword: 'shoes', language, limit: 1 });
      expect(subject.source.askedMetrics.map(({ language }) => language)).toEqual(['en', 'fr']);
      await refused('keyword-data', { keyword: 'a', language: 'french' }, 'INVALID_REQUEST');
    });

    it('| limit | integer | no | 100 | Maximum number of results to return |', async () => {
      expect((await metrics({ keyword: 'shoes' })).result_count).toBe(100);
      expect((await metrics({ keyword: 'shoes', limit: 1000 })).result_count).toBe(1000);
      for (const limit of [0, 1001, 1.5, '5', null])
        await refused('keyword-data', { keyword: 'a', limit }, 'INVALID_REQUEST');
    });
  });

  describe('Keyword Data response', () => {
    const metrics = async (limit: number) => (await subject.ask('keyword-data', { keyword: 'shoes', limit })).data!;

    it('| success | boolean | Always true on a successful request |', async () => {
      expect((await metrics(1)).success).toBe(true);
    });
    it('| result_count | integer | Number of keywords returned |', async () => {
      const { result_count, data } = await metrics(7);
      expect([result_count, data.length]).toEqual([7, 7]);
    });
    it('| cost | float | Cost in USD of this request |', async () => {
      expect((await metrics(50)).cost).toBe(0.015);
    });
    it('| data | array of keyword data object | Results |', async () => {
      const volumes = (await metrics(9)).data.map(({ search_volume }) => search_volume);
      expect(volumes).toEqual([8, 7, 6, 5, 4, 3, 2, 1, 0]);
    });
  });

  describe('Keyword data object', () => {
    it.each([
      ['| keyword | string | Keyword term |', 'shoes'],
      ['| search_volume | integer | Monthly search volume |', 0],
      ['| cpc | float | Advertising cost per click |', 1.25],
      ['| competition | float | Competition on a 0 to 100 scale |', 40],
      ['| competition_level | string | `low`, `medium` or `high` |', 'medium'],
      ['| country | string | Country code (lowercase in the observed response) |', 'gb'],
      ['| language | string | Language code |', 'en'],
      ['| intent | string | `commercial`, `informational`, `navigational` or `transactional` |', 'commercial'],
      ['| related_keywords | array of string or null | Related keywords; null when unavailable |', null],
    ])('%s', async (row, value) => {
      const { data } = await subject.ask('keyword-data', { keyword: 'shoes', limit: 1, country: 'GB' });
      const fields = new Map<string, unknown>(Object.entries(data?.data[0] ?? {}));
      expect(fields.get(nameIn(row))).toEqual(value);
      expect(fields.size).toBe(9);
    });
  });
});

function nameIn(row: string): string {
  return /^\| (\S+)/.exec(row)?.[1] ?? '';
}
