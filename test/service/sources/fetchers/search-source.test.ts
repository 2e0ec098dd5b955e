// Direct fetching from an engine on loopback: requests, pages, refusals and proxies.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSource, type SerpSource, ServiceError } from '../../../../src/service/index.ts';
import { gzipBomb } from '../../../contract/sources/vendor-server.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { eventId } from '../../../helpers/page-clock.ts';
import { foot as bingFoot, marks as bingMarks } from '../../engines/bing/pages.ts';
import { marks as duckMarks } from '../../engines/duckduckgo/pages.ts';
import { desktopPage, result } from '../../engines/google/pages.ts';
import {
  type EngineServer,
  startEngineServer,
  startProxy,
  startRefusingProxy,
  type TestProxy,
} from './engine-server.ts';

let engine: EngineServer;
let clock: FakeClock;
const opened: { close?(): Promise<void> }[] = [];

beforeEach(async () => {
  engine = await startEngineServer();
  clock = new FakeClock();
});

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close?.();
  await engine.close();
});

/** Every wait advances the clock. */
const hurried = {
  now: () => clock.now(),
  sleep: async (ms: number) => void (await clock.advance(ms)),
};

async function open(name: string, options: object = {}): Promise<SerpSource> {
  const given = { baseUrl: engine.url, allowLoopback: true, requestsPerSecond: 1000, ...options };
  const { serp } = await createSource(name, given, { clock: hurried });
  opened.push(serp!);
  return serp!;
}

const asked = { keyword: 'running shoes', country: 'US', language: 'en', mobile: false, page: 1 };
const context = () => ({ signal: new AbortController().signal, at: 0 });

async function failureOf(work: Promise<unknown>): Promise<ServiceError> {
  const error = await work.then(
    () => new Error('It did not fail.'),
    (reason: unknown) => reason,
  );
  if (error instanceof ServiceError) return error;
  throw error;
}

const googlePage = desktopPage(result('https://a.example/', 'A'));
const captcha = '<html><body><form id="captcha-form" action="/sorry/index"></form></body></html>';

const bingPage = (count: number, from = 0) =>
  `<html><body>${bingMarks}<input id="sb_form_q" name="q" value="running shoes"><ol id="b_results">${Array.from(
    { length: count },
    (_, nth) => `<li class="b_algo"><h2><a href="https://r${from + nth}.example/">R${from + nth}</a></h2></li>`,
  ).join('')}</ol>${bingFoot}</body></html>`;

async function proxies(count: number): Promise<TestProxy[]> {
  const started = await Promise.all(Array.from({ length: count }, (_, nth) => startProxy(`p${nth}`)));
  opened.push(...started);
  return started;
}

describe('a page that is fetched directly', () => {
  it('is requested as a browser of the market does', async () => {
    engine.answer = () => ({ body: googlePage.replace('id="rcnt"', '') });
    const source = await open('google');
    const page = { ...asked, country: 'DE', language: 'de', mobile: true, page: 3 };
    const { body } = await source.fetchPage(page, context());
    expect(source.readPage(body, page).serp.organic?.[0]?.link).toBe('https://a.example/');
    const [request] = engine.asked;
    expect(request?.path).toBe('/search');
    expect(Object.fromEntries(request?.query ?? [])).toMatchObject({
      q: 'running shoes',
      gl: 'de',
      hl: 'de',
      start: '20',
    });
    expect(request?.headers).toMatchObject({ 'accept-language': 'de-DE,de;q=0.9', cookie: 'CONSENT=YES+; SOCS=CAI' });
    expect(request?.headers['user-agent']).toContain('Mobile');
  });

  it('that was created at another time is refused, when it arrives and whenever it is read again', async () => {
    const script = (at: number) => `<script>var google={kEI:'${eventId(at)}'}</script>`;
    const source = await open('google');
    const anHour = 60 * 60_000;
    engine.answer = () => ({ body: googlePage.replace('<body>', `<body>${script(clock.now())}`) });
    const { body, observedAt } = await source.fetchPage(asked, context());
    const stored = { ...body };
    expect(source.readPage(stored, asked, observedAt + anHour - 1000).serp.organic).toHaveLength(1);
    expect(() => source.readPage(stored, asked, observedAt + 2 * anHour)).toThrow(
      expect.objectContaining({ reason: 'stale_page' }),
    );
    engine.answer = () => ({ body: googlePage.replace('<body>', `<body>${script(clock.now() - 2 * anHour)}`) });
    const failure = await failureOf(source.fetchPage(asked, context()));
    expect([failure.code, failure.reason, failure.charged]).toEqual(['SERP_FAILED', 'stale_page', 'no']);
    expect(failure.hint).toContain('Check the clock of this machine');
  });

  it('has cookies of the engine, which are sent to no other host', async () => {
    const other = await startEngineServer();
    opened.push(other);
    engine.answer = ({ path }) =>
      path === '/search' && engine.asked.length === 2
        ? { status: 302, headers: { location: other.url.replace('127.0.0.1', 'localhost') } as Record<string, string> }
        : { headers: { 'set-cookie': ['NID=abc; Path=/; Secure', 'X=1; Domain=evil.example'] }, body: googlePage };
    other.answer = () => ({ body: googlePage });
    const source = await open('google');
    await source.fetchPage(asked, context());
    await source.fetchPage(asked, context());
    expect(engine.asked[1]?.headers.cookie).toBe('CONSENT=YES+; SOCS=CAI; NID=abc');
    expect(other.asked[0]?.headers.cookie).toBeUndefined();
  });

  it.each<[string, object, string, string | undefined]>([
    ['a captcha', { body: captcha }, 'SERP_FAILED', 'blocked'],
    ['429', { status: 429, body: googlePage }, 'SERP_FAILED', 'blocked'],
    ['a redirect to a captcha', { status: 302, headers: { location: '/sorry/index?x' } }, 'SERP_FAILED', 'blocked'],
    [
      'a redirect to consent',
      { status: 302, headers: { location: 'https://consent.google.com/m' } },
      'SERP_FAILED',
      'consent',
    ],
    [
      'a redirect to a private network',
      { status: 302, headers: { location: 'https://10.0.0.1/' } },
      'CONNECTION_FAILED',
      undefined,
    ],
    [
      'a redirect to plain http',
      { status: 302, headers: { location: 'ftp://a.example/' } },
      'CONNECTION_FAILED',
      undefined,
    ],
    ['redirects without end', { status: 302, headers: { location: '/search?again' } }, 'SERP_FAILED', 'unparseable'],
    ['a server error', { status: 503, body: googlePage }, 'SERP_FAILED', undefined],
    [
      "another query's page",
      { body: desktopPage(result('https://a.example/', 'A'), { query: 'socks' }) },
      'SERP_FAILED',
      'wrong_query',
    ],
    [
      'a page of another country',
      { body: desktopPage(result('https://a.example/', 'A')).replace('<html>', '<html lang="en-IN">') },
      'SERP_FAILED',
      'wrong_location',
    ],
    [
      'a page in another language',
      { body: desktopPage(result('https://a.example/', 'A')).replace('<html>', '<html lang="lv">') },
      'SERP_FAILED',
      'wrong_query',
    ],
    ['JSON', { body: '{"error": "no"}' }, 'SERP_FAILED', 'unparseable'],
    ['20,000 nested tags', { body: '<div>'.repeat(20_000) }, 'SERP_FAILED', 'unparseable'],
    ['a bomb', { headers: { 'content-encoding': 'gzip' }, body: gzipBomb }, 'SERP_FAILED', 'unparseable'],
    ['broken compression', { headers: { 'content-encoding': 'gzip' }, body: 'plain' }, 'SERP_FAILED', 'unparseable'],
  ])('%s is a failure that cost nothing', async (_, answer, code, reason) => {
    engine.answer = () => answer;
    const error = await failureOf((await open('google')).fetchPage(asked, context()));
    expect([error.code, error.reason, error.charged]).toEqual([code, reason, 'no']);
  });

  it('whose results are added by scripts is given up, with a remedy', async () => {
    engine.answer = () => ({ body: '<html><body><noscript>x</noscript></body></html>' });
    const error = await failureOf((await open('google')).fetchPage(asked, context()));
    expect([error.reason, error.disposition]).toEqual(['javascript_wall', 'abandon']);
    expect(error.hint).toContain('fetcher: browser');
  });

  it.each([
    ['blocked', { status: 403, body: 'Forbidden' }],
    ['consent', { status: 302, headers: { location: 'https://consent.google.com/ml?continue=x' } }],
  ])('that the engine refuses to serve has a remedy: %s', async (reason, answer) => {
    engine.answer = () => answer;
    const error = await failureOf((await open('google')).fetchPage(asked, context()));
    expect([error.reason, error.disposition]).toEqual([reason, 'retry']);
    expect(error.hint).toContain('proxies');
  });

  it('is not requested from a private address or over plain http', async () => {
    await expect(open('google', { allowLoopback: false })).rejects.toThrow('only https');
    await expect(open('google', { baseUrl: 'https://192.168.1.1/' })).rejects.toThrow('public network');
    await expect(open('google', { proxies: ['socks5://a:1'] })).rejects.toThrow('http or https address');
  });

  it('of a market that the engine does not have is not requested', async () => {
    const source = await open('duckduckgo');
    for (const page of [
      { ...asked, country: 'KE' },
      { ...asked, mobile: true },
    ]) {
      const error = await failureOf(source.fetchPage(page, context()));
      expect([error.code, error.charged]).toEqual(['INVALID_REQUEST', 'no']);
    }
    expect(engine.asked).toEqual([]);
  });
});

describe('pages of varying length', () => {
  const firsts = () => engine.asked.map(({ query }) => query.get('first'));
  beforeEach(() => {
    engine.answer = ({ query }) => {
      const first = Number(query.get('first') ?? 1);
      return { body: bingPage(first === 1 ? 4 : 10, first) };
    };
  });

  it('are requested by the links of the pages before them', async () => {
    const source = await open('bing');
    for (const page of [1, 2, 3]) await source.fetchPage({ ...asked, page }, context());
    expect(firsts()).toEqual([null, '5', '15']);
  });

  it('are reached through earlier pages if this process has not seen them, or long ago', async () => {
    const source = await open('bing');
    await source.fetchPage({ ...asked, page: 3 }, context());
    expect(firsts()).toEqual([null, '5', '15']);
    await source.fetchPage({ ...asked, page: 3 }, context());
    expect(firsts()).toEqual([null, '5', '15', '15']);
    await clock.advance(16 * 60_000);
    await source.fetchPage({ ...asked, page: 2 }, context());
    expect(firsts()).toEqual([null, '5', '15', '15', null, '5']);
  });

  it('end where an earlier page states that there are no more', async () => {
    engine.answer = () => ({
      body: `<html><body>${bingMarks}<input id="sb_form_q" value="running shoes"><ol id="b_results"><li class="b_no"><h1>None</h1></li></ol>${bingFoot}</body></html>`,
    });
    const source = await open('bing');
    const { body } = await source.fetchPage({ ...asked, page: 4 }, context());
    expect(source.readPage(body, asked).serp).toEqual({});
    expect(engine.asked.length).toBe(1);
  });

  it('of DuckDuckGo are requested by its form', async () => {
    const page = (name: string) =>
      `<html><body>${duckMarks}<input name="q" value="running shoes"><div id="links"><div class="result"><a class="result__a" href="https://${name}.example/">${name}</a></div></div><form><input type="hidden" name="q" value="running shoes"><input type="hidden" name="s" value="10"><input type="hidden" name="vqd" value="4-9"></form></body></html>`;
    engine.answer = ({ method }) => ({ body: page(method === 'POST' ? 'two' : 'one') });
    const source = await open('duckduckgo');
    const { body } = await source.fetchPage({ ...asked, page: 2 }, context());
    expect(source.readPage(body, asked).serp.organic?.[0]?.title).toBe('two');
    expect(Object.fromEntries(engine.asked[1]?.form ?? [])).toEqual({ q: 'running shoes', s: '10', vqd: '4-9' });
  });
});

describe('proxies', () => {
  it('are used in turn, with their logins', async () => {
    const [one, two] = await proxies(2);
    engine.answer = () => ({ body: googlePage });
    const source = await open('google', { proxies: [one!.url.replace('//', '//user:p%40ss@'), two!.url] });
    for (let nth = 0; nth < 4; nth++) await source.fetchPage(asked, context());
    expect([one!.logins.length > 0, two!.logins.length > 0]).toEqual([true, true]);
    expect(one!.logins[0]).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`);
  });

  it('rest when they are blocked; another one is tried at once', async () => {
    const [one, two] = await proxies(2);
    let isBlocked = true;
    engine.answer = () => {
      const body = isBlocked ? captcha : googlePage;
      isBlocked = false;
      return { body };
    };
    const source = await open('google', { proxies: [one!.url, two!.url], coolDownMs: 60_000 });
    await source.fetchPage(asked, context());
    expect(engine.asked.length).toBe(2);
    isBlocked = true;
    const error = await failureOf(source.fetchPage(asked, context()));
    // the second one is blocked now, and the first one rests: neither is used again
    expect([error.code, error.disposition]).toEqual(['RATE_LIMIT_EXCEEDED', 'wait']);
    expect(Math.ceil((error.retryAfterMs ?? 0) / 1_000)).toBe(60);
    expect(engine.asked.length).toBe(3);
    await clock.advance(60_000);
    await source.fetchPage(asked, context());
    expect(engine.asked.length).toBe(4);
  });

  it('that cannot connect are skipped, and rest for a minute', async () => {
    const [one] = await proxies(1);
    engine.answer = () => ({ body: googlePage });
    const source = await open('google', { proxies: ['http://127.0.0.1:1', one!.url] });
    for (let nth = 0; nth < 3; nth++) await source.fetchPage(asked, context());
    expect([engine.asked.length, one!.logins.length > 0]).toEqual([3, true]);
  });

  it.each([
    [407, 'Check the proxy: its user and password.'],
    [502, 'Check the proxy: its address, and whether it is paid for.'],
    [403, 'Check the proxy: its address, and whether it is paid for.'],
    [429, 'Check the proxy: its address, and whether it is paid for.'],
  ])('that answer %i themselves are distinguished from the engine', async (status, hint) => {
    const proxy = await startRefusingProxy(status);
    opened.push(proxy);
    const options = { proxies: [proxy.url.replace('//', '//user:secret@')] };
    const error = await failureOf((await open('google', options)).fetchPage(asked, context()));
    expect([error.code, error.reason, error.charged, error.hint]).toEqual(['CONNECTION_FAILED', undefined, 'no', hint]);
    expect(error.message).toBe(`The proxy ${new URL(proxy.url).host} answered ${status} itself.`);
    expect([engine.asked.length, proxy.logins.length]).toEqual([0, 1]);
  });

  it('that answer 407 or 502 themselves are skipped', async () => {
    const refusing = await Promise.all([startRefusingProxy(407), startRefusingProxy(502)]);
    const [one] = await proxies(1);
    opened.push(...refusing);
    engine.answer = () => ({ body: googlePage });
    const source = await open('google', { proxies: [...refusing.map(({ url }) => url), one!.url] });
    for (let nth = 0; nth < 3; nth++) await source.fetchPage(asked, context());
    expect([engine.asked.length, ...refusing.map(({ logins }) => logins.length)]).toEqual([3, 1, 1]);
  });

  it('that all fail to connect are reported as that, and tried again after a minute', async () => {
    const refusing = await Promise.all([startRefusingProxy(502), startRefusingProxy(502)]);
    opened.push(...refusing);
    const source = await open('google', { proxies: refusing.map(({ url }) => url) });
    const first = await failureOf(source.fetchPage(asked, context()));
    expect([first.code, first.disposition]).toEqual(['CONNECTION_FAILED', 'retry']);
    const second = await failureOf(source.fetchPage(asked, context()));
    expect([second.code, second.disposition, second.charged]).toEqual(['CONNECTION_FAILED', 'retry', 'no']);
    expect(second.message).toBe('No proxy reaches the engine. All proxies are paused.');
    expect(Math.ceil((second.retryAfterMs ?? 0) / 1_000)).toBe(60);
    expect(refusing.map(({ logins }) => logins.length)).toEqual([1, 1]);
    await clock.advance(60_000);
    await failureOf(source.fetchPage(asked, context()));
    expect(refusing.map(({ logins }) => logins.length)).toEqual([2, 2]);
  });

  it('that are blocked repeatedly rest twice as long each time; a good page ends that', async () => {
    const [one] = await proxies(1);
    let body = captcha;
    engine.answer = () => ({ body });
    const source = await open('google', { proxies: [one!.url], coolDownMs: 60_000 });
    const restedMs = async () => {
      await failureOf(source.fetchPage(asked, context()));
      const error = await failureOf(source.fetchPage(asked, context()));
      expect(error.code).toBe('RATE_LIMIT_EXCEEDED');
      await clock.advance(error.retryAfterMs ?? 0);
      return Math.round((error.retryAfterMs ?? 0) / 1_000);
    };
    expect([await restedMs(), await restedMs(), await restedMs()]).toEqual([60, 120, 240]);
    body = googlePage;
    await source.fetchPage(asked, context());
    body = captcha;
    expect(await restedMs()).toBe(60);
  });

  it('do not rest if the engine itself fails', async () => {
    const [one] = await proxies(1);
    engine.answer = () => ({ status: 502 });
    const source = await open('google', { proxies: [one!.url] });
    const error = await failureOf(source.fetchPage(asked, context()));
    expect([error.code, error.message]).toEqual(['SERP_FAILED', 'The engine answered 502.']);
    engine.answer = () => ({ body: googlePage });
    await source.fetchPage(asked, context());
  });
});
