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
  ['hidden until it is found', (item) => `<div hidden="until-found">${item}</div>`],
  ['itself hidden', (item) => item.replace(/^<(\w+)/, '<$1 hidden')],
  ['display:none', (item) => `<div style="DISPLAY : none !important">${item}</div>`],
  ['visibility:hidden', (item) => `<div style="visibility:hidden">${item}</div>`],
  ['transparent', (item) => `<div style="color:red;opacity:0">${item}</div>`],
  ['beside the window', (item) => `<div style="position:absolute;left:-9999px">${item}</div>`],
  ['without size', (item) => `<div style="height:0;overflow:hidden">${item}</div>`],
  ['cut off to a pixel', (item) => `<div style="width:1px;height:1px;overflow:hidden">${item}</div>`],
  ['cut to nothing', (item) => `<div style="position:absolute;clip:rect(0 0 0 0)">${item}</div>`],
  ['cut by a path', (item) => `<div style="clip-path:inset(100%)">${item}</div>`],
  ['scaled to nothing', (item) => `<div style="transform:scale(0)">${item}</div>`],
  ['moved out of the window', (item) => `<div style="transform:translateX(-9999px)">${item}</div>`],
  ['with a reference in its style', (item) => `<div style="display&#58;none">${item}</div>`],
  ['with a comment in its style', (item) => `<div style="display:/**/none">${item}</div>`],
  ['with escapes in its style', (item) => `<div style="d\\69 splay:n\\00006fne">${item}</div>`],
  ['in a closed popover', (item) => `<div popover>${item}</div>`],
  ['in a closed dialog', (item) => `<dialog>${item}</dialog>`],
  ['in closed details', (item) => `<details>${item}</details>`],
  ['in noscript', (item) => `<noscript>${item}</noscript>`],
  ['in a template', (item) => `<template>${item}</template>`],
  ['in place of a picture', (item) => `<canvas>${item}</canvas>`],
  ['in a list of suggestions', (item) => `<datalist>${item}</datalist>`],
  ['inert', (item) => `<div inert>${item}</div>`],
  ['with text of no size', (item) => `<div style="font-size:0">${item}</div>`],
  ['far above the window', (item) => `<div style="position:absolute;top:-999em">${item}</div>`],
  ['far beside the window by its margins', (item) => `<div style="margin:-9999px 0 0 -9999px">${item}</div>`],
  ['moved by its own property', (item) => `<div style="translate:-9999px">${item}</div>`],
  ['moved in space', (item) => `<div style="transform:translate3d(-9999px,0,0)">${item}</div>`],
  ['scaled to nothing in one direction', (item) => `<div style="transform:rotate(0) scaleX(0)">${item}</div>`],
  ['scaled by its own property', (item) => `<div style="scale:0">${item}</div>`],
  ['in a circle without size', (item) => `<div style="clip-path:circle(0)">${item}</div>`],
  ['without size in its own direction', (item) => `<div style="block-size:0;overflow:hidden">${item}</div>`],
  ['without size in another unit', (item) => `<div style="height:0rem;overflow:clip">${item}</div>`],
  ['in a comment', (item) => `<!--${item}-->`],
];

/** Styles that conceal a result, in its own style or by a rule. */
const hidingStyles: readonly string[] = [
  'opacity:.0',
  'opacity:0.01',
  'opacity:1%',
  'opacity:-1',
  'filter:opacity(0)',
  'position:absolute;left:9999px',
  'position:absolute;left:-200%',
  'position:fixed;left:100vw',
  'position:absolute;inset-inline-start:-9999px',
  'position:absolute;left:calc(0px - 9999px)',
  'transform:translateX(-9999px)',
  'transform:translate(-100vw)',
  'transform:translateX(-200%)',
  'transform:translateX(9999px)',
  'transform:scale(.001)',
  'transform:matrix(0,0,0,0,0,0)',
  'transform:rotateY(90deg)',
  'scale:0',
  'position:absolute;clip:rect(0,0,0,0)',
  'clip-path:inset(100%)',
  'clip-path:circle(0)',
  'clip-path:polygon(0 0, 0 0, 0 0)',
  'width:0;height:0;overflow:auto',
  'height:0;overflow-x:hidden',
  'max-height:.5px;overflow:hidden',
  'height:0;contain:strict',
  'text-indent:100%;white-space:nowrap;overflow:hidden',
  'font-size:0',
];
/** Styles that leave a result in sight. */
const showingStyles: readonly string[] = [
  'opacity:0.1',
  'opacity:50%',
  'position:relative;left:900px',
  'transform:translate(-50%,-50%)',
  'transform:translateX(-100%);left:100%',
  'transform:scale(.9)',
  'transform:matrix(1,0,0,1,0,0)',
  'transform:rotateY(180deg)',
  'clip-path:inset(0)',
  'clip-path:polygon(0 0, 100% 0, 100% 100%)',
  'width:0',
  'overflow:auto',
  'text-indent:100%',
  'font-size:1rem',
];

/** Engines share what decides whether an item is seen: one of them is enough for tables of styles. */
const oneForm = forms.slice(0, 1);

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

it.each(oneForm)('$engine.name: a style conceals alike as an attribute and as a rule', ({ engine, page, item }) => {
  const [first = '', ...others] = shown.map((link, index) => item(link, `Running shoes ${index}`));
  const decoy = item('https://decoy.example/', 'Running shoes');
  const inline = (style: string) => `<div style="${style}">${decoy}</div>`;
  const ruled = (style: string) => `<style>.box{${style}}</style><div class="box">${decoy}</div>`;
  for (const around of [inline, ruled]) {
    const read = (style: string) => linksOf(engine, page([first, around(style), ...others].join('')));
    for (const style of hidingStyles) expect(read(style), style).toEqual(shown);
    for (const style of showingStyles) expect(read(style), style).toContain('https://decoy.example/');
  }
});

/** Rules that conceal the box, each with its markup. */
const boxed = (item: string, attributes = 'class="box other"'): string => `<div ${attributes}>${item}</div>`;
const hidingRules: readonly (readonly [rules: string, box?: string])[] = [
  ['.box{display:none}'],
  ['.BOX,a > b , .box{color:red;display : none!important}'],
  ['.box.other{visibility:hidden}'],
  ['div.box{opacity:0}'],
  ['div{display:block}.box{display:none}'],
  ['.box{height:0;overflow:hidden}'],
  ['.box{position:absolute;left:-9999px}'],
  ['.box{position:fixed;inset:-100vh auto auto -100vw}'],
  ['.box{block-size:0;overflow:hidden}'],
  ['body .box{display:none}'],
  ['html>body .box{display:none}'],
  ['#box{display:none}', 'id="box"'],
  ['[data-box]{display:none}', 'data-box'],
  ['[data-box="1"]{display:none}', 'data-box="1"'],
  ['[data-box^=ab]{display:none}', 'data-box="abc"'],
  ['/* .box{display:block} } */ .box{display:none}'],
  ['a::before{content:"}"}.box{display:none}'],
  ['@media screen{.box{display:none}}'],
  ['@media not print{.box{display:none}}'],
  ['@media (min-width:0){.box{display:none}}'],
  ['@media only screen and (min-width: 1px){.box{display:none}}'],
  ['@layer page{.box{display:none}}'],
  ['@supports (display:grid){.box{display:none}}'],
  ['.box{display:none} b + i{opacity:0;display:block}'],
  ['.box{display:none} a>.inner+div{display:flex}'],
  ['.box{display:none} .other~*{display:block}'],
  ['@import "x.css";.box{display:none}'],
  ['.box{display:none}.other:hover{display:block}'],
  ['.box{display:none}@media print{.box{display:block}}'],
  ['.b\\6fx{display:none}'],
  ['.box{display:none!important}', 'class="box" style="display:block"'],
];
/** Rules beside which the box is seen, or may be. */
const showingRules: readonly (readonly [rules: string, box?: string])[] = [
  ['.box{display:none}.box{display:block}'],
  ['.box.other{display:block}.box{display:none}'],
  ['#box{display:block}.box{display:none}', 'id="box" class="box"'],
  ['.box{display:none}', 'class="box" style="display:block"'],
  ['@media print{.box{display:none}}'],
  ['@media (max-width:600px){.box{display:none}}'],
  ['@media (min-width:2000px){.box{display:none}}'],
  ['@supports not (display:grid){.box{display:none}}'],
  ['.box{display:none}@media (min-width:600px){.box{display:block}}'],
  ['.box{display:none}.other:not(.closed){display:block}'],
  ['.box:hover{display:none}'],
  ['.box::after{display:none}'],
  ['.box:nth-child(1000){display:none}'],
  ['.x + .box{display:none}'],
  ['.boxed{display:none}.bo{display:none}'],
  ['nav .box{display:none}'],
  ['/* .box{display:none} */'],
  ['a::before{content:".box{display:none}"}'],
  ['@keyframes x{.box{display:none}}'],
  ['.x{color:red;.box{display:none}color:blue}'],
  ['.box{color:red;&:hover{display:none}@media print{display:none}}'],
  ['.box{overflow:hidden}'],
  ['.box{width:0}'],
  ['.box{left:-10px}'],
  ['.box{position:absolute;left:-100%;right:-100%;margin:auto}'],
  ['.*{display:none}'],
  ['', 'style="transform:scale(0.9)"'],
  ['', 'style="font-size:0.8em"'],
  ['', 'aria-hidden="true"'],
  ['', 'hidden style="color:red; display: block"'],
];

it.each(oneForm)('$engine.name: a decoy that a style sheet conceals is not a result', ({ engine, page, item }) => {
  const [first = '', ...others] = shown.map((link, index) => item(link, `Running shoes ${index}`));
  const decoy = 'https://decoy.example/';
  const read = (rules: string, box?: string) =>
    linksOf(engine, page([first, rules, boxed(item(decoy, 'Running shoes'), box), ...others].join('')));
  for (const [rules, box] of hidingRules) expect(read(`<style>${rules}</style>`, box), rules).toEqual(shown);
  for (const [rules, box] of showingRules) expect(read(`<style>${rules}</style>`, box), rules).toContain(decoy);
  const rules = '.box{display:none}';
  for (const open of ['<style media=print>', '<style type="text/x">', '<noscript><style>', '<template><style>'])
    expect(read(`${open}${rules}</style></noscript></template>`), open).toContain(decoy);
  for (const open of ['<style media=all>', '<STYLE type="text/css" nonce=x>'])
    expect(read(`${open}${rules}</style>`), open).toEqual(shown);
});

it.each(oneForm)('$engine.name: style sheets of any size take bounded time', ({ engine, page, item }) => {
  const items = shown.map((link, index) => item(link, `Running shoes ${index}`)).join('');
  const read = (rules: string, within = (html: string) => html) =>
    linksOf(engine, page(`<style>${rules}</style>${within(items)}`));
  const many = Array.from({ length: 20_000 }, (_, nth) => `.a${nth} .b{display:none}`).join('');
  expect(read(many)).toEqual(shown);
  expect(read('{'.repeat(100_000))).toEqual(shown);
  expect(read('/*'.repeat(100_000))).toEqual(shown);
  expect(read('"\\'.repeat(100_000))).toEqual(shown);
  expect(read(`.a{${'display:none;'.repeat(50_000)}}`)).toEqual(shown);
  const deep = (html: string) => `${'<i class=b>'.repeat(300)}${html}${'</i>'.repeat(300)}`;
  expect(() => read(many, deep)).toThrow('too many rules of style');
  expect(() => read('a{}'.repeat(1_500_000))).toThrow('characters of style sheets');
});

it.each(forms)('$engine.name: a list that is half transparent is read', ({ engine, page, item }) => {
  const items = shown.map((link, index) => item(link, `Running shoes ${index}`)).join('');
  const faint = page(items).replace(/<body/, '<body style="opacity:0.5"');
  expect(linksOf(engine, faint)).toEqual(shown);
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

it.each(forms)(
  '$engine.name: a large part that is inert, or has text without size, is read',
  ({ engine, page, item }) => {
    const items = shown.map((link, index) => item(link, `Running shoes ${index}`)).join('');
    const filler = '<i></i>'.repeat(500);
    expect(linksOf(engine, page(`<div style="font-size:0">${filler}${items}</div>`))).toEqual(shown);
    expect(linksOf(engine, page(`${items}${filler}`).replace(/<body/, '<body inert'))).toEqual(shown);
  },
);

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
