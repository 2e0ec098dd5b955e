// Results pages and keyword metrics as tables.
import { expect, it } from 'vitest';
import { Printer } from '../../../src/cli/terminal/printer.ts';
import { printMetrics, printSerp } from '../../../src/cli/text/results/answer-text.ts';
import type { KeywordDataResponse, SerpPage } from '../../../src/service/index.ts';
import { TextStream } from '../fake-host.ts';

function printed(print: (out: Printer) => void): string {
  const stream = new TextStream();
  print(new Printer(stream));
  return stream.text;
}

const result = (rank: number) => ({
  rank,
  global_rank: rank,
  title: `Title ${rank}`,
  link: `https://a.example/${rank}`,
});

it('counts ranks over the pages, and names the other elements of a page', () => {
  const pages = [
    { organic: [result(1), result(2)], related_searches: [{}, {}, {}] },
    { organic: [result(1)], ai_overview: {} },
  ] as unknown as SerpPage[];
  const text = printed((out) => printSerp(out, pages));
  expect(text).toMatch(/Page 1\n +rank +title +link\n +1 +Title 1 +https:\/\/a\.example\/1/);
  expect(text).toMatch(/Page 2\n.*\n +3 +Title 1/);
  expect(text).toContain('Also on the page: related searches (3)\n');
  expect(text).toContain('Also on the page: ai overview\n');
});

it('says that a page has no organic results', () => {
  expect(printed((out) => printSerp(out, [{ organic: [] } as unknown as SerpPage]))).toBe('No organic results.\n');
});

it('prints unknown metrics as a dash', () => {
  const data = [
    { keyword: 'shoes', search_volume: 49_000, cpc: 4.7, competition: 60, competition_level: 'medium', intent: null },
    { keyword: 'boots', search_volume: null, cpc: null, competition: null, competition_level: null, intent: null },
  ];
  const text = printed((out) => printMetrics(out, { data } as unknown as KeywordDataResponse));
  expect(text).toMatch(/shoes +49,000 +\$4\.70 +60 +medium +-/);
  expect(text).toMatch(/boots +- +- +- +- +-/);
});
