// Worlds of sources whose looks are judged: noise, lies, and who is named.

import { SourceJudge } from '../../src/tracker/trust/agreement.ts';
import type { JointLook, SeenPage } from '../../src/tracker/trust/looks.ts';
import { seeded } from './seeded.ts';

const names = ['first', 'second', 'third'] as const;
const links = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
const page = (some: readonly string[], features: readonly string[] = []): SeenPage => ({ links: some, features });
const look = (source: string, one: SeenPage) => ({ source, pages: new Map([[1, one]]) });

/** Numbers of one world, evenly spread from 0 to 1 (Lehmer 1951, modulus 2^31 - 1). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** What an engine shows to one of several looks: each result may be another one, with this chance. */
function noisyPage(random: () => number, chance: number): SeenPage {
  const shown = links.map((link, rank) =>
    random() < chance ? `${link} or ${Math.floor(random() * 3)} at ${rank}` : link,
  );
  const features = ['video', 'ai_overview', 'paid'].filter(() => random() < 1 - chance);
  return page(shown, features);
}

/** Three looks a day for 60 days, with a third where it is open. */
const largeLooks = 180;

/** The sources that are named in each world, in which the third may lie. */
export function namedIn(
  worlds: number,
  chance: number,
  lie?: (page: SeenPage, random: () => number) => SeenPage,
): string[][] {
  return Array.from({ length: worlds }, (_, world) => {
    const random = numbers(world + 1);
    const sources = new SourceJudge(names, 0.99);
    const found = new Set<string>();
    for (let count = 0; count < largeLooks; count += 1) {
      const seenBy = (source: string) => {
        const seen = noisyPage(random, chance);
        return look(source, source === 'third' && lie !== undefined ? lie(seen, random) : seen);
      };
      const [double, last] = count % 2 === 0 ? ['second', 'third'] : ['third', 'second'];
      const looks = [seenBy('first'), seenBy(double ?? '')];
      const each: JointLook = { group: 'US en desktop', keyword: `keyword ${count}`, at: count, looks };
      sources.add(sources.isOpen(each) ? { ...each, looks: [...looks, seenBy(last ?? '')] } : each);
      for (const source of names) if (sources.standing(source).belief === 'named') found.add(source);
    }
    return [...found];
  });
}

/** Honest noise that lasts: of a keyword, neighbours have changed places, and results are missing, for five days. */
function lastingPage(
  { chanceOf, noise }: { readonly chanceOf: (number: number) => number; readonly noise: number },
  all: readonly string[],
): string[] {
  const kept = all.filter((_, rank) => chanceOf(rank) >= noise / 4);
  for (let rank = 0; rank + 1 < kept.length; rank += 1) {
    if (chanceOf(100 + rank) >= noise) continue;
    kept.splice(rank, 2, kept[rank + 1] ?? '', kept[rank] ?? '');
    rank += 1;
  }
  return kept.slice(0, 10);
}

const sites = ['own', 'rival'];
export type SmallLie = (links: readonly string[], chance: number) => readonly string[];

/** Days until the third source is named, by world, and honest sources that are named; null: never, in 30 days. */
export function afterSmallLies(noise: number, lie?: SmallLie, looksADay = 3, worlds = 60) {
  const days: (number | null)[] = [];
  let honest = 0;
  for (let world = 1; world <= worlds; world += 1) {
    const random = seeded(world * 31);
    const judge = new SourceJudge(names, 0.99);
    const found = new Map<string, number>();
    for (let day = 0; day < 30; day += 1) {
      for (let count = 0; count < looksADay; count += 1) {
        const keyword = Math.floor(random() * 80);
        const ranks = Array.from({ length: 12 }, (_, rank) => `${keyword} ${rank}`);
        ranks[keyword % 10] = 'own';
        ranks[(keyword + 1 + (keyword % 7)) % 10] = 'rival';
        const lied = random();
        const seenBy = (source: string) => {
          const block = Math.floor((day + (keyword % 5)) / 5);
          const chances = seeded(
            names.indexOf(source as (typeof names)[number]) * 7 + world * 1000 + keyword * 100_003 + block * 17,
          );
          const numbers = Array.from({ length: 120 }, chances);
          const shown = lastingPage({ chanceOf: (number) => numbers[number] ?? 1, noise }, ranks);
          const sold = source === 'third' && day >= 5 && lie !== undefined ? lie(shown, lied) : shown;
          const tracked = new Map(sites.filter((site) => sold.includes(site)).map((site) => [site, site]));
          return { ...look(source, page(sold)), sites: tracked };
        };
        const second = count % 3 === 0 ? 'second' : 'third';
        const looks = [seenBy('first'), seenBy(second)];
        const joined = { group: 'US en desktop', keyword: `${keyword}`, at: day * 86_400_000, sites, looks };
        const last = second === 'second' ? 'third' : 'second';
        judge.add(judge.isOpen(joined) ? { ...joined, looks: [...looks, seenBy(last)] } : joined);
      }
      for (const source of names)
        if (!found.has(source) && judge.standing(source).belief === 'named') found.set(source, day - 5);
    }
    days.push(found.get('third') ?? null);
    honest += [...found.keys()].filter((source) => source !== 'third' || lie === undefined).length;
  }
  return { days, honest };
}
export const without = (site: string) => (each: readonly string[]) => each.filter((link) => link !== site);
export const swap = (links: readonly string[], at: number) =>
  at < 0 || at + 1 >= links.length ? links : links.toSpliced(at, 2, links[at + 1] ?? '', links[at] ?? '');
export const rivalBetter: SmallLie = (each) => swap(each, each.indexOf('rival') - 1);

/** Of the own site, a fifth of the pages. */
export const missingOnAFifth: SmallLie = (each, chance) => (chance < 0.2 ? without('own')(each) : each);
