// Sections about the run: what a source was asked and sold stands in the words of its line.
import { expect, it } from 'vitest';
import type { PageFacts } from '../../../src/report/html/page-facts.ts';
import { spendSection } from '../../../src/report/html/run-sections.ts';
import { spendOfSources } from '../../../src/report/spend.ts';

it('a line of a source tells its requests by what they cost, and only those that there were', () => {
  const facts = { project: 'acme', runId: 1, warning: null };
  const sold = (source: string, requests: { charged: number; free: number; unknown: number } | null) =>
    ({ source, spent: 3, unknown: 0, requests }) as const;
  const spend = spendOfSources(facts, [
    sold('web/chain:serper', null),
    sold('web/bing', { charged: 1_200, free: 0, unknown: 3 }),
    sold('web/google', { charged: 0, free: 5, unknown: 0 }),
    sold('web/duckduckgo', { charged: 0, free: 0, unknown: 0 }),
  ]);
  const text = String(spendSection({ spend } as unknown as PageFacts)).replaceAll(/<[^>]+>/g, ' ');
  expect(text).toMatch(/web\/chain:serper {2}/);
  expect(text).toContain('web/bing; requests: 1,200 charged, 3 perhaps charged ');
  expect(text).toContain('web/google; requests: 5 free ');
  expect(text).toMatch(/web\/duckduckgo {2}/);
});
