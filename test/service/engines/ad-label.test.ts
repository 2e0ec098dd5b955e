// Ads that only a label marks, and lists that are in the page twice, never become ranks.
import { expect, it } from 'vitest';
import { bingEngine } from '../../../src/service/engines/bing/index.ts';
import { duckDuckGoEngine } from '../../../src/service/engines/duckduckgo/index.ts';
import type { Engine } from '../../../src/service/engines/engine.ts';
import { googleEngine } from '../../../src/service/engines/google/index.ts';
import { bingPage, bingResult } from './bing/pages.ts';
import { duckPage, duckResult } from './duckduckgo/pages.ts';
import { desktopPage, result } from './google/pages.ts';

const scripted = (link: string, title: string): string =>
  `<article data-layout="organic"><h2><a data-testid="result-title-a" href="${link}">${title}</a></h2></article>`;

const forms: readonly {
  readonly name: string;
  readonly engine: Engine;
  readonly page: (items: string) => string;
  readonly item: (link: string, title: string) => string;
}[] = [
  {
    name: 'Google',
    engine: googleEngine,
    page: (items) => desktopPage(items),
    item: (link, title) => result(link, title),
  },
  { name: 'Bing', engine: bingEngine, page: (items) => bingPage(items), item: bingResult },
  { name: 'DuckDuckGo', engine: duckDuckGoEngine, page: (items) => duckPage(items), item: duckResult },
  { name: 'DuckDuckGo with scripts', engine: duckDuckGoEngine, page: (items) => duckPage(items), item: scripted },
];

const shown = ['https://one.example/', 'https://two.example/', 'https://three.example/'];
const linksOf = (engine: Engine, html: string) =>
  (engine.parse(html, { mobile: false }).serp.organic ?? []).map(({ link }) => link);
/** With a text behind the start tag of the item. */
const labelled = (item: string, label: string): string => item.replace(/^(<[^>]*>)/, `$1${label}`);
const ad = 'https://promoted-shoes.example/';

it.each(forms)('$name: a result with the label of an ad is an ad', ({ engine, page, item }) => {
  const [first = '', ...others] = shown.map((link, index) => item(link, `Running shoes ${index}`));
  const read = (label: string) =>
    engine.parse(page([first, labelled(item(ad, 'Running shoes'), label), ...others].join('')), { mobile: false });
  const words = ['Sponsored', 'Ad', 'AD', 'Anzeige', 'Anuncio', 'Sponsorisé', 'Реклама', '広告', 'Reklam', 'Sponsrad'];
  const labels = [
    ...words.map((word) => `<span>${word}</span>`),
    '<div>Sponsored · promoted-shoes.example</div>',
    '<div><span>Ad</span><span>promoted-shoes.example</span></div>',
    '<div>[Ad]</div>',
    '<div>Spon\u200bsored</div>',
    '<div>Sponsored Links</div>',
    '<div>Publicité</div>',
    '<div>Спонзорисано</div>',
    `<div>${'Được tài trợ'.normalize('NFD')}</div>`,
    '<div>Ｓｐｏｎｓｏｒｅｄ</div>',
  ];
  for (const label of labels) {
    const { serp } = read(label);
    expect(
      (serp.organic ?? []).map(({ link }) => link),
      label,
    ).toEqual(shown);
  }
  const others2 = [
    '<div>Ads of the year</div>',
    '<div>Shoes <em>ad</em> and more</div>',
    '<div hidden>Ad</div>',
    '<div>Adidas</div>',
  ];
  for (const text of others2)
    expect(
      (read(text).serp.organic ?? []).map(({ link }) => link),
      text,
    ).toContain(ad);
});

it.each(forms)('$name: the name of a site that is also a label makes no ad of its result', ({ engine, page, item }) => {
  const others = shown.map((link, index) => item(link, `Running shoes ${index}`));
  const read = (link: string, name: string) =>
    linksOf(engine, page([labelled(item(link, 'Running shoes'), `<div>${name}</div>`), ...others].join('')));
  for (const [link, name] of [
    ['https://www.ad.example/', 'AD'],
    ['https://reklam.com.example/', 'Reklam'],
    ['https://xn--80aanufhx.example/', 'Реклама'],
  ] as const)
    expect(read(link, name), link).toContain(link);
  expect(read('https://ad.network.example/', 'Ad')).toEqual(shown);
  expect(read('https://www.ad.example/', 'Sponsored')).toEqual(shown);
});

it.each(forms)('$name: a searched word that a result lacks makes no ad of it', ({ engine, page, item }) => {
  const others = shown.map((link, index) => item(link, `Running shoes ${index}`));
  for (const word of ['ad', 'reklama', 'Iklan', '広告'])
    for (const missing of [`Missing: <s>${word}</s>`, `<span>Missing:</span> <s><span>${word}</span></s> <del>x</del>`])
      expect(
        linksOf(engine, page([labelled(item(ad, 'Running shoes'), `<div>${missing}</div>`), ...others].join(''))),
        missing,
      ).toContain(ad);
});

it.each(forms)('$name: a part of the path of a result makes no ad of it', ({ engine, page, item }) => {
  const others = shown.map((link, index) => item(link, `Running shoes ${index}`));
  const read = (line: string) =>
    linksOf(engine, page([labelled(item(ad, 'Running shoes'), `<div>${line}</div>`), ...others].join('')));
  expect(read('https://shop.example<span> › </span><span>reklama</span>')).toContain(ad);
  expect(read('<cite><span>shop.example</span> › <span>Ad</span> › <span>shoes</span></cite>')).toContain(ad);
  expect(read('<span>Ad</span> · <cite>shop.example<span> › </span><span>shoes</span></cite>')).toEqual(shown);
});

it.each(forms)('$name: a page with a label above one of its results is refused', ({ engine, page, item }) => {
  const [first = '', ...others] = shown.map((link, index) => item(link, `Running shoes ${index}`));
  for (const label of ['<div>Sponsored</div>', '<h5><span>Anzeige</span></h5>', 'Ad', '<h1>Sponsored results</h1>'])
    expect(() => linksOf(engine, page([first, label, ...others].join(''))), label).toThrow(/cannot be read/);
  expect(linksOf(engine, page([first, '<div>More</div>', ...others].join('')))).toEqual(shown);
});

it('Google: an ad with only a label is among the ads', () => {
  const html = desktopPage(
    `${labelled(result(ad, 'Shoes'), '<span>Sponsored</span>')}${result('https://one.example/', 'Shoe')}`,
  );
  const { serp, features } = googleEngine.parse(html, { mobile: false });
  expect(serp.top_ads).toEqual([{ rank: 1, title: 'Shoes', link: ad }]);
  expect(features.map(({ type }) => type)).toContain('paid');
  expect(serp.organic).toMatchObject([{ rank: 1, link: 'https://one.example/' }]);
});

it.each(forms)('$name: a list that is in the page twice is refused', ({ engine, page, item }) => {
  const items = shown.map((link, index) => item(link, `Running shoes ${index}`)).join('');
  expect(() => linksOf(engine, page(`${items}<div>${items}</div>`))).toThrow(/listed twice/);
});

it('Google: a page is refused if a result leads to data or mail', () => {
  for (const link of ['data:text/html,x', 'mailto:a@b.example', 'blob:x'])
    expect(() => linksOf(googleEngine, desktopPage(`${result(link, 'Shoes')}${result(ad, 'Shoe')}`)), link).toThrow(
      /cannot be read/,
    );
});

it.each(forms)('$name: a label in two elements, below a result or beside it is a label', ({ engine, page, item }) => {
  const [first = '', ...others] = shown.map((link, index) => item(link, `Running shoes ${index}`));
  const promoted = item(ad, 'Running shoes');
  const labels = [
    '<div>Sponsored</div>',
    '<div><span>Spon</span><span>sored</span></div>',
    '<div><div>Spon</div><div>sored</div></div>',
    '<div>Sponsored</div><div>link</div>',
    '<div>Anzeige</div>',
    '<div>広告</div>',
  ];
  const isBelieved = (items: readonly string[]): boolean => {
    try {
      return linksOf(engine, page(items.join(''))).includes(ad);
    } catch {
      return false;
    }
  };
  for (const label of labels) {
    const lists = {
      within: [first, labelled(promoted, label), ...others],
      'at its end': [first, promoted.replace(/(<\/\w+>)$/, `${label}$1`), ...others],
      above: [first, label, promoted, ...others],
      below: [first, promoted, label, ...others],
      'below the last': [first, ...others, promoted, label],
      'in one block': [first, `<div>${promoted}${label}</div>`, ...others],
    };
    for (const [name, list] of Object.entries(lists)) expect(isBelieved(list), `${label} ${name}`).toBe(false);
  }
  // Words that only begin or end as a label does.
  for (const text of ['<div>Spon</div><div>ges and towels</div>', '<div>More</div>', '<div>Feedback</div>'])
    expect(isBelieved([first, promoted, text, ...others]), text).toBe(true);
});
