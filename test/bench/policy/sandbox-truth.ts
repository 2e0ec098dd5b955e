// True ranks of one site in the sandbox, day by day.
import { listMetrics } from '../../../src/service/sources/sandbox/keywords.ts';
import { createWorld } from '../../../src/service/sources/sandbox/world.ts';
import type { TrueSearch } from './truth.ts';

const site = 'acme.com';
const firstDay = 20_500; // days since 1970-01-01, UTC: in February 2026
const month = 12 * (2026 - 1970) + 1;
const market = { country: 'US', language: 'en' };
const ranksMax = 100;
/** Keywords that the sandbox suggests for each of these: heads with large volumes, and many with small ones. */
const heads = [
  'running shoes',
  'mortgage rates',
  'city hotels',
  'coffee machine',
  'yoga lessons',
  'garden tools',
  'dentist',
  'laptop',
];

export function sandboxSearches(seed: number, { searches, days }: { searches: number; days: number }): TrueSearch[] {
  const world = createWorld(seed, [site]);
  const each = Math.ceil(searches / heads.length);
  const keywords = heads.flatMap((keyword) => listMetrics({ ...market, keyword, limit: each, month }, seed));
  return keywords.slice(0, searches).map(({ keyword, search_volume }): TrueSearch => {
    const ranks = Array.from({ length: days }, (_, day) => {
      const ranking = world.rank({ ...market, keyword, mobile: false }, firstDay + day);
      for (let at = 0; at < Math.min(ranking.length, ranksMax); at += 1) {
        if (ranking.at(at)?.site.host.replace(/^www\./, '') === site) return at + 1;
      }
      return null;
    });
    return { volume: search_volume ?? 0, ranks };
  });
}
