// The contract of every source that requests pages from a vendor over HTTP, tested with a scripted vendor on loopback.
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  type Clock,
  createSearchDataService,
  createSource,
  describeSource,
  type SearchDataService,
  type SerpPage,
  type ServiceError,
  systemClock,
} from '../../../src/service/index.ts';
import { closeLater } from '../../helpers/closing.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { linksOfSource, redirected } from './engine-links.ts';
import { panelLinks, type SourceSubject } from './subject.ts';
import { subjects } from './subjects.ts';
import { gzipBomb, type Reply, type SeenRequest, startVendorServer } from './vendor-server.ts';

const keys = ['first-key-123', 'second-key-456'] as const;
const links = [1, 2, 3, 4].map((place) => `https://site${place}.example/page`);

async function start(subject: SourceSubject, given: readonly string[] = keys.slice(0, 1), clock: Clock = systemClock) {
  const vendor = await startVendorServer();
  const options = {
    ...subject.options(given),
    baseUrl: vendor.url,
    allowLoopback: true,
    requestsPerSecond: 1000,
    concurrency: 4,
  };
  const source = await createSource(subject.source, options, { clock });
  const service = createSearchDataService({ source, clock });
  closeLater(service);
  return { vendor, source, service };
}

/** The failure of a request for that keyword. */
async function failure(service: SearchDataService, keyword = 'shoes', page = 1): Promise<ServiceError> {
  return await service.serp({ keyword, start_page: page }).then(
    () => expect.fail('the page was sold'),
    (error: unknown) => error as ServiceError,
  );
}

async function pageOf(service: SearchDataService, keyword = 'shoes', page = 1) {
  const { pages } = await service.serp({ keyword, start_page: page });
  const [first] = pages;
  if (first === undefined) expect.fail('there is no page');
  return first;
}

/** The ranked items of a page: places, with their websites, where the page is a map's. */
function listed({ organic, local_results }: SerpPage) {
  const places = local_results?.map(({ rank, name, website = '' }) => ({ rank, title: name, link: website }));
  return organic ?? places;
}

/** Sends all good answers in the subject's format. */
function sells(subject: SourceSubject, addresses: readonly string[] = links) {
  return (request: SeenRequest): Reply => ({ body: subject.page(subject.asked(request), addresses) });
}

describe.each(subjects.map((subject) => [subject.source, subject] as const))('%s', (_, subject) => {
  const asked = { keyword: 'shoes', page: 1 };
  /** The charge of a request that was sent and has an unknown result. */
  const uncertain = subject.isFree === true ? 'no' : 'unknown';

  describe('a page', () => {
    it('of four results has ranks 1 to 4, independent of the numbers of the vendor, and is stored as received', async () => {
      const { vendor, service } = await start(subject);
      vendor.script = sells(subject);
      const { serp, body } = await pageOf(service);
      expect(listed(serp)?.map(({ rank, link }) => [rank, link])).toEqual(
        links.map((link, index) => [index + 1, link]),
      );
      expect((serp.organic ?? []).some((result) => result.global_rank !== undefined)).toBe(false);
      expect(JSON.parse(body.text)).toEqual(subject.page(asked, links));
    });

    // lists of places have the sites of businesses
    describe.skipIf(subject.place)('with a link of its engine among its results', () => {
      const [first = '', ...others] = links;
      const { own, results, ads, redirects, opaque } = linksOfSource(subject.source);
      const ranksWith = async (link: string) => {
        const { vendor, service } = await start(subject);
        vendor.script = sells(subject, [first, link, ...others]);
        return (await pageOf(service)).serp.organic?.map((each) => [each.rank, each.link]);
      };
      const ranked = (all: readonly string[]) => all.map((link, nth) => [nth + 1, link]);

      it.each(own)('has the others, which move up, where it is a page of the engine: %s', async (link) => {
        expect(await ranksWith(link)).toEqual(ranked(links));
      });

      it.each(results)('counts it where it is a result: %s', async (link) => {
        expect(await ranksWith(link)).toEqual(ranked([first, link, ...others]));
      });

      it.each(redirects)('has the page to which it leads: %s', async (link) => {
        expect(await ranksWith(link)).toEqual(ranked([first, redirected, ...others]));
      });

      it.each(opaque)('counts it where only the engine knows the page: %s', async (link) => {
        expect(await ranksWith(link)).toEqual(ranked([first, link, ...others]));
      });

      it.each(ads)('is refused where it is a click on an ad: %s', async (link) => {
        const { vendor, service } = await start(subject);
        vendor.script = sells(subject, [first, link, ...others]);
        const error = await failure(service);
        expect([error.code, error.reason, error.charged]).toEqual(['SERP_FAILED', 'unparseable', 'yes']);
        expect(error.message).toContain('click on an ad');
      });
    });

    it('without results is read as a page without organic results', async () => {
      const { vendor, service } = await start(subject);
      vendor.script = () => subject.empty(asked);
      const { serp, body } = await pageOf(service);
      expect(listed(serp)).toBeUndefined();
      const request = { ...asked, country: 'US', language: 'en', mobile: false };
      expect(listed(service.readPage(body, request).serp)).toBeUndefined();
    });

    it('without results is doubtful unless the vendor states it, and the proof is stored', async () => {
      const { vendor, service } = await start(subject);
      vendor.script = () => subject.empty(asked);
      const { doubts } = await pageOf(service);
      expect(doubts).toEqual(subject.provesEmpty === false ? ['empty_unproven'] : undefined);
      const facts = await describeSource(subject.source);
      expect(facts?.facts.emptyRule).toMatch(/^\S.*\.$/);
    });

    it('two without results is doubtful or not a page if the vendor does not state that nothing was found', async () => {
      const { vendor, service } = await start(subject);
      vendor.script = () => ({ body: subject.page({ ...asked, page: 2 }, []) });
      const reading = service.serp({ keyword: 'shoes', start_page: 2 });
      const seen = await reading.then(
        ({ pages }) => pages[0]?.doubts?.[0],
        (error: ServiceError) => error.reason,
      );
      expect(['empty_unproven', 'no_organic_results']).toContain(seen);
    });

    it('without results and without a reason proves nothing: it is paid and is not a SERP', async () => {
      const { vendor, service } = await start(subject);
      vendor.script = () => ({ body: subject.silent(asked) });
      const error = await failure(service);
      expect([error.code, error.reason, error.charged]).toEqual(['SERP_FAILED', 'no_organic_results', 'yes']);
      expect(error.body).toBeDefined();
    });

    it.runIf(subject.corrected !== undefined)('of another query is paid and is not a SERP', async () => {
      const { vendor, service } = await start(subject);
      vendor.script = () => ({ body: subject.corrected?.(asked, 'shows', links) });
      const error = await failure(service);
      expect([error.code, error.reason, error.charged]).toEqual(['SERP_FAILED', 'wrong_query', 'yes']);
    });

    it.skipIf(subject.place)(
      'has the URLs of its links: redirects unwrapped, tracking removed, unknown parts unchanged',
      async () => {
        const { vendor, service } = await start(subject);
        vendor.script = sells(subject, [
          'https://www.google.com/url?q=https://acme.example/shoes%3Fa%3D1&sa=U&ved=2ah',
          'https://shop.example/p?id=7&srsltid=AfmBOoq',
          'https://news.example/story#:~:text=shoes',
          'https://www.google.com/goto?url=CAESabc',
        ]);
        const { serp } = await pageOf(service);
        expect(serp.organic?.map(({ rank, link }) => [rank, link])).toEqual([
          [1, 'https://acme.example/shoes?a=1'],
          [2, 'https://shop.example/p?id=7'],
          [3, 'https://news.example/story'],
          [4, 'https://www.google.com/goto?url=CAESabc'],
        ]);
      },
    );

    it('with unknown fields is read in the same way', async () => {
      const { vendor, service } = await start(subject);
      const page = subject.page(asked, links);
      const strange = { new_thing: { deep: [null, 1, 'x', { y: [] }] }, another: null };
      const extended = Object.entries(page).map(([name, value]): [string, unknown] => [
        name,
        Array.isArray(value) ? value.map((item) => ({ ...item, ...strange })) : value,
      ]);
      vendor.script = () => ({ body: { ...Object.fromEntries(extended), ...strange } });
      const { serp } = await pageOf(service);
      expect(listed(serp)?.map(({ link }) => link)).toEqual(links);
    });

    it.skipIf(subject.place ?? !subject.panel)(
      'with a knowledge panel has its links, except those of pictures and ads',
      async () => {
        const { vendor, service } = await start(subject);
        vendor.script = () => ({ body: subject.panel?.(subject.page(asked, links)) });
        const { features } = await pageOf(service);
        const [panel] = features.filter(({ type }) => type === 'knowledge_graph');
        const { website, profile, source } = panelLinks;
        expect(panel?.links).toContain(website);
        expect([website, profile, source]).toEqual(expect.arrayContaining(panel?.links as string[]));
      },
    );

    it.skipIf(subject.place)('whose results have no URL proves nothing', async () => {
      const { vendor, service } = await start(subject);
      vendor.script = sells(subject, ['https://a.example/', 'nonsense']);
      const error = await failure(service);
      expect([error.code, error.reason, error.charged]).toEqual(['SERP_FAILED', 'unparseable', 'yes']);
    });

    it.runIf(subject.place)('of places does not count paid ones, and proves nothing if one has no name', async () => {
      const { vendor, service } = await start(subject);
      const answer = (...places: readonly Record<string, unknown>[]) => {
        const text = JSON.stringify(subject.page(asked, ['https://marker.example/']));
        const list = places.map((each) => JSON.stringify({ ...subject.place?.(), ...each })).join(',');
        return { body: text.replace(JSON.stringify(subject.place?.('https://marker.example/')), list) };
      };
      const paid = subject.paid;
      vendor.script = () => answer({ title: 'One' }, { title: 'Paid', ...paid }, { title: 'Two' });
      const { serp } = await pageOf(service);
      expect(serp.organic).toBeUndefined();
      expect(serp.local_results?.map(({ rank, name }) => [rank, name])).toEqual(
        (paid === undefined ? ['One', 'Paid', 'Two'] : ['One', 'Two']).map((name, index) => [index + 1, name]),
      );
      vendor.script = () => answer({ title: 'One' }, { title: '' });
      const error = await failure(service);
      expect([error.code, error.reason, error.charged]).toEqual(['SERP_FAILED', 'unparseable', 'yes']);
    });

    it('contains no key, even if the vendor sends it back', async () => {
      const { vendor, service } = await start(subject);
      vendor.script = (request) => ({
        body: { ...subject.page(subject.asked(request), links), echo: `https://vendor.example/?key=${keys[0]}&x=1` },
      });
      const { body } = await pageOf(service);
      if (subject.hasKeys) expect(body.text).not.toContain(keys[0]);
      expect(body.text).toContain('echo');
    });

    it('in a charset other than UTF-8 is read', async () => {
      const { vendor, service } = await start(subject);
      const page = JSON.stringify(subject.page({ keyword: 'café', page: 1 }, links));
      vendor.script = () => ({ body: Buffer.from(page, 'latin1') });
      expect(listed((await pageOf(service, 'café')).serp)).toHaveLength(4);
    });

    it('can be compressed', async () => {
      const { vendor, service } = await start(subject);
      vendor.script = () => ({
        headers: { 'content-encoding': 'gzip' },
        body: gzipSync(JSON.stringify(subject.page(asked, links))),
      });
      expect(listed((await pageOf(service)).serp)).toHaveLength(4);
    });
  });

  describe('a request', () => {
    it('sends keyword, country, language, device, page and key in the format of the vendor', async () => {
      const { vendor, service } = await start(subject);
      vendor.script = sells(subject);
      const facts = await describeSource(subject.source);
      const mobile = facts?.facts.devices.includes('mobile') === true;
      await service.serp({ keyword: 'a & b "ü" +1%', country: 'GB', language: 'pt-BR', mobile, start_page: 3 });
      const [request] = vendor.requests;
      if (request === undefined) expect.fail('nothing was asked');
      const { device, ...rest } = subject.asked(request);
      expect(rest).toEqual({
        keyword: 'a & b "ü" +1%',
        ...subject.abroad,
        page: 3,
        key: subject.hasKeys ? keys[0] : '',
      });
      if (device !== undefined) expect(device).toBe(mobile ? 'mobile' : 'desktop');
    });

    it('for page 2 asks for page 2, and one for a device that the vendor lacks is not sent', async () => {
      const { vendor, service } = await start(subject);
      vendor.script = sells(subject);
      await pageOf(service, 'shoes', 2);
      expect(vendor.requests.map((request) => subject.asked(request).page)).toEqual([2]);
      const facts = await describeSource(subject.source);
      if (facts?.facts.devices.includes('mobile') === true) return;
      const error = await service.serp({ keyword: 'shoes', mobile: true }).catch((thrown: ServiceError) => thrown);
      expect(error).toMatchObject({ code: 'INVALID_REQUEST', charged: 'no', disposition: 'abandon' });
      expect(vendor.requests).toHaveLength(1);
    });

    it('for a raw page is refused before it is sent: the vendor sends JSON', async () => {
      const { vendor, service } = await start(subject);
      vendor.script = sells(subject);
      const error = await service.serp({ keyword: 'shoes', format: 'raw' }).catch((thrown: ServiceError) => thrown);
      expect(error).toMatchObject({ code: 'SERP_FAILED', charged: 'no', disposition: 'abandon' });
      expect(vendor.requests).toEqual([]);
    });

    it('goes to public https addresses only', async () => {
      for (const baseUrl of [
        'http://api.example.com',
        'https://10.0.0.7',
        'https://[::1]:8443',
        'https://169.254.169.254',
      ]) {
        const options = { ...subject.options(keys.slice(0, 1)), baseUrl };
        await expect(createSource(subject.source, options, { clock: systemClock }), baseUrl).rejects.toThrow();
      }
    });

    it.runIf(subject.hasKeys)('needs a key', async () => {
      for (const given of [undefined, '', [], ['a b']]) {
        const { keyOption = 'apiKey' } = subject;
        const options = { ...subject.options(keys.slice(0, 1)), [keyOption]: given };
        await expect(createSource(subject.source, options, { clock: systemClock })).rejects.toThrow(keyOption);
      }
    });
  });

  describe('a refusal by the vendor', () => {
    const refused = async (reply: Reply | undefined) => {
      const { vendor, service } = await start(subject);
      vendor.script = () => reply ?? expect.fail('the subject has no such reply');
      return await failure(service);
    };

    it('because of the rate limit costs nothing and gives the time to retry; no request is sent before', async () => {
      const clock = new FakeClock();
      const { vendor, service } = await start(subject, keys.slice(0, 1), clock);
      vendor.script = () => subject.throttled;
      const error = await failure(service);
      expect(error).toMatchObject({
        code: 'RATE_LIMIT_EXCEEDED',
        disposition: 'wait',
        charged: 'no',
        retryAfterMs: 7000,
      });
      vendor.script = sells(subject);
      const next = pageOf(service);
      while (clock.sleeping < 2) await new Promise((resolve) => setImmediate(resolve));
      expect(vendor.requests).toHaveLength(1);
      await clock.advance(7000);
      expect(listed((await next).serp)).toHaveLength(4);
    });

    it('with a long retry time is repeated to every caller before that time, and no request is sent', async () => {
      const clock = new FakeClock();
      const { vendor, service } = await start(subject, keys.slice(0, 1), clock);
      vendor.script = () => ({ ...subject.throttled, headers: { 'retry-after': '120' } });
      await failure(service);
      await clock.advance(20_000);
      const expected = { code: 'RATE_LIMIT_EXCEEDED', disposition: 'wait', charged: 'no', retryAfterMs: 100_000 };
      expect(await failure(service)).toMatchObject(expected);
      expect(vendor.requests).toHaveLength(1);
      vendor.script = sells(subject);
      await clock.advance(100_000);
      expect(listed((await pageOf(service)).serp)).toHaveLength(4);
    });

    it.runIf(subject.hasKeys)('because of credits or keys halts and costs nothing', async () => {
      const halt = { disposition: 'halt', charged: 'no' };
      expect(await refused(subject.outOfCredits)).toMatchObject({ code: 'INSUFFICIENT_CREDITS', ...halt });
      expect(await refused(subject.badKey)).toMatchObject({ code: 'INVALID_API_KEY', ...halt });
    });

    it('because of a failure at the vendor is retried, and charged by the rule of the vendor', async () => {
      const facts = await describeSource(subject.source);
      const error = await refused(subject.serverError);
      expect([error.code, error.disposition, error.charged]).toEqual([
        'SERP_FAILED',
        'retry',
        facts?.facts.failureCharge,
      ]);
    });

    it.runIf(subject.errorInside !== undefined)('inside a 200 is a refusal', async () => {
      const facts = await describeSource(subject.source);
      const error = await refused(subject.errorInside);
      expect([error.code, error.disposition, error.charged]).toEqual([
        'SERP_FAILED',
        'retry',
        facts?.facts.failureCharge,
      ]);
    });

    it('reveals no key and follows no redirect', async () => {
      const error = await refused({ status: 400, body: { error: `bad ${keys[0]}`, message: `bad ${keys[0]}` } });
      if (subject.hasKeys) expect(error.message).not.toContain(keys[0]);
      const moved = await refused({ status: 302, headers: { location: 'http://127.0.0.1:1/elsewhere' } });
      expect([moved.code, moved.disposition]).toEqual(['NOT_FOUND', 'halt']);
    });
  });

  describe('an unreadable response', () => {
    it.each([
      ['cut short', (page: string): Reply => ({ body: page.slice(0, page.length / 2) })],
      ['HTML', (): Reply => ({ headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Busy</title>' })],
      ['nothing', (): Reply => ({ body: '' })],
      ['not an object', (): Reply => ({ body: '"ok"' })],
      ['20,000 levels deep', (): Reply => ({ body: `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}` })],
      ['a million values', (): Reply => ({ body: `{"a":[${'{},'.repeat(1_000_000)}1]}` })],
      ['a bomb', (): Reply => ({ headers: { 'content-encoding': 'gzip' }, body: gzipBomb })],
      ['broken compression', (): Reply => ({ headers: { 'content-encoding': 'gzip' }, body: 'no gzip' })],
    ])('that is %s may have been paid: it is kept and never bought again', async (_name, reply) => {
      const { vendor, service } = await start(subject);
      vendor.script = () => reply(JSON.stringify(subject.page(asked, links)));
      const error = await failure(service);
      expect([error.code, error.charged, error.disposition]).toEqual(['UNREADABLE_RESPONSE', uncertain, 'abandon']);
      expect(error.body).toBeDefined();
      expect(vendor.requests).toHaveLength(1);
    });

    it('after a broken connection may have been paid, and is not requested again automatically', async () => {
      const { vendor, service } = await start(subject);
      vendor.script = () => 'reset';
      const error = await failure(service);
      expect([error.code, error.charged, error.disposition]).toEqual(['CONNECTION_LOST', uncertain, 'retry']);
      expect(vendor.requests).toHaveLength(1);
    });

    it('that never arrives ends with a timeout', async () => {
      const clock = new FakeClock();
      const { vendor, service } = await start(subject, keys.slice(0, 1), clock);
      vendor.script = () => 'hang';
      const asking = failure(service);
      await vendor.untilRequests(1);
      await clock.advance(60_000);
      expect(await asking).toMatchObject({ code: 'TIMEOUT', charged: 'unknown', disposition: 'retry' });
    });
  });

  describe.runIf(subject.hasKeys)('a source with several keys', () => {
    const keyOf = (request: SeenRequest) => subject.asked(request).key;

    it('uses each in turn', async () => {
      const { vendor, service } = await start(subject, keys);
      vendor.script = sells(subject);
      for (let nth = 0; nth < 4; nth++) await pageOf(service);
      expect(vendor.requests.map(keyOf)).toEqual([keys[0], keys[1], keys[0], keys[1]]);
    });

    it('skips one that is empty, wrong or rate limited, and buys the page with the other', async () => {
      for (const reply of [subject.outOfCredits, subject.badKey, subject.throttled]) {
        const { vendor, service } = await start(subject, keys);
        vendor.script = (request) => (keyOf(request) === keys[0] ? (reply ?? {}) : sells(subject)(request));
        for (let nth = 0; nth < 3; nth++) expect(listed((await pageOf(service)).serp)).toHaveLength(4);
        expect(vendor.requests.map(keyOf)).toEqual([keys[0], keys[1], keys[1], keys[1]]);
      }
    });

    it('reports it if all are empty, and uses none for a minute', async () => {
      const clock = new FakeClock();
      const { vendor, service } = await start(subject, keys, clock);
      vendor.script = () => subject.outOfCredits ?? {};
      const asking = failure(service);
      await vendor.untilRequests(1);
      await clock.advance(10);
      expect(await asking).toMatchObject({ code: 'INSUFFICIENT_CREDITS', disposition: 'halt', charged: 'no' });
      await clock.advance(10);
      expect(await failure(service)).toMatchObject({ code: 'INSUFFICIENT_CREDITS', charged: 'no' });
      expect(vendor.requests.map(keyOf)).toEqual([...keys]);
      await clock.advance(60_000);
      vendor.script = sells(subject);
      expect(listed((await pageOf(service)).serp)).toHaveLength(4);
    });
  });

  it.runIf(subject.probe === undefined)(
    'the probe of a source without an endpoint for credits connects and sends no request',
    async () => {
      const { vendor, source } = await start(subject, subject.hasKeys ? keys : []);
      const probed = await source.serp?.probe?.({ signal: new AbortController().signal, at: 0 });
      expect(probed).toMatchObject({ answers: null, creditsLeft: null });
      expect(vendor.requests).toEqual([]);
      await vendor.close();
      const away = await source.serp?.probe?.({ signal: new AbortController().signal, at: 0 });
      expect([away?.answers, away?.problems?.map(({ code }) => code)]).toEqual([false, ['CONNECTION_FAILED']]);
    },
  );

  describe.runIf(subject.probe !== undefined)('the probe for the remaining credits', () => {
    it('is free and covers all keys together', async () => {
      const { vendor, source } = await start(subject, subject.hasKeys ? keys : []);
      const { probe } = subject;
      vendor.script = ({ path }) => (path === probe?.path ? probe.reply : { status: 404 });
      const probed = await source.serp?.probe?.({ signal: new AbortController().signal, at: 0 });
      const count = subject.hasKeys ? keys.length : 1;
      const left = probe?.creditsLeft ?? null;
      expect(probed).toMatchObject({ answers: true, creditsLeft: left === null ? null : left * count });
      expect(probed?.plan).toBe(probe?.plan);
      expect(vendor.requests.map(({ path }) => path)).toEqual(Array.from({ length: count }, () => probe?.path));
    });

    it('names the problem of a key, and never the key', async () => {
      const { vendor, source } = await start(subject);
      vendor.script = () => subject.badKey ?? subject.serverError;
      const probed = await source.serp?.probe?.({ signal: new AbortController().signal, at: 0 });
      expect(probed).toMatchObject({ answers: false, creditsLeft: null });
      expect(probed?.message).toContain(subject.source);
      expect(probed?.message).not.toContain(keys[0]);
      expect(probed?.problems?.map(({ disposition }) => disposition)).toEqual([
        subject.badKey === undefined ? 'retry' : 'halt',
      ]);
    });
  });

  it.each(subject.samples.map((each) => [each.name, each] as const))(
    'reads the recorded answer %s',
    async (_name, recorded) => {
      const { vendor, service } = await start(subject);
      vendor.script = () => ({ body: recorded.body });
      const { serp, features } = await pageOf(service, recorded.keyword);
      const organic = listed(serp) ?? [];
      expect(organic.map(({ rank }) => rank)).toEqual(
        Array.from({ length: recorded.organic }, (_, index) => index + 1),
      );
      expect([organic[0]?.link, organic.at(-1)?.link]).toEqual([recorded.first, recorded.last]);
      expect(organic.every(({ title }) => title !== '')).toBe(true);
      expect(features.map(({ type }) => type).sort()).toEqual([...recorded.features].sort());
    },
  );
});
