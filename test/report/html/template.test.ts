// A client's template on the page: name, logo, texts, sections, columns, colours.
import { load } from 'cheerio';
import { describe, expect, it } from 'vitest';
import { indexPage } from '../../../src/report/html/index-page.ts';
import { plainTemplate, type ReportTemplate } from '../../../src/tracker/changes/client-reports.ts';
import { PageReader } from '../../../src/workspace/embedded/page-reader.ts';
import { builtPage } from './built-page.ts';

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

describe('a page with a template', () => {
  const html = builtPage({ template });
  const page = load(html);

  it('has the name and the logo, and the name in place of ours', () => {
    expect(page('header .kicker').text()).toBe('North & Light · Rank report');
    expect(page('header img.logo').attr('src')).toBe('data:image/png;base64,iVBORw0KGgo=');
    expect(page('header img.logo').attr('alt')).toBe('North & Light');
    expect(page('footer').text()).toContain('Made by North & Light');
    expect(page.text()).not.toContain('Made by rankledger');
  });

  it('has the introduction as text, and the comments on their day', () => {
    const texts = page('#introduction .prose')
      .map((_, paragraph) => page(paragraph).text())
      .get();
    expect(texts).toEqual(['Dear team,', '<b>hello</b>', 'A good September.']);
  });

  it('has the chosen sections in their order', () => {
    const ids = page('main > section')
      .map((_, section) => page(section).attr('id'))
      .get();
    expect(ids).toEqual(['introduction', 'keywords', 'overview']);
    expect(page('nav a').length).toBe(3);
    expect(page('a.skip').attr('href')).toBe('#introduction');
  });

  it('hides the columns that were not chosen', () => {
    const titles = page('#keyword-place thead th').map((_, cell) => page(cell).text());
    expect(titles.get()).toEqual(['Keyword', 'Rank', 'Ranking URL']);
    const reader = new PageReader(JSON.parse(page('#report-data').text()));
    expect(reader.project('acme').columns).toEqual(['keyword', 'rank', 'url']);
  });

  it('has the colours on paper and light screens, and lighter ones on dark screens', () => {
    expect(html).toMatch(/--link: light-dark\(#7a1f5c, #(?!7a1f5c)[0-9a-f]{6}\);/);
    expect(html).toMatch(/--series-1: light-dark\(#123456, #(?!123456)[0-9a-f]{6}\);/);
  });

  it('keeps the note on simulated data with any choice of sections', () => {
    const noted = load(builtPage({ template, warning: 'simulated data (sandbox), not real results' }));
    expect(noted('.banner').text()).toContain('simulated data');
  });
});

it('a page without a template is unchanged', () => {
  const page = load(builtPage());
  expect(page('header .kicker').text()).toBe('Rank report');
  expect(page('#introduction, img.logo').length).toBe(0);
  expect(page('footer').text()).toContain('Made by rankledger');
});

it('the index has the name, the logo and the colours', () => {
  const html = indexPage([], 0, '', template);
  const page = load(html);
  expect(page('.kicker').text()).toBe('North & Light');
  expect(page('img.logo').length).toBe(1);
  expect(html).toContain('--link: light-dark(#7a1f5c,');
  expect(html).toContain('img-src data:');
});
