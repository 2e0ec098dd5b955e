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
