// Pages with repeated results, with several lists, or of another engine, never give a rank.
import { expect, it } from 'vitest';
import type { Engine } from '../../../src/service/engines/engine.ts';
import { googleEngine } from '../../../src/service/engines/google/index.ts';
import { forms, shown } from './forms.ts';
import { desktopPage, foot as googleFoot, marks as googleMarks, result } from './google/pages.ts';

const linksOf = (engine: Engine, html: string) =>
  (engine.parse(html, { mobile: false }).serp.organic ?? []).map(({ link }) => link);

it.each(forms)('$engine.name: a page that lists a result twice within ten is refused', ({ engine, page, item }) => {
  const items = Array.from({ length: 22 }, (_, nth) => item(`https://s${nth}.example/`, `Shoes ${nth}`));
  const read = (...list: readonly string[]) => linksOf(engine, page(list.join('')));
  const again = items[3] ?? '';
  expect(() => read(...items.slice(0, 7), again, ...items.slice(7))).toThrow('listed twice');
  expect(() => read(...items.slice(0, 12), again, ...items.slice(12))).toThrow('listed twice');
  // Long lists repeat a result further below, and other titles of one address are other results.
  expect(read(...items.slice(0, 13), again, ...items.slice(13))).toHaveLength(23);
  expect(read(...items, item('https://s21.example/', 'Boots'))).toHaveLength(23);
});

/** Markup that programs which save pages leave before or in a page. */
const strays: readonly (readonly [string, (html: string) => string])[] = [
  ['a byte order mark', (html) => `\uFEFF${html}`],
  ['a comment', (html) => `<!-- saved from url=(0014)about:internet -->${html}`],
  ['a line of a log', (html) => `2026-01-20 06:32:00 GET 200\n${html}`],
  ['a text and a second document type', (html) => `<!doctype html>x ${html}`],
  ['a block around the page', (html) => `<div>${html}</div>`],
  ['a block in the head', (html) => html.replace('</head>', '<div></div></head>')],
  ['a second html element', (html) => html.replace('<body>', '<body><html lang="en">')],
  ['a second body', (html) => html.replace('<body>', '<body><body class="x">')],
];

it.each(forms)('$engine.name: stray tags and texts are no second page', ({ engine, page, item }) => {
  const html = page(shown.map((link, nth) => item(link, `Shoes ${nth}`)).join(''));
  for (const [name, change] of strays) expect(linksOf(engine, change(html)), name).toEqual(shown);
});

/** Forms in which a page may be glued to another one. */
const parts: readonly (readonly [string, (html: string) => string])[] = [
  ['whole', (html) => html],
  ['without a document type', (html) => html.replace(/<!doctype[^>]*>/i, '')],
  ['its body', (html) => html.replace(/^.*<body[^>]*>|<\/body>.*$/gs, '')],
  ['its elements', (html) => html.replace(/<!doctype[^>]*>|<\/?(?:html|head|body)(?=[\s>])[^>]*>/gi, '')],
  ['without ids', (html) => html.replace(/ id="[^"]*"/g, '')],
  ['without its list', (html) => html.replace(/<a[^>]*example.*?<\/a>| id="[^"]*"/gs, '')],
  ['cut in its list', (html) => html.replace(/(two\.example.*?<\/a>).*/s, '$1')],
];

it.each(forms)('$engine.name: two pages in one answer are refused', ({ engine, page, item }) => {
  const [one, other] = ['Shoes', 'Boots'].map((title) =>
    page(shown.map((link, nth) => item(link.replace('https://', `https://${title}-`), `${title} ${nth}`)).join('')),
  );
  for (const [name, change] of parts) {
    expect(() => linksOf(engine, `${change(one ?? '')}${other}`), name).toThrow(/more than one|cannot be read/);
    expect(() => linksOf(engine, `${other}${change(one ?? '')}`), name).toThrow(/more than one|cannot be read|cut off/);
  }
});

it.each(forms)('$engine.name: a result in another part of the page is never lost in silence', (form) => {
  const items = shown.map((link, nth) => form.item(link, `Shoes ${nth}`));
  const [first = '', second = '', third = ''] = items;
  const regions = ['form', 'nav', 'header', 'footer', 'aside', 'search', 'fieldset', 'figure'].map(
    (tag) => [`<${tag}>`, `</${tag}>`] as const,
  );
  const roles = ['complementary', 'navigation', 'banner', 'contentinfo', 'search', 'form'];
  for (const [opening, closing] of [...regions, ...roles.map((role) => [`<div role="${role}">`, '</div>'] as const)])
    for (const list of [
      first + opening + second + closing + third,
      first + opening + second + third + closing,
      opening + first + second + closing + third,
      opening + items.join('') + closing,
    ]) {
      let links = shown;
      try {
        links = linksOf(form.engine, form.page(list));
      } catch (error) {
        expect((error as Error).message, list).toMatch(/cannot be read|no organic result|an empty page/);
      }
      expect(links, list).toEqual(shown);
    }
});

it('Google: lists of different names that are not nested are two pages', () => {
  const list = shown.map((link, index) => result(link, `Running shoes ${index}`)).join('');
  const other = `<div id="main">${result('https://decoy.example/', 'Running shoes')}</div>`;
  expect(() => linksOf(googleEngine, desktopPage(list).replace('</body>', `${other}</body>`))).toThrow(
    'more than one list of results',
  );
});

it('Google: a page of another engine with copied marks is refused', () => {
  const items = shown.map((link, index) => `<h3><a href="${link}">Shoes ${index}</a></h3>`).join('');
  const copied = (list: string) => `<html><body>${googleMarks}${list}${googleFoot}</body></html>`;
  for (const list of [`<ol id="b_results">${items}</ol>`, `<main>${items}</main>`])
    expect(() => linksOf(googleEngine, copied(list))).toThrow('It has no list of this engine.');
  expect(linksOf(googleEngine, copied(`<div id="search">${items}</div>`))).toEqual(shown);
});

const titles: readonly (readonly [engine: string, titles: readonly string[]])[] = [
  ['google', ['# - Google Search', '# - Google-Suche', '# - חיפוש ב-Google', '# – Поиск в Google']],
  ['bing', ['# - Bing', '# - Search']],
  ['duckduckgo', ['# at DuckDuckGo']],
];

it.each(forms)('$engine.name: a page is refused if its title names another query', ({ engine, page, item }) => {
  const list = shown.map((link, index) => item(link, `Running shoes ${index}`)).join('');
  const read = (title: string) => {
    const html = page(list).replace(/<title>.*?<\/title>/, '');
    return engine.parse(html.replace('<body>', `<title>${title}</title><body>`), {
      mobile: false,
      keyword: 'running shoes',
    });
  };
  const [, own = []] = titles.find(([name]) => name === engine.name) ?? [];
  expect(own).not.toEqual([]);
  for (const title of own) {
    expect(read(title.replace('#', 'Running  Shoes')).serp.organic, title).toHaveLength(3);
    expect(() => read(title.replace('#', 'garden hose')), title).toThrow('It was searched for "garden hose"');
  }
});
