// The page as text: its content policy, its data, the rows it keeps, and the modules of its script.
import { createHash } from 'node:crypto';
import { load } from 'cheerio';
import { describe, expect, it } from 'vitest';
import { readPageAssets } from '../../../jobs/report/html/page-assets.ts';
import { packAnswers } from '../../../src/report/html/data/packed-answers.ts';
import { readHeadline } from '../../../src/report/html/headline.ts';
import { reportPage } from '../../../src/report/html/page.ts';
import { linkScript } from '../../../src/report/html/script.ts';
import { overviewSection } from '../../../src/report/html/sections/overview.ts';
import { builtFacts, builtPage } from './built-page.ts';

describe('the page of a report', () => {
  const page = builtPage({ keywords: 80 });
  const $ = load(page);

  it('allows exactly its own scripts and style sheet', () => {
    const policy = $('meta[http-equiv="Content-Security-Policy"]').attr('content') ?? '';
    const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    const scripts = $('script:not([type])')
      .toArray()
      .map((element) => hash($(element).text()));
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`script-src ${scripts.join(' ')};`);
    expect(policy).toContain(`style-src ${hash($('style').text())};`);
    expect(policy).not.toContain('unsafe');
    expect(page.indexOf('Content-Security-Policy')).toBeLessThan(page.indexOf('<script'));
  });

  it('names nothing that a browser would load: the only addresses are links', () => {
    expect($('[src], link, base, iframe, object').length).toBe(0);
    expect(page).not.toContain('sourceMappingURL');
    expect($('[style], [onclick], [onload], [onerror]').length).toBe(0);
  });

  it('holds its data as JSON that cannot end the element', () => {
    const text = $('#report-data').text();
    expect(text).not.toContain('<');
    const data = JSON.parse(text);
    expect(data.rows.keyword).toHaveLength(80);
    expect(Object.values(data.rows as Record<string, unknown[]>).every((column) => column.length === 80)).toBe(true);
  });

  it('has its headline where the index reads it', () => {
    expect(readHeadline(page.slice(0, 16_384))).toMatchObject({ target: 'acme.com', total: 80 });
    expect(readHeadline('<html>')).toBe(null);
  });

  it('says over how many keywords the first and the last value of a chart are, where their numbers differ', () => {
    const facts = builtFacts({ keywords: 80 });
    const textWith = (values: readonly (number | null)[], of: readonly (number | null)[]) => {
      const line = { target: 'acme.com', isOwn: true, values, of };
      const data = { ...facts.data, charts: { ...facts.data.charts, visibility: [line] } };
      return load(String(overviewSection({ ...facts, data }))).text();
    };
    expect(textWith([12.5, 3], [80, 80])).toContain('acme.com: from 12.50 % to 3.00 %, over 80 of 80 keywords.');
    expect(textWith([12.5, 3], [30, 80])).toContain(
      'acme.com: from 12.50 % over 30 to 3.00 %, over 80 of 80 keywords.',
    );
    expect(textWith([null, 3], [null, 80])).toContain('acme.com: 3.00 %, over 80 of 80 keywords, 1 of 2 dates without');
  });

  it('has each id once, a heading for each section, and a caption for each table', () => {
    const ids = $('[id]')
      .toArray()
      .map((element) => $(element).attr('id'));
    expect(new Set(ids).size).toBe(ids.length);
    expect(
      $('section')
        .toArray()
        .every((section) => $(section).find('h2').length === 1),
    ).toBe(true);
    expect(
      $('table')
        .toArray()
        .every((one) => $(one).find('caption').length === 1),
    ).toBe(true);
    expect(
      $('nav a')
        .toArray()
        .every((a) => $($(a).attr('href') ?? '').length === 1),
    ).toBe(true);
  });

  it('of prompts only has no sections of keywords', () => {
    const { data, ...facts } = builtFacts({ keywords: 0 });
    const sections = (answers: object) => {
      const page = [...reportPage({ ...facts, data: { ...data, ...answers } }, readPageAssets())].join('');
      return load(page)('nav a')
        .toArray()
        .map((link) => link.attribs['href']);
    };
    const packed = packAnswers([]);
    expect(sections({ answers: { rows: packed } })).toEqual(['#answers', '#problems', '#about']);
    expect(sections({})).toContain('#keywords');
  });

  it('shows warnings about its numbers at the top', () => {
    expect($('.banner').length).toBe(0);
    expect(load(builtPage({ warning: 'suspect run: half is gone' }))('.banner').text()).toContain('half is gone');
  });

  it('keeps the rows with the most clicks if there are too many, and says how many there are', () => {
    const few = load(builtPage({ keywords: 80, rowsMax: 10 }));
    expect(few('#keywords .lead').text()).toContain('10 keywords with the most estimated clicks, of 80');
    const worth = (facts: ReturnType<typeof builtFacts>) =>
      (facts.data.rows.estimatedClicksChange as (number | null)[]).map((change) => Math.abs(change ?? -1));
    const [all, kept] = [worth(builtFacts({ keywords: 80 })), worth(builtFacts({ keywords: 80, rowsMax: 10 }))];
    expect(kept).toEqual(all.slice(0, 10));
  });

  it('renders without history, and without rows', () => {
    expect(load(builtPage({ keywords: 3, dates: 0 }))('.figure').length).toBe(0);
    expect(load(builtPage({ keywords: 0, dates: 0 }))('tbody tr').length).toBeGreaterThan(0);
  });
});

describe('the script of the page', () => {
  const linked = (modules: Record<string, string>) =>
    linkScript('a.js', {
      resolve: (specifier) => (specifier === 'elsewhere' ? null : specifier.replace('./', '')),
      read: (module) => modules[module] ?? '',
    });
  const result = (modules: Record<string, string>): unknown => {
    const seen: unknown[] = [];
    new Function('say', linked(modules))((value: unknown) => seen.push(value));
    return seen;
  };

  it('has no module syntax and no comments of modules', () => {
    const { script } = readPageAssets();
    expect(script).not.toMatch(/^(import|export)\b/m);
    expect(script).not.toMatch(/^\s*\/\/ /m);
  });

  it('runs each module once, after those that it imports, in its own scope', () => {
    const modules = {
      'a.js':
        "import { b, twice as two } from './b.js';\nimport c from './c.js';\nconst own = 1;\nsay([own, b, two(b), c(b)]);\n",
      'b.js':
        "import'elsewhere';const own = 2;\nexport const b = own;\nexport function twice(n) {\n  return 2 * n;\n}\n",
      'c.js': 'import{b as n}from"./b.js";var own=n;say(own);export default function(m){return own+m}',
    };
    expect(result(modules)).toEqual([2, [1, 2, 4, 4]]);
    expect(
      result({
        'a.js': "import { x as y } from './b.js';\nsay(y());",
        'b.js': 'function z(){return 3}export{z as x};',
      }),
    ).toEqual([3]);
  });

  it('is refused in any other form', () => {
    expect(() => linked({ 'a.js': "import * as all from './b.js';\n" })).toThrow(/form/);
    expect(() => linked({ 'a.js': "export { b } from './b.js';\n" })).toThrow(/form/);
    expect(() => linked({ 'a.js': "const text = '</script>';\n" })).toThrow(/end its element/);
    expect(() => linked({ 'a.js': "import { b } from './b.js';", 'b.js': "import { a } from './a.js';" })).toThrow(
      /a.js -> b.js -> a.js/,
    );
  });
});
