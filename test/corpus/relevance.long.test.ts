// The doubt `decoy_page`: no recorded page or vendor sample gets it, and nearly every page of another query does.
import { expect, it } from 'vitest';
import { isCorpusHere } from './recorded-pages.ts';
import { believedMax, decoyRates, halves, ratesText } from './relevance.ts';

it.skipIf(!isCorpusHere)(
  'no recorded list is a decoy under its own query, and under those of other pages at least 98 % are',
  async () => {
    const ratesOf = await decoyRates();
    for (const half of halves) {
      const rates = ratesOf(half);
      console.info(ratesText(half, rates));
      expect(rates.refused, half).toEqual([]);
      expect(rates.partsRefused, half).toBe(0);
      // twice the constant of the rule: a margin for pages that are not recorded
      expect(rates.leastShare, half).toBeGreaterThan(0.5);
      expect(rates.believed / rates.foreign, half).toBeLessThan(believedMax);
      expect(rates.lists, half).toBeGreaterThan(40);
    }
  },
);
