// A client's template on the page: name, logo, texts, sections, columns, colours.
import { load } from 'cheerio';
import { describe, expect, it } from 'vitest';
import type { ReportFacts } from '../../../src/report/html/data/page-facts.ts';
import { indexPage } from '../../../src/report/html/index-page.ts';
import { plainTemplate, type ReportTemplate } from '../../../src/tracker/changes/client-reports.ts';
import { PageReader } from '../../../src/workspace/embedded/page-reader.ts';
import { builtPage, heldData } from './built-page.ts';

const template: ReportTemplate = {
  ...plainTemplate,
  name: 'North & Light',
  logo: { type: 'image/png', base64: 'iVBORw0KGgo=' },
  accent: '#7a1f5c',
  series: ['#123456'],
  introduction: 'Dear team,\n\n<b>hello</b>',
  comments: [
    { from: '2026-09-01', to: '2026-09-30', text: 'A good September.' },
    { from: '2026-08-01', to: '2026-08-31', text: 'August is over.' },
  ],
  sections: ['keywords', 'overview'],
  columns: ['rank', 'url'],
};

const factsOf = (html: string) => JSON.parse(load(html)('#report-facts').text()) as ReportFacts;

describe('a page with a template', () => {
  const html = builtPage({ template });

  it('has its name and logo, and its sections in their order', () => {
    const { name, logo, sections } = factsOf(html).template;
    expect([name, logo?.base64, sections]).toEqual(['North & Light', 'iVBORw0KGgo=', ['keywords', 'overview']]);
  });

  it('has the introduction as text, and the comments on their day', () => {
    expect(factsOf(html).introduction).toEqual(['Dear team,', '<b>hello</b>', 'A good September.']);
    expect(load(html)('b').length).toBe(0);
  });

  it('has the chosen columns', () => {
    const reader = new PageReader(heldData(html));
    expect(reader.of('acme').facts().columns).toEqual(['keyword', 'rank', 'url']);
  });

  it('has the colours on paper and light screens, and lighter ones on dark screens', () => {
    expect(html).toMatch(/--accent: light-dark\(#7a1f5c, #(?!7a1f5c)[0-9a-f]{6}\);/);
    expect(html).toMatch(/--series-1: light-dark\(#123456, #(?!123456)[0-9a-f]{6}\);/);
  });

  it('keeps the note on simulated data with any choice of sections', () => {
    const warning = 'simulated data (sandbox), not real results';
    expect(factsOf(builtPage({ template, warning })).warning).toBe(warning);
  });
});

it('a page without a template has none of it', () => {
  const { template, introduction } = factsOf(builtPage());
  expect([template, introduction]).toEqual([{ name: null, logo: null, sections: null }, []]);
});

it('the index has the name, the logo and the colours', () => {
  const html = indexPage([], 0, '', template);
  const page = load(html);
  expect(page('.report-kicker').text()).toBe('North & Light');
  expect(page('img.report-logo').length).toBe(1);
  expect(html).toContain('--accent: light-dark(#7a1f5c,');
  expect(html).toContain('img-src data:');
});
