// Decoys that no reader of a page sees, and pages glued together, never become ranks.
import { expect, it } from 'vitest';
import { bingEngine } from '../../../src/service/engines/bing/index.ts';
import { duckDuckGoEngine } from '../../../src/service/engines/duckduckgo/index.ts';
import type { Engine } from '../../../src/service/engines/engine.ts';
import { googleEngine } from '../../../src/service/engines/google/index.ts';
import { bingPage, bingResult } from './bing/pages.ts';
import { duckPage, duckResult } from './duckduckgo/pages.ts';
import { desktopPage, result } from './google/pages.ts';

interface Form {
  readonly engine: Engine;
  readonly page: (items: string) => string;
  readonly item: (link: string, title: string) => string;
}

const forms: readonly Form[] = [
  { engine: googleEngine, page: (items) => desktopPage(items), item: (link, title) => result(link, title) },
  { engine: bingEngine, page: (items) => bingPage(items), item: bingResult },
  { engine: duckDuckGoEngine, page: (items) => duckPage(items), item: duckResult },
];

const shown = ['https://one.example/', 'https://two.example/', 'https://three.example/'];

const concealed: readonly (readonly [string, (item: string) => string])[] = [
  ['hidden', (item) => `<div hidden>${item}</div>`],
  ['itself hidden', (item) => item.replace(/^<(\w+)/, '<$1 hidden')],
  ['display:none', (item) => `<div style="DISPLAY : none !important">${item}</div>`],
  ['visibility:hidden', (item) => `<div style="visibility:hidden">${item}</div>`],
  ['transparent', (item) => `<div style="color:red;opacity:0">${item}</div>`],
  ['beside the window', (item) => `<div style="position:absolute;left:-9999px">${item}</div>`],
  ['without size', (item) => `<div style="height:0;overflow:hidden">${item}</div>`],
  ['in a closed dialog', (item) => `<dialog>${item}</dialog>`],
  ['in closed details', (item) => `<details>${item}</details>`],
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
