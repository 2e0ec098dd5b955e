// Pages of another country or language: what the recorded pages say about themselves.
import { expect, it } from 'vitest';
import { marketRates, marketText } from './market.ts';
import { isCorpusHere, recordedRows } from './recorded-pages.ts';

it.skipIf(!isCorpusHere)(
  'no recorded page is refused under its own market, and under others nine in ten are',
  async () => {
    const rates = await marketRates(recordedRows());
    console.info(marketText(rates));
    expect(rates.refused).toEqual([]);
    expect(rates.believed / rates.foreign).toBeLessThan(0.2);
  },
);
