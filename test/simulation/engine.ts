// The truth of the simulated world: the results of a search on a day. Provider and oracle read it. No product code.
import { Random, textNumber } from './random.ts';

/** A search as it comes over the wire. */
export interface WireSearch {
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
  readonly mobile: boolean;
}

/** Tracked hosts, and other hosts with similar names. */
export const trackedHosts = ['acme.example', 'globex.example', 'initech.example', 'umbrella.example'] as const;
const lookalikes = ['notacme.example', 'acme.example.site9.example', 'globex.example.net', 'my-initech.example'];

const dayMs = 86_400_000;
const resultsMost = 34;
const perPage = [10, 4, 8, 9, 5] as const;

/** The destinations of one page, 1-based; none beyond the last result. They drift from day to day. */
export function pageOfResults(search: WireSearch, at: number, page: number): readonly string[] {
  const results = resultsOf(search, Math.floor(at / dayMs));
  let before = 0;
  for (let earlier = 1; earlier < page; earlier += 1) before += sizeOf(earlier);
  return results.slice(before, before + sizeOf(page));
}

const remembered = new Map<string, readonly string[]>();
const rememberedMax = 5000;

function resultsOf(search: WireSearch, day: number): readonly string[] {
  const name = `${search.keyword}|${search.country}|${search.language}|${search.mobile}`;
  const known = remembered.get(`${name}|${day}`);
  if (known !== undefined) return known;
  const always = new Random(textNumber(name));
  const today = new Random(day, name);
  // some searches have few results, so that the engine says that nothing follows
  const count = always.chance(0.15) ? always.whole(3, 14) : resultsMost;
  const results = Array.from(
    { length: count },
    (_, index) => `https://site${index + 1}.example/${textNumber(name) % 97}`,
  );
  for (const host of [...trackedHosts, ...lookalikes]) {
    const isThere = always.chance(0.8) && today.chance(0.93);
    const usual = always.whole(0, count - 1);
    if (!isThere) continue;
    const rankIndex = Math.min(count - 1, Math.max(0, usual + today.whole(-2, 2)));
    const name = always.chance(0.3) ? `www.${host}` : host;
    results[rankIndex] = `https://${name}/${today.chance(0.9) ? 'shop' : 'sale'}`;
  }
  if (remembered.size >= rememberedMax) remembered.clear();
  remembered.set(`${name}|${day}`, results);
  return results;
}

function sizeOf(page: number): number {
  return perPage[(page - 1) % perPage.length] as number;
}
