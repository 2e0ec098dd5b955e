// Links with hidden destinations: resolved by pairs in the page's scripts, otherwise marked as hidden.
import { describe, expect, it } from 'vitest';
import { readDestinations, renderScript } from '../../../../src/service/engines/google/urls.ts';
import { desktopPage, read, result } from './pages.ts';

const token = 'CAESgwEB_x-1';
const redirect = `/goto?url=${token}`;
const script = (text: string): string => `<script>var m=${text};</script>`;
const pair = (of: string, address: string): string => `["/goto?url\\u003d${of}"],["${address}","Title"]`;
const first = (html: string) => read(html).serp.organic?.[0];

describe('a pair in a script of the page', () => {
  it.each([
    ['as it stands', pair(token, 'https://real.example/page')],
    ['with numbers and nulls between', `["/goto?url\\u003d${token}",null,3],["https://real.example/page"]`],
    ['with parameters after the token', `["/goto?url\\u003d${token}\\u0026ved\\u003d1"],["https://real.example/page"]`],
  ])('gives the destination: %s', (_, text) => {
    const organic = first(desktopPage(result(redirect, 'A') + script(`[${text}]`)));
    expect(organic?.link).toBe('https://real.example/page');
    expect(organic).not.toHaveProperty('destination_state');
  });

  it('is decoded, and the parameters that the engine appends are removed', () => {
    const address = 'https://real.example/?a\\u003d1\\u0026b\\x3d2\\u0026srsltid\\u003dx';
    expect(first(desktopPage(result(redirect, 'A') + script(pair(token, address))))?.link).toBe(
      'https://real.example/?a=1&b=2',
    );
  });

  it('gives sitelinks, too', () => {
    const inner = `<table><tr><td><a href="${redirect}">Prices</a></td></tr></table>`;
    const html = desktopPage(
      result('https://a.example/', 'A', inner) + script(pair(token, 'https://a.example/prices')),
    );
    expect(first(html)?.extensions).toMatchObject([{ type: 'site_link', link: 'https://a.example/prices' }]);
  });

  it.each([
    ['another token', pair('CAESother', 'https://real.example/')],
    ['two addresses', `${pair(token, 'https://one.example/')},${pair(token, 'https://two.example/')}`],
    ['no address', `["/goto?url\\u003d${token}"],["javascript:alert(1)"]`],
    ['an address elsewhere', `["/goto?url\\u003d${token}"],null,["https://next.example/"]`],
  ])('with %s gives nothing: only the shown site is known', (_, text) => {
    expect(first(desktopPage(result(redirect, 'A') + script(text)))).toMatchObject({
      link: 'https://shown.example/',
      destination_state: 'host_only',
    });
  });
});

it('a result without a shown site is hidden', () => {
  expect(first(desktopPage(`<div><a href="${redirect}"><h3>A</h3></a></div>`))).toMatchObject({
    link: `https://www.google.com${redirect}`,
    destination_state: 'hidden',
  });
});

it('pairs in the scripts of a page are read from it', () => {
  const destinations = new Map([
    [token, 'https://real.example/?q=</script>&"\\'],
    ['CAESb', 'https://b.example/'],
  ]);
  expect(readDestinations(renderScript(destinations))).toEqual(destinations);
});
