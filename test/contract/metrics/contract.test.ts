// The contract of every source of keyword metrics, tested with a scripted vendor on loopback.
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  type Clock,
  createMetricsSource,
  createSearchDataService,
  describeMetricsSource,
  type MetricsSource,
  type SearchDataService,
  type ServiceError,
  systemClock,
} from '../../../src/service/index.ts';
import { closeLater } from '../../helpers/closing.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { memorySource } from '../../helpers/memory-source.ts';
import {
  gzipBomb,
  type Reply,
  type Script,
  type SeenRequest,
  startVendorServer,
  type VendorServer,
} from '../sources/vendor-server.ts';
import type { Known, MetricsSubject } from './subject.ts';
import { subjects } from './subjects.ts';

const keys = ['first-key-123', 'second-key-456'] as const;

const known: readonly Known[] = [
  { keyword: 'running shoes', volume: 1000, cpc: 1.25, competition: 70 },
  { keyword: 'trail shoes', volume: 5400, cpc: null, competition: 0 },
  { keyword: 'shoes for running', volume: null, cpc: null, competition: null },
  { keyword: 'barefoot shoes', volume: 0, cpc: 0, competition: 1 },
];

interface Opened {
  readonly vendor: VendorServer;
  readonly metrics: MetricsSource;
  readonly service: SearchDataService;
  /** Answers every later call for metrics. */
  script(script: Script): void;
  /** The calls for metrics. */
  asked(): readonly SeenRequest[];
}

async function start(
  subject: MetricsSubject,
  given: readonly string[] = keys.slice(0, 1),
  clock: Clock = systemClock,
): Promise<Opened> {
  const vendor = await startVendorServer();
  const options = {
    ...subject.options(given, vendor.url),
    allowLoopback: true,
    requestsPerSecond: 1000,
    concurrency: 4,
  };
  const metrics = await createMetricsSource(subject.source, options, { clock });
  return {
    vendor,
    metrics,
    // simulated pages are independent of the metrics
    service: closeLater(createSearchDataService({ source: { ...memorySource(), metrics }, clock })),
    script(script: Script) {
      vendor.script = (request) => subject.setUp?.(request) ?? script(request);
    },
    asked: () => vendor.requests.filter((request) => subject.setUp?.(request) === undefined),
  };
}

/** The failure of a request for that keyword. */
async function failure(service: SearchDataService, more: object = {}): Promise<ServiceError> {
  return await service.keywordData({ keyword: 'running shoes', ...more }).then(
    () => expect.fail('metrics were sold'),
    (error: unknown) => error as ServiceError,
  );
}

async function dataOf(service: SearchDataService, more: object = {}) {
  return (await service.keywordData({ keyword: 'running shoes', ...more })).response.data;
}

/** The same answer with additional fields, or an additional column. */
function withStrangers(reply: Reply): Reply {
  const { body } = reply;
  if (typeof body !== 'string') return { ...reply, body: strange(body) };
  const column = (line: string) => `${line};"odd"`;
  return { ...reply, body: body.startsWith('ERROR') ? body : body.split('\r\n').map(column).join('\r\n') };
}

function strange(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strange);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, item]): [string, unknown] => [name, strange(item)]);
  return { ...Object.fromEntries(fields), new_thing: { deep: [null, 1, 'x'] }, another: null };
}

const textOf = ({ body }: Reply): string => (typeof body === 'string' ? body : JSON.stringify(body));

describe.each(subjects.map((subject) => [subject.source, subject] as const))('%s', (_, subject) => {
  const factsOf = async () => {
    const described = await describeMetricsSource(subject.source);
    if (described === undefined) expect.fail('the source is not registered');
    return described.facts;
  };
  const isFree = async () => (await factsOf()).prices.length === 0;

  describe('keyword metrics', () => {
    it('are the values of the vendor: a missing value is null, and 0 stays 0', async () => {
      const { service, script } = await start(subject);
      script(subject.sells(known));
      const data = await dataOf(service);
      expect(
        data.map((row) => [row.keyword, row.search_volume, row.cpc, row.competition, row.competition_level]),
      ).toEqual([
        ['trail shoes', 5400, null, 0, 'low'],
        ['running shoes', 1000, 1.25, 70, 'high'],
        ['barefoot shoes', 0, 0, 1, 'low'],
        ['shoes for running', null, null, null, null],
      ]);
      expect(new Set(data.map((row) => `${row.country} ${row.language}`))).toEqual(new Set(['us en']));
      const own = data.find((row) => row.keyword === 'running shoes');
      expect(own?.related_keywords).toEqual(known.slice(1).map(({ keyword }) => keyword));
      const { knows } = await factsOf();
      expect(data.some((row) => row.intent !== null)).toBe(knows.includes('intent'));
    });

    it('never exceed the requested limit and include the requested keyword', async () => {
      const { service, script } = await start(subject);
      const many = Array.from({ length: 40 }, (_each, nth) => `shoes number ${nth}`);
      const related = many.map((keyword, nth): Known => ({ keyword, volume: 100 + nth, cpc: 1, competition: 50 }));
      script(subject.sells([{ keyword: 'running shoes', volume: 1, cpc: 1, competition: 1 }, ...related]));
      const data = await dataOf(service, { limit: 5 });
      expect(data).toHaveLength(5);
      expect(data.at(-1)).toMatchObject({ keyword: 'running shoes', search_volume: 1 });
      expect(data.at(-1)?.related_keywords).toEqual(many.slice(0, 4));
      // the first ones of the vendor are the most related
      expect(
        data
          .slice(0, 4)
          .map(({ keyword }) => keyword)
          .sort(),
      ).toEqual(many.slice(0, 4));
    });

    it('of one keyword take one call and contain no related keywords', async () => {
      const { service, script, asked } = await start(subject);
      script(subject.sells(known));
      const data = await dataOf(service, { limit: 1 });
      expect(data).toMatchObject([{ keyword: 'running shoes', search_volume: 1000, related_keywords: null }]);
      expect(asked()).toHaveLength(1);
    });

    it('are found under the requested keyword in any case and spacing', async () => {
      const { service, script } = await start(subject);
      script(subject.sells(known));
      const data = await dataOf(service, { keyword: 'Running  Shoes', limit: 1 });
      expect(data).toMatchObject([{ keyword: 'Running  Shoes', search_volume: 1000 }]);
    });

    it('are an empty list if the vendor knows nothing', async () => {
      const { service, script } = await start(subject);
      script(subject.nothing);
      expect(await dataOf(service, { keyword: 'zzyzx' })).toEqual([]);
      expect(await dataOf(service, { keyword: 'zzyzx', limit: 1 })).toEqual([]);
    });

    it('are read in the same way with unknown fields', async () => {
      const { service, script } = await start(subject);
      const sells = subject.sells(known);
      script((request) => {
        const reply = sells(request);
        return typeof reply === 'string' ? reply : withStrangers(reply);
      });
      expect((await dataOf(service)).map(({ keyword }) => keyword)).toHaveLength(4);
    });

    it('can be compressed', async () => {
      const { service, script } = await start(subject);
      const sells = subject.sells(known);
      script((request) => {
        const reply = sells(request);
        if (typeof reply === 'string') return reply;
        return { headers: { 'content-encoding': 'gzip' }, body: gzipSync(textOf(reply)) };
      });
      expect(await dataOf(service)).toHaveLength(4);
    });
  });

  describe('a request', () => {
    it('sends keyword, country, language and key in the format of the vendor', async () => {
      const { service, script, asked } = await start(subject);
      script(subject.sells(known));
      await service.keywordData({ keyword: 'a & b "ü" +1%', country: 'GB', language: 'pt-BR', limit: 1 });
      const [request] = asked();
      if (request === undefined) expect.fail('nothing was asked');
      expect(subject.asked(request)).toEqual({ keyword: 'a & b "ü" +1%', ...subject.abroad, key: keys[0] });
    });

    it('for data that the vendor does not have is refused and not sent', async () => {
      const { lacks } = subject;
      const { service, vendor } = await start(subject);
      const wrong = [
        ...(lacks?.country === undefined ? [] : [{ country: lacks.country }]),
        ...(lacks?.language === undefined ? [] : [{ language: lacks.language }]),
        ...(subject.abroad.language === undefined
          ? []
          : [{ keyword: 'x'.repeat(81) }, { keyword: 'a b c d e f g h i j k' }]),
      ];
      for (const more of wrong) {
        const error = await failure(service, more);
        expect(error).toMatchObject({ code: 'INVALID_REQUEST', charged: 'no', disposition: 'abandon' });
      }
      expect(vendor.requests).toEqual([]);
    });

    it('goes to public https addresses only', async () => {
      for (const baseUrl of ['http://api.example.com', 'https://10.0.0.7', 'https://[::1]:8443']) {
        const options = { ...subject.options(keys.slice(0, 1), baseUrl), baseUrl };
        await expect(createMetricsSource(subject.source, options, { clock: systemClock }), baseUrl).rejects.toThrow();
      }
    });

    it('needs a key', async () => {
      for (const given of [[''], ['a b']]) {
        const options = subject.options(given, 'https://api.example.com');
        await expect(createMetricsSource(subject.source, options, { clock: systemClock })).rejects.toThrow(
          `Source "${subject.source}" of keyword metrics: `,
        );
      }
    });
  });

  describe('additional keywords', () => {
    const wanted = ['Barefoot shoes', 'zzyzx', 'running  SHOES', 'barefoot shoes'];

    it('come in one call with the requested one, with or without metrics, each once', async () => {
      const { service, script, asked } = await start(subject);
      script(subject.sells(known));
      const { response } = await service.keywordData({ keyword: 'running shoes', limit: 3 }, { wanted });
      expect(response.data.map((row) => [row.keyword.toLowerCase(), row.search_volume])).toEqual([
        ['running shoes', 1000],
        ['barefoot shoes', 0],
        ['zzyzx', null],
      ]);
      expect(asked()).toHaveLength(1);
    });

    it('fill the limit first, and related keywords fill the rest', async () => {
      const { service, script, asked } = await start(subject);
      script(subject.sells(known));
      const names = async (limit: number) => {
        const { response } = await service.keywordData({ keyword: 'running shoes', limit }, { wanted });
        return response.data.map(({ keyword }) => keyword.toLowerCase()).sort();
      };
      expect(await names(1)).toEqual(['running shoes']);
      expect(await names(2)).toEqual(['barefoot shoes', 'running shoes']);
      const named = asked().map((request) => subject.asked(request).keyword.split(/[;|]/));
      expect(named.map((each) => each.length)).toEqual([1, 2]);
      expect(await names(4)).toEqual(['barefoot shoes', 'running shoes', 'trail shoes', 'zzyzx']);
    });

    it('that the vendor refuses are left for later, and the requested one comes alone', async () => {
      const { service, script, asked } = await start(subject);
      const sells = subject.sells(known);
      const refusal = { message: 'refused', error: { message: 'refused' }, status_code: 40_501 };
      script((request) => (asked().length === 1 ? { status: 400, body: refusal } : sells(request)));
      const { response } = await service.keywordData({ keyword: 'running shoes', limit: 2 }, { wanted });
      expect(response.data.map(({ keyword }) => keyword)).toContain('running shoes');
      expect(response.data.map(({ keyword }) => keyword)).not.toContain('Barefoot shoes');
    });
  });

  describe('a refusal by the vendor', () => {
    const refused = async (reply: Reply | undefined) => {
      const { service, script } = await start(subject);
      script(() => reply ?? expect.fail('the subject has no such reply'));
      return await failure(service);
    };

    it('because of the rate limit costs nothing and gives the time to retry; no request is sent before', async () => {
      const clock = new FakeClock();
      const { service, script, asked } = await start(subject, keys.slice(0, 1), clock);
      script(() => subject.throttled);
      const failing = failure(service, { limit: 1 });
      while (asked().length === 0) {
        await clock.advance(10);
        await new Promise((resolve) => setImmediate(resolve));
      }
      const expected = { code: 'RATE_LIMIT_EXCEEDED', disposition: 'wait', charged: 'no', retryAfterMs: 7000 };
      expect(await failing).toMatchObject(expected);
      script(subject.sells(known));
      const next = dataOf(service, { limit: 1 });
      await clock.advance(6900);
      expect(asked()).toHaveLength(1);
      await clock.advance(200);
      expect(await next).toHaveLength(1);
    });

    it('because of the key halts and costs nothing', async () => {
      const error = await refused(subject.badKey);
      expect(error).toMatchObject({ code: 'INVALID_API_KEY', disposition: 'halt', charged: 'no' });
    });

    it.runIf(subject.outOfCredits !== undefined)('because of missing credits halts and costs nothing', async () => {
      const error = await refused(subject.outOfCredits);
      expect(error).toMatchObject({ code: 'INSUFFICIENT_CREDITS', disposition: 'halt', charged: 'no' });
    });

    it('because of a failure at the vendor is retried, and charged by the rule of the vendor', async () => {
      const { failureCharge: charged } = await factsOf();
      const failed = { code: 'WORKER_FAILED', disposition: 'retry', charged };
      expect(await refused(subject.serverError)).toMatchObject(failed);
      if (subject.errorInside !== undefined) expect(await refused(subject.errorInside)).toMatchObject(failed);
    });

    it('reveals no secret and follows no redirect', async () => {
      const secrets = [keys[0], ...subject.secrets];
      const words = `bad ${secrets.join(' and ')}`;
      const answer = { message: words, error: words, status_code: 40_000, status_message: words };
      for (const body of [answer, { error: { message: words, status: words } }, `ERROR 40 :: ${words}`, words]) {
        const error = await refused({ status: 400, body });
        for (const secret of secrets) expect(`${error.message} ${error.hint}`).not.toContain(secret);
      }
      const moved = await refused({ status: 302, headers: { location: 'http://127.0.0.1:1/elsewhere' } });
      expect([moved.code, moved.disposition]).toEqual(['NOT_FOUND', 'halt']);
    });
  });

  describe('an unreadable response', () => {
    it.each([
      ['cut short', (whole: string): Reply => ({ body: whole.slice(0, whole.length - 20) })],
      ['HTML', (): Reply => ({ headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Busy</title>' })],
      ['nothing', (): Reply => ({ body: '' })],
      ['not an object', (): Reply => ({ body: '"ok"' })],
      ['a bomb', (): Reply => ({ headers: { 'content-encoding': 'gzip' }, body: gzipBomb })],
      ['broken compression', (): Reply => ({ headers: { 'content-encoding': 'gzip' }, body: 'no gzip' })],
    ])('that is %s may have been paid: it is never bought again', async (_name, reply) => {
      const { service, script, asked } = await start(subject);
      const sells = subject.sells(known);
      script((request) => {
        const whole = sells(request);
        return typeof whole === 'string' ? whole : reply(textOf(whole));
      });
      const error = await failure(service, { limit: 1 });
      expect([error.code, error.charged, error.disposition]).toEqual([
        'UNREADABLE_RESPONSE',
        (await isFree()) ? 'no' : 'unknown',
        'abandon',
      ]);
      for (const secret of [keys[0], ...subject.secrets]) expect(error.message).not.toContain(secret);
      expect(asked()).toHaveLength(1);
    });

    it('after a broken connection may have been paid, and is not requested again automatically', async () => {
      const { service, script, asked } = await start(subject);
      script(() => 'reset');
      const error = await failure(service);
      const charged = (await isFree()) ? 'no' : 'unknown';
      expect(error).toMatchObject({ code: 'CONNECTION_LOST', charged, disposition: 'retry' });
      expect(asked()).toHaveLength(1);
    });

    it('that never arrives ends with a timeout', async () => {
      const clock = new FakeClock();
      const { service, script, asked } = await start(subject, keys.slice(0, 1), clock);
      script(() => 'hang');
      const asking = failure(service);
      while (asked().length === 0) {
        await clock.advance(10);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await clock.advance(60_000);
      expect(await asking).toMatchObject({ code: 'TIMEOUT', disposition: 'retry' });
    });
  });

  it('a request that fails at its second call has paid for the first, and does not buy it again', async () => {
    const { service, script, asked } = await start(subject);
    const sells = subject.sells(known);
    let calls = 0;
    script((request) => (++calls === subject.callsWithRelated ? subject.serverError : sells(request)));
    const error = await failure(service);
    expect(error).toMatchObject({ disposition: 'retry', charged: (await isFree()) ? 'no' : 'unknown' });
    script(sells);
    expect(await dataOf(service)).toHaveLength(4);
    const paid = asked().map(({ path, text, query }) => `${path} ${text} ${query}`);
    if (!(await isFree())) expect(paid.filter((call) => call === paid[0])).toHaveLength(1);
    // after it is answered, the next request of the same keyword is sent again
    await dataOf(service);
    expect(asked().length).toBeGreaterThan(paid.length);
  });

  it('a refused second call costs nothing, and the first call is still charged', async () => {
    const { service, script, asked } = await start(subject);
    const sells = subject.sells(known);
    script((request) => (asked().length === subject.callsWithRelated ? subject.throttled : sells(request)));
    const charged = (await isFree()) ? 'no' : 'unknown';
    expect(await failure(service)).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', charged });
  });

  it.runIf(subject.hasSeveralKeys)('several keys are used in turn, and a wrong key is skipped', async () => {
    const keyOf = (request: SeenRequest) => subject.asked(request).key;
    const { service, script, asked } = await start(subject, keys);
    script(subject.sells(known));
    for (let nth = 0; nth < 4; nth++) await dataOf(service, { limit: 1 });
    expect(asked().map(keyOf)).toEqual([keys[0], keys[1], keys[0], keys[1]]);
    const sells = subject.sells(known);
    script((request) => (keyOf(request) === keys[0] ? subject.badKey : sells(request)));
    for (let nth = 0; nth < 3; nth++) expect(await dataOf(service, { limit: 1 })).toHaveLength(1);
    expect(asked().slice(4).map(keyOf)).toEqual([keys[0], keys[1], keys[1], keys[1]]);
  });

  describe('the probe for the remaining credits', () => {
    const context = { signal: new AbortController().signal, at: 0 };

    it('is free', async () => {
      const { vendor, metrics } = await start(subject);
      const { probe } = subject;
      vendor.script = (request) =>
        request.path === probe.path ? probe.reply : (subject.setUp?.(request) ?? { status: 404 });
      expect(await metrics.probe?.(context)).toMatchObject({ answers: true, creditsLeft: probe.creditsLeft });
      expect(vendor.requests.at(-1)?.path).toBe(probe.path);
    });

    it('names the problem of a key, and never the key', async () => {
      const { vendor, metrics } = await start(subject);
      vendor.script = () => subject.badKey;
      const probed = await metrics.probe?.(context);
      expect(probed).toMatchObject({ answers: false, creditsLeft: null });
      expect(probed?.message).toContain(subject.source);
      for (const secret of [keys[0], ...subject.secrets]) expect(probed?.message).not.toContain(secret);
      expect(probed?.problems?.map(({ disposition }) => disposition)).toEqual(['halt']);
    });
  });
});
