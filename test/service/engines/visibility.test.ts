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
  ['the last declaration', (item) => `<div style="display:block;display:none;display:foo">${item}</div>`],
  ['the important declaration', (item) => `<div style="display:none!important;display:block">${item}</div>`],
  ['a value behind a comment', (item) => `<div style="display:/**/none">${item}</div>`],
  ['a name with escapes', (item) => `<div style="\\64isplay:n\\6fne">${item}</div>`],
  ['a reference', (item) => `<div style="display:n&#111;ne">${item}</div>`],
  ['hidden beside a display that is none', (item) => `<div hidden style="display:foo">${item}</div>`],
  ['in noscript', (item) => `<noscript>${item}</noscript>`],
  ['in a template', (item) => `<template>${item}</template>`],
  ['in a comment', (item) => `<!--${item}-->`],
  ['in a closed dialog', (item) => `<dialog>${item}</dialog>`],
  ['in closed details', (item) => `<details><summary>More</summary><div>${item}</div></details>`],
  ['directly in closed details', (item) => `<details><summary>More</summary>${item}</details>`],
  [
    'in details that a page tries to show',
    (item) => `<details><p></p><div style="display:block">${item}</div></details>`,
  ],
  ['in a second summary', (item) => `<details><summary>More</summary><summary>${item}</summary></details>`],
  ['in a popover', (item) => `<div popover>${item}</div>`],
  ['in a popover of a kind', (item) => `<div popover="manual"><div>${item}</div></div>`],
  ['in a closed dialog that is a popover', (item) => `<dialog popover>${item}</dialog>`],
  ['hidden until found', (item) => `<div hidden="until-found">${item}</div>`],
  ['hidden until found, with a display', (item) => `<div hidden="UNTIL-FOUND" style="display:block">${item}</div>`],
  ['in a list of proposals', (item) => `<datalist>${item}</datalist>`],
  ['in a video', (item) => `<video>${item}</video>`],
  ['in a video that a page tries to show', (item) => `<video style="content-visibility:visible">${item}</video>`],
  ['in a sound', (item) => `<audio controls>${item}</audio>`],
  ['in a canvas', (item) => `<canvas><div>${item}</div></canvas>`],
  ['in a frame', (item) => `<iframe>${item}</iframe>`],
  ['in an object', (item) => `<object data="x.svg">${item}</object>`],
  ['in a bar', (item) => `<meter>${item}</meter><progress></progress>`],
  ['in a bar of progress', (item) => `<progress>${item}</progress>`],
  ['for other browsers', (item) => `<noembed>${item}</noembed>`],
  ['visibility:collapse', (item) => `<div style="visibility:collapse">${item}</div>`],
  ['content-visibility:hidden', (item) => `<div style="content-visibility:hidden">${item}</div>`],
  ['in the title of a picture', (item) => `<svg><title><div>${item}</div></title></svg>`],
  ['in the definitions of a picture', (item) => `<svg><defs><foreignObject>${item}</foreignObject></defs></svg>`],
  [
    'in a note of a formula',
    (item) =>
      `<math><semantics><mi>x</mi><annotation-xml encoding="text/html"><div>${item}</div></annotation-xml></semantics></math>`,
  ],
];

/** What browsers show, although it resembles what they do not. */
const seen: readonly (readonly [string, (item: string) => string])[] = [
  ['in an open dialog', (item) => `<dialog open>${item}</dialog>`],
  ['in a closed dialog with a display', (item) => `<dialog style="display:block">${item}</dialog>`],
  ['in open details', (item) => `<details open><summary>More</summary>${item}</details>`],
  ['in the summary of closed details', (item) => `<details><summary>${item}</summary>x</details>`],
  ['in a summary without details', (item) => `<summary>${item}</summary>`],
  ['in a popover with a display', (item) => `<div popover style="display:block">${item}</div>`],
  ['in an open dialog that is a popover', (item) => `<dialog open popover>${item}</dialog>`],
  ['in an object without data', (item) => `<object>${item}</object>`],
  ['behind a video', (item) => `<video></video>${item}`],
  ['behind a canvas', (item) => `<canvas></canvas><audio></audio><meter></meter>${item}`],
  ['in an element of old browsers', (item) => `<applet>${item}</applet>`],
  [
    'visible in what is not',
    (item) => `<div style="visibility:hidden"><div style="visibility:visible">${item}</div></div>`,
  ],
  ['drawn when it is near', (item) => `<div style="content-visibility:auto">${item}</div>`],
  ['in a part of a picture', (item) => `<svg><g><foreignObject>${item}</foreignObject></g></svg>`],
  ['inert', (item) => `<div inert>${item}</div>`],
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
  for (const [name, change] of seen)
    expect(linksOf(engine, page([first, change(others[0] ?? ''), ...others.slice(1)].join(''))), name).toEqual(shown);
});

const boxed = (item: string, attributes = 'class="box other"'): string => `<div ${attributes}>${item}</div>`;
/** Rules that conceal the box, each with its markup. */
const hidingRules: readonly (readonly [rules: string, box?: string])[] = [
  ['.box{display:none}'],
  ['.BOX,a > b , .box{color:red;display : none!important}'],
  ['div{display:block}.box{display:none}'],
  ['#box{display:none}', 'id="box"'],
  ['x-box{display:none} a{color:red}', 'class="x"><x-box'],
  ['/* .box{display:block} } */ .box{display:none}'],
  ['@media print{.a{color:red}}.box{display:none}'],
  ['.box{display:none} a>.inner+div{display:flex}'],
  ['@media screen{.box{display:none}}'],
  ['@media print,ALL{.box{display:none}}'],
  ['@layer a;@layer a{.box{display:none}}'],
  ['@supports (display:grid){.box{display:none}}'],
  ['<!-- .box{display:none} -->'],
  ['@import "x.css";@charset "x";.box{display:none}'],
  ['.box{display:block;display:none;display:foo}'],
  ['.box{display:none!important}.box{display:block}'],
  ['.box{display:none!important}', 'class="box" style="display:block"'],
  ['.box.other{display:none}.box{display:block}'],
  ['#box{display:none}.box.other{display:block}', 'id="box" class="box other"'],
  ['.open>.box:not(.closed){display:block}.box{display:none}'],
  ['div:not(body,html,:empty).box{display:none}'],
  [':is(nav,.box){display:none}'],
  [':where(.box){display:none}'],
  ['[data-x="a,b"]{display:none}', 'data-x="a,b"'],
  ['[data-x~=b i]{display:none}', 'data-x="a B"'],
  ['div:has(a[href]).box{display:none}'],
  ['.b\\6f x{dis\\70lay:n\\6fne}'],
  ['.box{display:/**/none}'],
  ['.box{visibility:hidden}'],
  ['.box{content-visibility:hidden}'],
  ['body{.box{display:none}}'],
  ['body{color:red;& .box:not(:hover){display:none}}'],
  ['.other{&.box{display:none}}'],
  ['body div{.a &{color:red}@media screen{&.box{display:none}}}'],
  ['.a{color:red;}} .box{display:block}.box{display:none}'],
  ['.a{background:url(x;}.y{display:none)}.box{display:none}'],
  ['.box{display:var(--a)}.box{display:none}'],
  ['.box:hover{display:block}.box{display:none}'],
  ['.box:focus-within,.box:target{display:block}.box{display:none}'],
  ['.box::before{display:block}.box{display:none}'],
];
/** Rules beside which the box is seen, or may be. */
const showingRules: readonly (readonly [rules: string, box?: string])[] = [
  ['.box{display:none}.box{display:block}'],
  ['.box{display:none}.other{display:block}'],
  ['#box{display:block}.box{display:none}', 'id="box" class="box"'],
  ['.box{display:none}', 'class="box" style="display:block"'],
  ['.box{display:block!important}', 'class="box" style="display:none"'],
  ['@media print{.a{color:red}.box{display:none}}'],
  ['@media not screen{.box{display:none}}'],
  ['@media (min-width:1px){.box{display:none}}'],
  ['@media screen and (max-width:99999px){.box{display:none}}'],
  ['.box{display:none}@media (min-width:600px){.box{display:block}}'],
  ['@container (width>1px){.box{display:none}}'],
  ['@supports not (display:grid){.box{display:none}}'],
  ['@starting-style{.box{display:none}}@keyframes a{.box{display:none}}@unknown{.box{display:none}}'],
  ['@layer a{.box{display:none}}div{display:block}'],
  ['.box:hover{display:none}'],
  ['nav .box{display:none}'],
  ['nav{.box{display:none}}'],
  ['.boxed{display:none}.bo{display:none}'],
  ['/* .box{display:none} */'],
  ['.box{--card-display: none;background:url("display:none")}'],
  ['.box{display:none;display:block}'],
  ['.box{display:foo;display:none none;*display:none;display none;display:}'],
  ['.box::before,.box:after{display:none}'],
  ['.box,.box:-moz-any-thing{display:none}'],
  ['.box..other{display:none}'],
  ['> .box{display:none}'],
  ['.box{display:none}.box{display:var(--shown)}'],
  ['b:not(.box,.other),i:not(div){display:none}'],
  ['[data-x="a,.box{display:none}"]{display:none}'],
  ['.box{visibility:hidden}.box *{visibility:visible}'],
  ['.box{color:red;{display:none}'],
  ['', 'aria-hidden="true"'],
  ['', 'hidden style="color:red; display: block"'],
  ['', 'style="display:none;display:block"'],
  ['', 'style="display:block!important;display:none"'],
  ['', 'style="--card-display: none"'],
  ['', 'style="background:url(display:none)"'],
  ['', 'style="display:non\\65 x"'],
  ['', 'style="content:\'visibility:hidden\'"'],
  ['', 'style="@media screen{display:none}"'],
];
/** Style sheets that do not apply to the page on a screen. */
const otherSheets: readonly string[] = [
  '<style media=print>',
  '<style media="not all">',
  '<style media="screen and (max-width:9px)">',
  '<style type="text/plain">',
  '<style type=text/less>',
  '<noscript><style>',
  '<template><style>',
  '<script><style>',
  '<textarea><style>',
];

it.each(forms)('$engine.name: a decoy that a style sheet conceals is not a result', ({ engine, page, item }) => {
  const [first = '', ...others] = shown.map((link, index) => item(link, `Running shoes ${index}`));
  const decoy = 'https://decoy.example/';
  const read = (rules: string, box?: string) =>
    linksOf(engine, page([first, rules, boxed(item(decoy, 'Running shoes'), box), ...others].join('')));
  for (const [rules, box] of hidingRules) expect(read(`<style>${rules}</style>`, box), rules).toEqual(shown);
  for (const [rules, box] of showingRules) expect(read(`<style>${rules}</style>`, box), rules).toContain(decoy);
  const rules = '.box{display:none}';
  for (const open of otherSheets)
    expect(read(`${open}${rules}</style></noscript></template></script></textarea>`), open).toContain(decoy);
  for (const open of ['<style media=screen>', '<style media="">', '<style type="TEXT/CSS">', '<style type>'])
    expect(read(`${open}${rules}</style>`), open).toEqual(shown);
});

it.each([
  ['<span class="later">Sponsored</span>', '<style>.later{display:none}</style>'],
  ['<details><summary></summary>Sponsored</details>', ''],
  ['<video>Sponsored</video>', ''],
])('hidden text does not label an ad: %s%s', (text, style) => {
  const [one, two] = ['https://one.example/', 'https://two.example/'];
  const read = (block: string) => linksOf(googleEngine, desktopPage(result(one, 'One', block) + result(two, 'Two')));
  expect(read(`${style}<div>${text}</div>`)).toEqual([one, two]);
  expect(read(`<div>${text.replace(/<(?:details|video)>/, '<div>').replace('later', 'never')}</div>`)).toEqual([two]);
});

it('style sheets of any size take bounded time', () => {
  const items = shown.map((link, index) => result(link, `Running shoes ${index}`)).join('');
  const read = (rules: string) => linksOf(googleEngine, desktopPage(`<style>${rules}</style>${items}`));
  const many = Array.from({ length: 20_000 }, (_, nth) => `.a${nth}{display:none}`).join('');
  const long = '.a,'.repeat(100_000);
  for (const rules of [many, '/*'.repeat(100_000), '}*/'.repeat(100_000), `${long}b{display:none}`])
    expect(read(rules)).toEqual(shown);
  expect(() => read('a{}'.repeat(1_500_000))).toThrow('characters of style sheets');
  const nots = `${':not('.repeat(10_000)}.a${')'.repeat(10_000)}`;
  for (const rules of [
    '{'.repeat(100_000),
    '.a{'.repeat(100_000),
    '@media all{'.repeat(9_999),
    `${nots}{display:none}`,
  ])
    expect(() => read(rules)).toThrow('levels in a style sheet');
  const doubled = `${'& &{'.repeat(40)}display:none`;
  expect(() => read(`.a{${doubled}`)).toThrow('characters of selectors');
  const deep = `${'<div>'.repeat(300)}${result('https://four.example/', 'Shoes')}${'</div>'.repeat(300)}`;
  const backtracking = `<style>.none ${'div '.repeat(6)}{display:none}</style>`;
  expect(() => linksOf(googleEngine, desktopPage(backtracking + deep))).toThrow('steps to match');
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
