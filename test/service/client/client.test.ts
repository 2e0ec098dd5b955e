import { inspect } from 'node:util';
import { Agent } from 'undici';
import { describe, expect, it } from 'vitest';
import { SearchDataClient } from '../../../src/service/client/client.ts';
import { toMicroUsd } from '../../../src/service/index.ts';
import { closeLater } from '../../helpers/closing.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { failureOf } from '../../helpers/memory-source.ts';
import { bareServer, clientOf, setUpRemote } from '../../helpers/remote.ts';

const shoes = { keyword: 'shoes' };

describe('a request', () => {
  it('follows the specification: its path, its headers, its fields, start_page and end_page always', async () => {
    const { provider, client } = await setUpRemote({ prefix: '/api/seo' });
    const request = { keyword: ' shoes ', country: 'gb', start_page: 2, colour: 'red' };
    await client.serp(request, { idempotencyKey: 'slot-7/shoes/2' });
    await client.keywordData(shoes);
    expect(provider.requests.map(({ path, body }) => [path, body])).toEqual([
      [
        '/api/seo/v1/serp',
        { keyword: 'shoes', language: 'en', country: 'GB', format: 'json', mobile: false, start_page: 2, end_page: 2 },
      ],
      ['/api/seo/v1/keyword-data', { keyword: 'shoes', country: 'US', language: 'en', limit: 100 }],
    ]);
    expect(provider.requests[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'service-api-user': 'provider-user',
      'idempotency-key': 'slot-7/shoes/2',
    });
    expect(provider.requests[1]?.headers['idempotency-key']).toMatch(/^[\w-]{36}$/);
  });

  it('is not sent for a caller whose credentials must be checked: the provider does that', async () => {
    const { provider, client } = await setUpRemote();
    const caller = { kind: 'credentials', username: 'ann', password: 'x', address: '192.0.2.1' } as const;
    expect(await failureOf(client.serp(shoes, { caller }))).toMatchObject({
      code: 'INTERNAL_ERROR',
      disposition: 'halt',
    });
    expect(provider.requests).toEqual([]);
  });

  it('that is not valid is not sent', async () => {
    const { provider, client } = await setUpRemote();
    expect(await failureOf(client.serp({ keyword: '' }))).toMatchObject({ code: 'KEYWORD_REQUIRED', charged: 'no' });
    expect(await failureOf(client.keywordData({ ...shoes, limit: 0 }))).toMatchObject({ code: 'INVALID_REQUEST' });
    expect(provider.requests).toEqual([]);
  });
});

describe('an answer', () => {
  it('of one page is that page, with the response text as its body', async () => {
    const { client, clock } = await setUpRemote({ pageSize: () => 4 });
    const answer = await client.serp(shoes);
    expect(answer).toMatchObject({ requestId: 'provider-1', creditsCharged: 1 });
    const [page] = answer.pages;
    expect(page).toMatchObject({ page: 1, observedAt: clock.now(), body: { contentType: 'application/json' } });
    expect(page!.serp.organic?.map(({ rank, link }) => [rank, link])).toEqual([
      [1, 'https://site1.example/shoes'],
      [2, 'https://site2.example/shoes'],
      [3, 'https://site3.example/shoes'],
      [4, 'https://site4.example/shoes'],
    ]);
    expect(page!.features.map(({ type }) => type)).toEqual(['people_also_ask', 'related_searches']);
    const request = { keyword: 'shoes', country: 'US', language: 'en', mobile: false, page: 1 };
    expect(client.readPage(page!.body, request)).toEqual({ serp: page!.serp, features: page!.features });
  });

  it('of several pages is an array in page order, each with its own body; ranks are kept as received', async () => {
    const restarting = await (await setUpRemote()).client.serp({ ...shoes, start_page: 2, end_page: 3 });
    const { client } = await setUpRemote({ ranks: 'run-on' });
    const running = await client.serp({ ...shoes, start_page: 2, end_page: 3 });
    const firstRanks = (answer: typeof running) =>
      answer.pages.map(({ page, serp }) => [page, serp.organic?.[0]?.rank]);
    expect(firstRanks(restarting)).toEqual([
      [2, 1],
      [3, 1],
    ]);
    expect(firstRanks(running)).toEqual([
      [2, 11],
      [3, 19],
    ]);
    expect(running.creditsCharged).toBe(2);
    const request = { keyword: 'shoes', country: 'US', language: 'en', mobile: false, page: 3 };
    expect(client.readPage(running.pages[1]!.body, request).serp).toEqual(running.pages[1]!.serp);
  });

  it('of one page may come as an array of one', async () => {
    const { client, provider } = await setUpRemote();
    provider.next({ answer: [{ organic: [{ link: 'https://a.example/' }] }] });
    const { pages } = await client.serp(shoes);
    expect(pages[0]?.serp.organic).toEqual([{ rank: 1, title: '', link: 'https://a.example/' }]);
    expect(pages[0]?.body.text).toBe('{"organic":[{"link":"https://a.example/"}]}');
  });

  it('may have another content type and be compressed', async () => {
    for (const encoding of ['gzip', 'br'] as const) {
      const { client, provider } = await setUpRemote({ encoding });
      expect((await client.serp(shoes)).pages[0]?.serp.organic).toHaveLength(10);
      provider.next({ answer: { organic: [{ link: 'https://a.example/' }] }, contentType: 'text/plain' });
      expect((await client.serp(shoes)).pages[0]?.serp.organic).toHaveLength(1);
    }
  });

  it('beyond the last result is a page without organics', async () => {
    const { client } = await setUpRemote({ results: () => ['https://a.example/'] });
    const { pages } = await client.serp({ ...shoes, start_page: 2 });
    expect(pages[0]?.serp).not.toHaveProperty('organic');
  });

  it('in raw format is the HTML, one page or several', async () => {
    const { client } = await setUpRemote();
    const one = await client.serp({ ...shoes, format: 'raw' });
    const two = await client.serp({ ...shoes, format: 'raw', end_page: 2 });
    for (const { body, serp } of [...one.pages, ...two.pages]) {
      expect(body.contentType).toBe('text/html');
      expect(body.text).toMatch(/^<!doctype html><title>shoes/);
      expect(serp).toEqual({});
    }
    expect(two.pages.map(({ page }) => page)).toEqual([1, 2]);
  });

  it('gets its own request id if the provider gives none', async () => {
    const text = '{"organic":[{"link":"https://a.example/"}]}';
    const client = clientOf(await bareServer(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`), {
      requestId: () => 'own-id',
    });
    expect((await client.serp(shoes)).requestId).toBe('own-id');
    expect((await client.serp(shoes, { idempotencyKey: 'key' })).requestId).toBe('key');
  });

  it('with keyword metrics is the response, its cost in USD', async () => {
    const { client, provider } = await setUpRemote({
      related: () => Array.from({ length: 49 }, (_, index) => `shoes ${index}`),
    });
    const { response, requestId } = await client.keywordData({ ...shoes, limit: 50 });
    expect(response).toMatchObject({ success: true, result_count: 50 });
    expect(toMicroUsd(response.cost)).toBe(15_000);
    expect(toMicroUsd(0.1 + 0.2)).toBe(300_000);
    expect(response.data[0]).toMatchObject({
      keyword: 'shoes',
      search_volume: 10_000,
      competition: 43,
      intent: 'commercial',
    });
    expect(requestId).toBe('provider-1');
    expect(provider.sold.microUsd).toBe(15_000);
  });
});

describe('closing', () => {
  it('lets a request in flight finish and returns its answer', async () => {
    const { client, provider } = await setUpRemote();
    const answer = client.serp(shoes);
    await provider.untilRequests(1);
    await client.close();
    expect((await answer).pages).toHaveLength(1);
  });

  it('leaves the connections of its caller open', async () => {
    const dispatcher = new Agent();
    closeLater(dispatcher);
    const { client } = await setUpRemote({}, { dispatcher });
    await client.serp(shoes);
    await client.close();
    expect(dispatcher.closed).toBe(false);
  });
});

describe('secrets', () => {
  it('are never printed: not by the client, not in its errors, and not if a provider repeats them', async () => {
    const password = 'hunter2-secret';
    const { client, provider } = await setUpRemote({ user: 'agent-user', password });
    provider.next({ status: 500, error: `agent-user sent ${password}\r\nand more` });
    const failure = await failureOf(client.serp(shoes));
    expect(failure.message).toBe('The service answered 500 INTERNAL_ERROR: *** sent *** and more');
    provider.next('reset-after-sale');
    const lost = await failureOf(client.serp(shoes));
    const printed = [client, failure, lost].flatMap((each) => [
      inspect(each, { depth: 9, showHidden: true }),
      JSON.stringify(each),
      String(each),
    ]);
    for (const text of printed) expect(text).not.toMatch(/hunter2|agent-user/);
    expect(JSON.stringify(client)).toContain(provider.url);
    expect(inspect(client)).toBe(`SearchDataClient(${provider.url}/)`);
  });

  it('that are ordinary words are not masked inside other words of messages', async () => {
    const { client, provider } = await setUpRemote({ user: 'a', password: 'the' });
    provider.next({ status: 500, error: 'the database is away' });
    expect((await failureOf(client.serp(shoes))).message).toBe(
      'The service answered 500 INTERNAL_ERROR: the database is away',
    );
  });

  it.each([
    { baseUrl: 'ftp://a.example' },
    { baseUrl: 'a.example' },
    { baseUrl: 'https://me:hunter2@a.example' },
    { baseUrl: 'https://a.example/?key=hunter2' },
    { password: 'hunter2\r\nX-Evil: 1' },
    { password: '' },
    { user: 'hunter2 ü' },
  ])('and invalid URLs are refused without repeating them: %j', (changes) => {
    const options = { baseUrl: 'https://a.example', user: 'u', password: 'p', clock: new FakeClock(), ...changes };
    let message = '';
    try {
      new SearchDataClient(options);
    } catch (error) {
      message = String(error);
    }
    expect(message).toMatch(/must/);
    expect(message).not.toContain('hunter2');
  });
});
