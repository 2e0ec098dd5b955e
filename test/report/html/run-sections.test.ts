// The cost of a run on the page of a report: an unknown amount, and one below a cent, is not 0.
import { load } from 'cheerio';
import { expect, it } from 'vitest';
import { spendSection } from '../../../src/report/html/sections/run-sections.ts';
import { type SpendRow, spendOfDollars, spendOfSources } from '../../../src/report/tables/spend.ts';
import { builtFacts } from './built-page.ts';

const facts = { project: 'acme', runId: 7, warning: null };

/** The cells of each line, without its name. */
function cells(spend: readonly SpendRow[]): string[][] {
  const page = load(spendSection({ ...builtFacts({ keywords: 1, dates: 1 }), spend })?.text ?? '');
  return page('tbody tr')
    .toArray()
    .map((row) =>
      page('td', row)
        .toArray()
        .map((cell) => page(cell).text()),
    );
}

it('an unknown amount of a source is shown as a dash', () => {
  const [line] = spendOfSources(facts, [{ source: 'vendor/chain:one', spent: 5, unknown: 0, requests: null }]);
  if (line === undefined) throw new Error('there is no line');
  const shown = cells([line])[0] ?? [];
  expect(shown.filter((cell) => cell === '5')).toHaveLength(1);
  expect(shown).not.toContain('');
  expect(shown.filter((cell) => cell === '–').length).toBeGreaterThan(4);
});

it('a share of a request below a cent is shown', () => {
  const cost = { reserved: 30_000, spent: 10_000, unknown: 0, failures: 0 };
  const own = { reserved: 7_500, spent: 2_500, unknown: 0, failures: 0 };
  const [ours, others] = cells(spendOfDollars(facts, cost, own));
  expect(ours?.slice(1, 3)).toEqual(['$0.0075', '$0.0025']);
  expect(others?.slice(1, 3)).toEqual(['$0.0225', '$0.0075']);
});

it('names its table unlike its section, because both are landmarks', () => {
  const [line] = spendOfSources(facts, [{ source: 'vendor/chain:one', spent: 5, unknown: 0, requests: null }]);
  const spend = line === undefined ? [] : [line];
  const section = load(spendSection({ ...builtFacts({ keywords: 1, dates: 1 }), spend })?.text ?? '');
  expect(section('[role=region]').attr('aria-label')).toBe('Spend as a table');
});
