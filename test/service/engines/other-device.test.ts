// A page that says that it was made for the other device is refused, by the marks of its engine.
import { expect, it } from 'vitest';
import { bingEngine } from '../../../src/service/engines/bing/index.ts';
import { duckDuckGoEngine } from '../../../src/service/engines/duckduckgo/index.ts';
import { googleEngine } from '../../../src/service/engines/google/index.ts';
import { bingPage, bingResult } from './bing/pages.ts';
import { duckPage, duckResult } from './duckduckgo/pages.ts';
import { desktopPage, mobilePage, mobileResult, result } from './google/pages.ts';

const viewport = '<meta name="viewport" content="width=device-width,initial-scale=1.0">';
const referrer = '<meta name="referrer" content="origin-when-cross-origin">';
/** With a head, which small pages do not have. */
const headed = (page: string, head: string, root = '<html>'): string =>
  `<!doctype html>${root}<head>${head}</head>${page.replace(/^.*?(?=<body)/s, '')}`;
const [link, title] = ['https://a.example/', 'Running shoes'];
const bing = bingPage(bingResult(link, title));
const duck = duckPage(duckResult(link, title));

it.each([
  ['Google', 'desktop', googleEngine, desktopPage(result(link, title))],
  ['Google', 'mobile', googleEngine, headed(mobilePage(mobileResult(link, title)), referrer + viewport)],
  ['Bing', 'desktop', bingEngine, headed(bing, referrer)],
  ['Bing', 'mobile', bingEngine, headed(bing, referrer + viewport)],
  ['DuckDuckGo', 'desktop', duckDuckGoEngine, headed(duck, viewport, '<html class="js is-not-mobile-device">')],
  ['DuckDuckGo', 'mobile', duckDuckGoEngine, headed(duck, viewport, '<html class="js is-mobile-device">')],
] as const)('%s: a %s page is refused for the other device', (_, device, engine, page) => {
  const isMobile = device === 'mobile';
  expect(engine.parse(page, {}).device).toBe(device);
  expect(engine.parse(page, { mobile: isMobile }).serp.organic).toHaveLength(1);
  expect(() => engine.parse(page, { mobile: !isMobile })).toThrow(
    expect.objectContaining({ code: 'SERP_FAILED', reason: 'wrong_query' }),
  );
});

it.each([
  ['Google, without scripts', googleEngine, desktopPage(result(link, title)).replaceAll('id="rcnt"', '')],
  ['Google, with marks of both', googleEngine, headed(desktopPage(result(link, title)), referrer + viewport)],
  ['Bing, without a head', bingEngine, bing],
  ['Bing, of any width', bingEngine, headed(bing, viewport).replace('<body', '<body class="b_respl"')],
  ['DuckDuckGo, without scripts', duckDuckGoEngine, headed(duck, viewport)],
] as const)('%s: a page that names no device is read for both', (_, engine, page) => {
  for (const mobile of [true, false]) {
    const read = engine.parse(page, { mobile });
    expect(read.serp.organic).toHaveLength(1);
    expect(read.device).toBeUndefined();
  }
});
