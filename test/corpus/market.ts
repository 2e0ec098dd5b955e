// How often the rule for other markets is wrong: recorded pages under their own market, and under others.
import { readFileSync } from 'node:fs';
import { loadEngine } from '../../src/service/engines/registry.ts';
import { ServiceError } from '../../src/service/model/errors.ts';
import { decodeText } from '../../src/service/model/results/charset.ts';
import { engineOf } from './fixtures.ts';
import { corpus, type Row } from './recorded-pages.ts';

/** Countries of the recorded pages whose language does not name them. */
const countries: Readonly<Record<string, string>> = {
  en: 'US',
  fr: 'FR',
  es: 'ES',
  de: 'DE',
  pl: 'PL',
  '': 'US',
  en_US: 'US',
};
/** Markets that no recorded page is of, and those of some. */
const others = [
  'US en',
  'GB en',
  'IN en',
  'FR fr',
  'DE de',
  'ES es',
  'MX es',
  'CH de',
  'LV lv',
  'JP ja',
  'BR pt',
  'TW zh-TW',
];

interface MarketRates {
  readonly pages: number;
  /** Names of pages that are refused under their own market. */
  readonly refused: readonly string[];
  /** Pages under another country or language, and how many of them are believed. */
  readonly foreign: number;
  readonly believed: number;
}

export async function marketRates(rows: readonly Row[]): Promise<MarketRates> {
  const refused: string[] = [];
  let [pages, foreign, believed] = [0, 0, 0];
  for (const row of rows) {
    const engine = await loadEngine(engineOf(row));
    const html = decodeText(readFileSync(new URL(row.file, corpus)));
    const isRead = (country?: string, language?: string): boolean => {
      try {
        engine.parse(html, { mobile: row.device === 'mobile', country, language });
        return true;
      } catch (error) {
        if (error instanceof ServiceError) return false;
        throw error;
      }
    };
    if (!isRead()) continue;
    pages++;
    const [written = '', region] = row.language.split('-');
    const [country = '', language] = [region ?? countries[written] ?? '', written.slice(0, 2) || 'en'];
    if (!isRead(country, language)) refused.push(row.file);
    for (const market of others) {
      const [otherCountry = '', otherLanguage = ''] = market.split(' ');
      if (otherCountry === country && otherLanguage === language) continue;
      foreign++;
      if (isRead(otherCountry, otherLanguage)) believed++;
    }
  }
  return { pages, refused, foreign, believed };
}

export function marketText({ pages, refused, foreign, believed }: MarketRates): string {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  return (
    `market: ${refused.length} of ${pages} pages refused under their own market (below ${percent(3 / pages)} with 95 % ` +
    `confidence if none), believed ${believed} of ${foreign} under other ones (${percent(believed / foreign)})`
  );
}
