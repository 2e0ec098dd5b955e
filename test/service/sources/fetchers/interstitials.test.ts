// Pages that engines send instead of results: each is a failure with its reason and its cost.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSource, type ServiceError, systemClock } from '../../../../src/service/index.ts';
import { type Answer, type EngineServer, startEngineServer } from './engine-server.ts';

let engine: EngineServer;
beforeAll(async () => {
  engine = await startEngineServer();
});
afterAll(() => engine.close());

type Engine = 'google' | 'bing' | 'duckduckgo';
type Reason = 'blocked' | 'consent' | 'javascript_wall' | 'no_organic_results' | 'wrong_query' | 'unparseable';

const page = (body: string, title = 'running shoes - Google Search'): string =>
  `<!DOCTYPE html><html><head><title>${title}</title></head><body>${body}</body></html>`;

/** Pages with status 200, which an unlocker returns for any original status. */
const pages: readonly (readonly [Engine, string, Reason, string])[] = [
  [
    'google',
    'a captcha',
    'blocked',
    page('<form id="captcha-form" action="index" method="post"></form>', 'https://www.google.com/search?q=x'),
  ],
  [
    'google',
    'a captcha by its frame',
    'blocked',
    page('<div id="recaptcha" class="g-recaptcha" data-sitekey="x"></div>'),
  ],
  [
    'google',
    'a captcha of 2018',
    'blocked',
    page('<form action="CaptchaRedirect"><input name="captcha"></form>', 'Sorry...'),
  ],
  [
    'google',
    'an apology without a form',
    'blocked',
    page("<p>We're sorry, but your computer may be sending automated queries.</p>", 'Sorry...'),
  ],
  [
    'google',
    'a refusal',
    'blocked',
    page('<p><b>403.</b> <ins>That’s an error.</ins></p>', 'Error 403 (Forbidden)!!1'),
  ],
  ['google', 'too many requests', 'blocked', page('<p><b>429.</b></p>', 'Error 429 (Too Many Requests)!!1')],
  [
    'google',
    'the question of consent, in German',
    'consent',
    page(
      '<div><h1>Bevor Sie fortfahren</h1><form action="https://consent.google.com/save" method="POST"><input type="hidden" name="continue" value="https://www.google.com/search?q=x"><button>Alle ablehnen</button></form><form action="https://consent.google.com/save" method="POST"><button>Alle akzeptieren</button></form></div>',
      'Bevor Sie fortfahren',
    ),
  ],
  [
    'google',
    'the question of consent of a country',
    'consent',
    page(
      '<form action="https://consent.google.co.uk/s?x=1"><input type="submit" value="I agree"></form>',
      'Before you continue',
    ),
  ],
  [
    'google',
    'the shell that asks to enable scripts',
    'javascript_wall',
    page(
      '<noscript><meta content="0;url=/httpservice/retry/enablejs?sei=x" http-equiv="refresh"><div>Please click <a href="/httpservice/retry/enablejs?sei=x">here</a></div></noscript><div style="display:none">If you\'re having trouble accessing Google Search, please <a href="/search?q=x&amp;emsg=SG_REL">click here</a></div>',
      'Google Search',
    ),
  ],
  [
    'google',
    'a page that scripts have yet to fill',
    'javascript_wall',
    page('<div id="main"><div id="gsr"></div></div>'),
  ],
  [
    'google',
    'a page of places only',
    'no_organic_results',
    page(`<div id="rso">${'<div data-cid="1">A dentist in London, open until six</div>'.repeat(9)}</div>`),
  ],
  [
    'bing',
    'a challenge in a frame',
    'blocked',
    page(
      '<div><h1>One last step</h1><iframe src="/turing/captcha/challenge?q=x"></iframe></div>',
      'running shoes - Search',
    ),
  ],
  [
    'bing',
    'a challenge by its header',
    'blocked',
    page('<div class="captcha"><div class="captcha_header">One last step</div></div>'),
  ],
  ['bing', 'a challenge by its id', 'blocked', page('<div id="b_captcha"></div>')],
  ['bing', 'a turnstile', 'blocked', page('<div class="cf-turnstile" data-sitekey="x"></div>')],
  ['bing', 'a shell', 'javascript_wall', page('<div id="b_content"><ol id="b_results"></ol></div>')],
  [
    'bing',
    'a list without results',
    'no_organic_results',
    page(`<ol id="b_results"><li class="b_ans">${'An answer of many words. '.repeat(20)}</li></ol>`),
  ],
  [
    'duckduckgo',
    'pictures to choose from',
    'blocked',
    page(
      '<form id="img-form" action="//duckduckgo.com/anomaly.js?sv=html&amp;cc=botnet"><div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></form>',
      'DuckDuckGo',
    ),
  ],
  ['duckduckgo', 'the challenge of later pages', 'blocked', page('<form id="challenge-form" method="POST"></form>')],
  ['duckduckgo', 'a line of text', 'blocked', 'If this error persists, please let us know: error-lite@duckduckgo.com'],
  [
    'duckduckgo',
    'its home page',
    'no_organic_results',
    page(`<div id="search_form">${'Search without being tracked, anywhere. '.repeat(9)}</div>`),
  ],
  ['duckduckgo', 'a shell', 'javascript_wall', page('<div id="links_wrapper"></div>')],
  [
    'duckduckgo',
    "another site's page",
    'unparseable',
    page(`<p>${'This domain is for sale, ask for its price. '.repeat(9)}</p>`),
  ],
];

/** Answers that only direct fetching receives. */
const answers: readonly (readonly [Engine, string, Reason, Answer])[] = [
  ['google', 'a redirect to a captcha', 'blocked', { status: 302, headers: { location: '/sorry/index?continue=x' } }],
  [
    'google',
    'a redirect to consent',
    'consent',
    { status: 302, headers: { location: 'https://consent.google.com/ml?continue=x' } },
  ],
  [
    'google',
    'a redirect to consent of a country',
    'consent',
    { status: 303, headers: { location: 'https://consent.google.de/ml' } },
  ],
  ['google', 'too many requests', 'blocked', { status: 429, body: 'x' }],
  [
    'bing',
    'a redirect to a challenge',
    'blocked',
    { status: 302, headers: { location: '/turing/captcha/challenge?q=x' } },
  ],
  ['bing', 'a refusal', 'blocked', { status: 403, body: 'x' }],
  ['duckduckgo', 'a refusal', 'blocked', { status: 403, body: 'If this error persists, please let us know' }],
  [
    'duckduckgo',
    'pictures with status 202',
    'blocked',
    { status: 202, body: page('<div class="anomaly-modal__mask"></div>') },
  ],
];

async function failureOf(name: Engine, options: object): Promise<string> {
  const { serp } = await createSource(
    name,
    { allowLoopback: true, requestsPerSecond: 1000, ...options },
    { clock: systemClock },
  );
  const asked = { keyword: 'running shoes', country: 'DE', language: 'de', mobile: false, page: 1 };
  const failure = await serp
    ?.fetchPage(asked, { signal: new AbortController().signal, at: 0 })
    .then(() => 'sold')
    .catch(({ code, reason, charged }: ServiceError) => `${code} ${reason} ${charged}`);
  await serp?.close?.();
  return failure ?? 'no source';
}

describe('with direct fetching,', () => {
  it.each(pages)('%s, %s, is refused as %s and costs nothing', async (name, _, reason, body) => {
    engine.answer = () => ({ body });
    expect(await failureOf(name, { baseUrl: engine.url })).toBe(`SERP_FAILED ${reason} no`);
  });

  it.each(answers)('%s, %s, is refused as %s and costs nothing', async (name, _, reason, answer) => {
    engine.answer = () => answer;
    expect(await failureOf(name, { baseUrl: engine.url })).toBe(`SERP_FAILED ${reason} no`);
  });
});

describe('with an unlocker,', () => {
  it.each(pages)('%s, %s, is refused as %s and is paid for', async (name, _, reason, body) => {
    engine.answer = () => ({ body });
    const options = { fetcher: 'unlocker', template: `${engine.url}/?url={url}` };
    expect(await failureOf(name, options)).toBe(`SERP_FAILED ${reason} yes`);
  });
});
