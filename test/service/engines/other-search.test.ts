// Pages of other searches of an engine: shopping, places, a part of the time. They are refused.
import { describe, expect, it } from 'vitest';
import { otherSearch, otherSearchAt } from '../../../src/service/engines/other-search.ts';
import { forms, shown } from './forms.ts';

const google = 'https://www.google.com/search?q=x';
const signIn = (address: string): string =>
  `<a href="https://accounts.google.com/ServiceLogin?continue=${encodeURIComponent(address)}">Sign in</a>`;
const settings = (address: string): string =>
  `<a href="/setprefs?hl=de&amp;prev=${encodeURIComponent(address)}">de</a>`;
const input = (name: string, value: string): string => `<input name="${name}" type="hidden" value="${value}">`;
const saved = (address: string): string => `<!--\n Page saved with SingleFile \n url: ${address} \n-->`;

describe('a page of another search', () => {
  it.each([
    ['google', 'body', input('tbm', 'shop')],
    ['google', 'body', input('udm', '1')],
    ['google', 'body', input('tbs', 'qdr:d')],
    ['google', 'body', input('as_sitesearch', 'a.example')],
    ['google', 'body', signIn(`${google}&udm=28`)],
    ['google', 'body', settings(`${google}&tbm=lcl`)],
    ['google', 'body', '<a href="/search?q=x&amp;tbs=qdr:w&amp;start=10">2</a>'],
    ['google', 'head', saved(`${google}&chips=q:x,g_1:y`)],
    ['bing', 'body', '<div class="b_pag"><a href="/search?q=x&amp;filters=ex1%3a%22ez1%22&amp;first=11">2</a></div>'],
    ['bing', 'body', '<form id="sb_form" action="/news/search"></form>'],
    ['bing', 'head', '<!-- saved from url=(0054)https://www.bing.com/search?q=x&qft=interval%3d%227%22 -->'],
    [
      'duckduckgo',
      'body',
      '<select name="df"><option value="">Any</option><option value="w" selected>W</option></select>',
    ],
    ['duckduckgo', 'body', input('df', 'd')],
    ['duckduckgo', 'head', saved('https://duckduckgo.com/?q=x&ia=news&iar=news')],
  ])('is refused: %s, %s %s', (name, where, mark) => {
    expect(readWith(name, where, mark)).toThrow('It is another search: ');
  });

  it.each([
    ['google', 'body', input('tbm', '') + input('tbs', 'cdr:1,cd_min:x,cd_max:x') + input('tbs', 'lr:lang_1es')],
    ['google', 'body', input('udm', '14') + signIn(google)],
    ['google', 'body', input('udm', '0') + signIn(`${google}&udm=0`)],
    ['bing', 'body', '<div class="b_pag"><a href="/copilotsearch?q=x&amp;FORM=CSSCOP">Copilot</a></div>'],
    ['google', 'body', '<a href="/search?q=x&amp;udm=2">Images</a><a href="/search?q=x&amp;tbs=qdr:d">Past day</a>'],
    ['google', 'body', signIn('https://www.google.com/maps?q=x').replace('accounts.google.com', 'a.example')],
    ['bing', 'body', '<div class="b_pag"><a href="/search?q=x&amp;filters=ans%3a%22cvns%22&amp;first=7">2</a></div>'],
    [
      'duckduckgo',
      'body',
      '<select name="df"><option value="" selected>Any</option><option value="d">D</option></select>',
    ],
    ['duckduckgo', 'head', saved('https://duckduckgo.com/?q=x&ia=about')],
  ])('is not a web search with empty fields, or with links to other searches: %s, %s %s', (name, where, mark) => {
    expect(readWith(name, where, mark)().serp.organic).toHaveLength(shown.length);
  });

  it('is named by the parameter or path of its address', () => {
    expect(
      otherSearch('google', [
        ['q', 'x'],
        ['tbm', 'nws'],
      ]),
    ).toBe('tbm=nws');
    expect(otherSearch('bing', [['tbm', 'nws']])).toBeUndefined();
    expect(otherSearchAt('bing', new URL('https://www.bing.com/images/search?q=x'))).toBe('/images/search');
  });
});

function readWith(name: string, where: string, mark: string) {
  const form = forms.find(({ engine }) => engine.name === name);
  const page = form?.page(shown.map((link, nth) => form.item(link, `Title ${nth}`)).join('')) ?? '';
  const html = where === 'head' ? mark + page : page.replace('<body>', `<body>${mark}`);
  return () => form!.engine.parse(html, { mobile: false });
}
