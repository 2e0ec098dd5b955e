// Decoys that no reader of a page sees, and pages glued together, never become ranks.
import { expect, it } from 'vitest';
import { duckDuckGoEngine } from '../../../src/service/engines/duckduckgo/index.ts';
import type { Engine } from '../../../src/service/engines/engine.ts';
import { googleEngine } from '../../../src/service/engines/google/index.ts';
import { duckPage, duckResult } from './duckduckgo/pages.ts';
import { forms, shown } from './forms.ts';
import { desktopPage, result } from './google/pages.ts';

const concealed: readonly (readonly [string, (item: string) => string])[] = [
  ['hidden', (item) => `<div hidden>${item}</div>`],
  ['itself hidden', (item) => item.replace(/^<(\w+)/, '<$1 hidden')],
  ['display:none', (item) => `<div style="DISPLAY : none !important">${item}</div>`],
  ['visibility:hidden', (item) => `<div style="visibility:hidden">${item}</div>`],
  ['in noscript', (item) => `<noscript>${item}</noscript>`],
  ['in a template', (item) => `<template>${item}</template>`],
  ['in a comment', (item) => `<!--${item}-->`],
];

const linksOf = (engine: Engine, html: string) =>
  (engine.parse(html, { mobile: false }).serp.organic ?? []).map(({ link }) => link);

it.each(forms)('$engine.name: a concealed decoy is not a result', ({ engine, page, item }) => {
  const [first = '', ...others] = shown.map((link, index) => item(link, `Running shoes ${index}`));
  expect(linksOf(engine, page([first, ...others].join('')))).toEqual(shown);
  for (const [name, conceal] of concealed) {
    const decoy = conceal(item('https://decoy.example/', 'Running shoes'));
    expect(linksOf(engine, page([first, decoy, ...others].join(''))), name).toEqual(shown);
  }
});

const boxed = (item: string, attributes = 'class="box other"'): string => `<div ${attributes}>${item}</div>`;
/** Plain rules that conceal the box, each with its markup. */
const hidingRules: readonly (readonly [rules: string, box?: string])[] = [
  ['.box{display:none}'],
  ['.BOX,a > b , .box{color:red;display : none!important}'],
  ['div{display:block}.box{display:none}'],
  ['#box{display:none}', 'id="box"'],
  ['x-box{display:none} a{color:red}', 'class="x"><x-box'],
  ['/* .box{display:block} } */ .box{display:none}'],
  ['@media print{.a{color:red}}.box{display:none}'],
  ['.box{display:none} a>.inner+div{display:flex}'],
];
/** Rules beside which the box is seen, or may be. */
const showingRules: readonly (readonly [rules: string, box?: string])[] = [
  ['.box{display:none}.box{display:block}'],
  ['.box{display:none}.other{display:block}'],
  ['.open>.box:not(.closed){display:block}.box{display:none}'],
  ['#box{display:block}.box{display:none}', 'id="box" class="box"'],
  ['.box{display:none}', 'class="box" style="display:block"'],
  ['@media print{.a{color:red}.box{display:none}}'],
  ['.box{display:none}@media (min-width:600px){.box{display:block}}'],
  ['.box:hover{display:none}'],
  ['nav .box{display:none}'],
  ['.boxed{display:none}.bo{display:none}'],
  ['/* .box{display:none} */'],
  ['', 'aria-hidden="true"'],
  ['', 'hidden style="color:red; display: block"'],
];

it.each(forms)('$engine.name: a decoy that a style sheet conceals is not a result', ({ engine, page, item }) => {
  const [first = '', ...others] = shown.map((link, index) => item(link, `Running shoes ${index}`));
  const decoy = 'https://decoy.example/';
  const read = (rules: string, box?: string) =>
    linksOf(engine, page([first, rules, boxed(item(decoy, 'Running shoes'), box), ...others].join('')));
  for (const [rules, box] of hidingRules) expect(read(`<style>${rules}</style>`, box), rules).toEqual(shown);
  for (const [rules, box] of showingRules) expect(read(`<style>${rules}</style>`, box), rules).toContain(decoy);
  const rules = '.box{display:none}';
  for (const open of ['<style media=print>', '<noscript><style>', '<template><style>'])
    expect(read(`${open}${rules}</style></noscript></template>`), open).toContain(decoy);
});

it('style sheets of any size take bounded time', () => {
  const items = shown.map((link, index) => result(link, `Running shoes ${index}`)).join('');
  const read = (rules: string) => linksOf(googleEngine, desktopPage(`<style>${rules}</style>${items}`));
  const many = Array.from({ length: 20_000 }, (_, nth) => `.a${nth}{display:none}`).join('');
  for (const rules of [many, '{'.repeat(100_000), '/*'.repeat(100_000), '}*/'.repeat(100_000)])
    expect(read(rules)).toEqual(shown);
  expect(() => read('a{}'.repeat(1_500_000))).toThrow('characters of style sheets');
});

it('a list that fades in is read: it holds more than one result', () => {
  const many = Array.from({ length: 120 }, (_, index) => result(`https://s${index}.example/`, `Shoes ${index}`));
  const faded = desktopPage(`<div style="visibility:hidden;opacity:0">${many.join('')}</div>`);
  expect(linksOf(googleEngine, faded)).toHaveLength(120);
});

it.each(forms)('$engine.name: two pages in one are refused', ({ engine, page, item }) => {
  const single = page(item('https://one.example/', 'Running shoes'));
  const html = single.includes('<body') ? single : `<body>${single}`;
  expect(() => engine.parse(html + html, { mobile: false })).toThrow('more than one page');
});

it.each(forms)('$engine.name: spaces around an address are ignored', ({ engine, page, item }) => {
  const html = page(shown.map((link, index) => item(link, `Running shoes ${index}`)).join(''));
  expect(linksOf(engine, html.replaceAll('href="https', 'href=" https'))).toEqual(shown);
});

it.each(forms)('$engine.name: a page with two lists of results is refused', ({ engine, page, item }) => {
  const items = (host: string) =>
    shown.map((link, index) => item(link.replace('one', host), `Shoes ${index}`)).join('');
  const html = page(items('one'));
  const [list = ''] = /<(?:div|ol) id="(?:rso|b_results|links)">/.exec(html) ?? [];
  const other = `${list}${items('decoy')}</${list.slice(1, 4).trim()}>`;
  for (const both of [html.replace(list, `${other}${list}`), html.replace('</body>', `${other}</body>`)])
    expect(() => linksOf(engine, both)).toThrow('more than one list of results');
});

it('DuckDuckGo: a page with results outside its list is refused', () => {
  const list = shown.map((link, index) => duckResult(link, `Running shoes ${index}`)).join('');
  const decoy = duckResult('https://decoy.example/', 'Running shoes');
  const html = duckPage(list).replace('<div id="links">', `<div id="side">${decoy}</div><div id="links">`);
  expect(() => linksOf(duckDuckGoEngine, html)).toThrow('cannot be read');
});
