// Pages that say themselves that they were made for another market never become a rank.
import { expect, it } from 'vitest';
import { bingEngine } from '../../../src/service/engines/bing/index.ts';
import { duckDuckGoEngine } from '../../../src/service/engines/duckduckgo/index.ts';
import type { Engine } from '../../../src/service/engines/engine.ts';
import { googleEngine } from '../../../src/service/engines/google/index.ts';
import { bingPage, bingResult } from './bing/pages.ts';
import { duckPage, duckResult } from './duckduckgo/pages.ts';
import { desktopPage, result } from './google/pages.ts';

const titles = ['One', 'Two', 'Three'];
const link = (title: string) => `https://${title}.example/`;
const withLang = (html: string, lang: string) => html.replace('<html>', `<html lang="${lang}">`);
const google = (lang: string, ...links: string[]) => {
  const anchors = links.map((href) => `<a href="${href}">x</a>`).join('');
  const rows = titles.map((title) => result(link(title), title)).join('');
  return withLang(desktopPage(rows, { after: anchors }), lang);
};
/** More than the searches of the page that have no parameters. */
const searches = (parameters: string, host = '') => Array<string>(9).fill(`${host}/search?q=x&amp;${parameters}`);
const form = (name: string, value: string) => `"></a><input type="hidden" name="${name}" value="${value}"><a href="#`;
const footer = (country: string) => `"></a><div class="uU7dJb">${country}</div><a href="#`;
const bing = (lang: string, marks: string) =>
  withLang(bingPage(titles.map((title) => bingResult(link(title), title)).join('')), lang).replace(
    '_G={',
    `_G={${marks},`,
  );
const duck = (part: string) => duckPage(titles.map((title) => duckResult(link(title), title)).join('')) + part;

const read = (engine: Engine, html: string, country: string, language: string, location?: string): string => {
  try {
    return `${engine.parse(html, { mobile: false, country, language, location }).serp.organic?.length}`;
  } catch (error) {
    return (error as { reason: string }).reason;
  }
};

it.each<[string, Engine, string, country: string, language: string]>([
  ['links', googleEngine, google('en', ...searches('gl=in&amp;hl=en')), 'US', 'en'],
  [
    'address of the search',
    googleEngine,
    google('en', ...Array<string>(2).fill('/preferences?prev=https://www.google.com/search?q%3Dx%26gl%3Din')),
    'US',
    'en',
  ],
  ['form', googleEngine, google('en', form('gl', 'IN')), 'US', 'en'],
  ['host', googleEngine, google('en', ...searches('a=b', 'https://www.google.co.in')), 'US', 'en'],
  ['language of the country', googleEngine, google('en-IN'), 'US', 'en'],
  ['footer', googleEngine, google('es', footer('España')), 'MX', 'es'],
  ['both marks of Bing', bingEngine, bing('en', 'Region:"IN",Lang:"en-IN",Mkt:"en-IN"'), 'US', 'en'],
  ['region of DuckDuckGo', duckDuckGoEngine, duck('<input type="hidden" name="kl" value="uk-en">'), 'US', 'en'],
  ['region in scripts of DuckDuckGo', duckDuckGoEngine, duck("<script>rl='de-de';</script>"), 'US', 'en'],
])('a page that names another country in its %s is wrong_location', (_, engine, html, country, language) => {
  expect(read(engine, html, country, language)).toBe('wrong_location');
});

it.each<[string, Engine, string, country: string, language: string]>([
  ['Latvian', googleEngine, google('lv'), 'US', 'en'],
  ['Latvian by its links', googleEngine, google('', ...searches('hl=lv')), 'US', 'en'],
  ['simplified Chinese', googleEngine, google('zh-CN'), 'TW', 'zh-TW'],
  ['Latvian', bingEngine, bing('lv', 'Region:"US",Lang:"lv-LV",Mkt:"lv-LV"'), 'US', 'en'],
  ['French', duckDuckGoEngine, duck('<input type="hidden" name="kl" value="ca-fr">'), 'CA', 'en'],
])('a page in %s is wrong_query where another language was asked for', (_, engine, html, country, language) => {
  expect(read(engine, html, country, language)).toBe('wrong_query');
});

it.each<[string, Engine, string, country: string, language: string]>([
  ['no mark', googleEngine, google(''), 'US', 'en'],
  ['United Kingdom by its other code', googleEngine, google('en-GB', ...searches('gl=uk')), 'GB', 'en'],
  [
    'the country in links, on the host of the IP address',
    googleEngine,
    google('en', ...searches('gl=us', 'https://www.google.com.br')),
    'US',
    'en',
  ],
  ['one link to a search in another country', googleEngine, google('en', '/search?q=x&amp;gl=in'), 'US', 'en'],
  ['a code of no country', googleEngine, google('en-AK'), 'US', 'en'],
  ['the region of the asked language', googleEngine, google('en-GB'), 'IE', 'en-GB'],
  ['the region that the language has everywhere', googleEngine, google('pt-BR'), 'US', 'pt'],
  ['Norwegian', googleEngine, google('no'), 'NO', 'nb'],
  ['Hebrew', googleEngine, google('iw'), 'IL', 'he'],
  ['Chinese without a script', googleEngine, google('zh-TW'), 'TW', 'zh'],
  ['another language, where the engine does not have the asked one', googleEngine, google('de'), 'LU', 'lb'],
  ['the name of the country in its footer', googleEngine, google('de-CH', footer('Schweiz')), 'CH', 'de'],
  ['the country of the visitor', bingEngine, bing('en', 'Region:"ID",Lang:"en-US",Mkt:"en-US"'), 'US', 'en'],
  ['all regions', duckDuckGoEngine, duck('<input type="hidden" name="kl" value="wt-wt">'), 'US', 'en'],
  [
    'United Kingdom by its other code',
    duckDuckGoEngine,
    duck('<input type="hidden" name="kl" value="uk-en">'),
    'GB',
    'en',
  ],
  [
    'the only region of the country',
    duckDuckGoEngine,
    duck('<input type="hidden" name="kl" value="th-en">'),
    'TH',
    'th',
  ],
])('a page with %s is read', (_, engine, html, country, language) => {
  expect(read(engine, html, country, language)).toBe('3');
});

it('the country of a requested place is compared, too', () => {
  const html = google('en', ...searches('gl=in'));
  const context = { mobile: false, language: 'en', location: 'Chicago,Illinois,United States' };
  expect(() => googleEngine.parse(html, context)).toThrow(expect.objectContaining({ reason: 'wrong_location' }));
  expect(googleEngine.parse(google('en', ...searches('gl=us')), context).serp.organic).toHaveLength(3);
});
