// Which of several sources to believe.
import { describe, expect, it } from 'vitest';
import { cheapestBelieved, SourceJudge } from '../../../src/tracker/trust/agreement.ts';
import { type AgreementField, agreementOf, type JointLook, type SeenPage } from '../../../src/tracker/trust/looks.ts';
import { seeded } from '../../helpers/seeded.ts';

const links = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
const page = (some: readonly string[] = links, features: readonly string[] = []): SeenPage => ({
  links: some,
  features,
});
const look = (source: string, ...pages: SeenPage[]) => ({
  source,
  pages: new Map(pages.map((each, at) => [at + 1, each] as const)),
});

/** Numbers of one test, evenly spread from 0 to 1 (Lehmer 1951, modulus 2^31 - 1). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

let at = 0;
const joint = (pages: Readonly<Record<string, SeenPage>>, group = 'US en desktop'): JointLook => {
  at += 1;
  const looks = Object.entries(pages).map(([source, one]) => look(source, one));
  return { group, keyword: `keyword ${at}`, at, looks };
};

describe('agreement of two looks', () => {
  it.each<[string, SeenPage, Partial<Record<AgreementField, number>>]>([
    ['equal pages', page(), { urls: 1, order: 1, results: 1, features: 1, ai_overview: 1, ads: 1 }],
    ['another order', page([...links].reverse()), { urls: 1, order: 0 }],
    ['two neighbours that changed places', page(['b', 'a', ...links.slice(2)]), { urls: 1, order: 44 / 45 }],
    ['results that others lack', page([...links.slice(0, 8), 'x', 'y']), { urls: 0.8, order: 1, results: 0.8 }],
    ['more results', page([...links, 'x', 'y']), { urls: 10 / 12, order: 1 }],
    ['no results', page([]), { urls: 0, order: 1 }],
    ['an AI overview', page(links, ['ai_overview']), { ai_overview: 0, features: 1, ads: 1 }],
    ['ads', page(links, ['paid']), { ads: 0, features: 1, ai_overview: 1 }],
    ['another feature', page(links, ['video']), { features: 0, ads: 1 }],
  ])('counts %s', (_, other, expected) => {
    expect(agreementOf(look('one', page()), look('other', other))).toMatchObject(expected);
    expect(agreementOf(look('other', other), look('one', page()))).toMatchObject(expected);
  });

  it('is about the pages that both have', () => {
    expect(agreementOf(look('one', page(), page(['x'])), look('other', page()))).toMatchObject({ urls: 1 });
    expect(agreementOf({ source: 'one', pages: new Map([[2, page()]]) }, look('other', page()))).toBeNull();
  });
});

const shuffled = page([...links].reverse());

/** Looks in which all agree. */
function agreeing(sources: SourceJudge, names: readonly string[], count = 12): SourceJudge {
  for (let done = 0; done < count; done += 1)
    sources.add(joint(Object.fromEntries(names.map((name) => [name, page()]))));
  return sources;
}

describe('sources that are compared', () => {
  const names = ['first', 'second', 'third'];
  const judge = () => new SourceJudge(names, 0.99);

  it('are believed after six looks that agree', () => {
    const sources = judge();
    for (let count = 0; count < 5; count += 1) sources.add(joint({ first: page(), second: page() }));
    expect(sources.standing('second')).toMatchObject({ belief: 'learning', looks: 5 });
    sources.add(joint({ first: page(), second: page() }));
    expect(sources.standing('second')).toMatchObject({ belief: 'believed', looks: 6, because: null });
    expect(sources.standing('third')).toMatchObject({ belief: 'learning', looks: 0, agreement: null });
  });

  it('leave open which of two is odd, until a third has looked', () => {
    const sources = judge();
    const two = joint({ first: page(), second: shuffled });
    expect(sources.isOpen(two)).toBe(true);
    sources.add(two);
    expect(sources.standing('second').because).toBeNull();
    const three = joint({ first: page(), second: shuffled, third: page() });
    expect(sources.isOpen(three)).toBe(false);
    sources.add(three);
    expect(sources.standing('second')).toMatchObject({ belief: 'doubted', because: { field: 'order', odd: 1 } });
    expect(sources.standing('first').because).toBeNull();
  });

  it('earn no belief while it is open whether they agree, and show that they differ', () => {
    const sources = judge();
    for (let count = 0; count < 10; count += 1) sources.add(joint({ first: page(), second: shuffled }));
    expect(sources.standing('second')).toMatchObject({ belief: 'learning', looks: 0, because: null });
    expect(sources.standing('second').agreement).toMatchObject({ order: 0, urls: 1 });
  });

  it('name the first of the list, too, if the others agree', () => {
    const sources = agreeing(judge(), names);
    for (let count = 0; count < 4; count += 1) sources.add(joint({ first: shuffled, second: page(), third: page() }));
    expect(sources.standing('first')).toMatchObject({ belief: 'named', because: { field: 'order', odd: 4, looks: 4 } });
  });

  it('are not named for looks of one moment: the engine may be changing', () => {
    const sources = agreeing(judge(), names);
    const odd = joint({ first: page(), second: shuffled, third: page() });
    for (let count = 0; count < 20; count += 1) sources.add(odd);
    expect(sources.standing('second').belief).toBe('doubted');
    sources.add(joint({ first: page(), second: shuffled, third: page() }));
    expect(sources.standing('second').belief).toBe('named');
  });

  it('are named for small differences, now in one respect, now in another', () => {
    const sources = agreeing(judge(), names);
    const moved = page(['b', 'a', 'd', 'c', 'f', 'e', ...links.slice(6)]);
    const other = page([...links.slice(0, 9), 'x']);
    for (let count = 0; count < 4; count += 1)
      for (const second of [moved, other]) sources.add(joint({ first: page(), second, third: page() }));
    expect(sources.standing('second')).toMatchObject({ belief: 'named', because: { field: 'results', odd: 8 } });
  });

  it('are believed again after ten looks in a row', () => {
    const sources = agreeing(judge(), names);
    for (let count = 0; count < 4; count += 1) sources.add(joint({ first: page(), second: shuffled, third: page() }));
    for (let count = 0; count < 9; count += 1) sources.add(joint({ first: page(), second: page() }));
    expect(sources.standing('second').belief).toBe('named');
    sources.add(joint({ first: page(), second: page() }));
    expect(sources.standing('second').belief).toBe('believed');
  });

  it('are named for one group where they differ only there', () => {
    const sources = agreeing(judge(), names);
    const mobile = 'US en mobile';
    for (let count = 0; count < 8; count += 1) {
      agreeing(sources, ['first', 'second'], 9);
      sources.add(joint({ first: page(), second: shuffled, third: page() }, mobile));
    }
    expect(sources.standing('second', { group: mobile })).toMatchObject({
      belief: 'named',
      because: { group: mobile },
    });
    expect(sources.standing('second', { group: 'US en desktop' }).belief).toBe('doubted');
  });

  it('are believed as far down as they were compared, and no further than they agree', () => {
    const sources = judge();
    const below = (name: string) => page(links.map((link) => `${link} ${name}`));
    const deep = (source: string, third: SeenPage) => look(source, page(), below('2'), third);
    const add = (third: SeenPage) => {
      at += 1;
      const looks = [deep('first', below('3')), deep('second', below('3')), deep('third', third)];
      sources.add({ group: 'US en desktop', keyword: `deep ${at}`, at, looks });
    };
    for (let count = 0; count < 6; count += 1) sources.add(joint({ first: page(), second: page(), third: page() }));
    expect(sources.standing('second')).toMatchObject({ belief: 'believed', depth: 1 });
    expect(sources.standing('second', { depth: 2 }).belief).toBe('learning');
    for (let count = 0; count < 6; count += 1) add(below('3'));
    expect(sources.standing('third')).toMatchObject({ belief: 'believed', depth: 3 });
    const shuffledBelow = page([...below('3').links].reverse());
    for (let count = 0; count < 5; count += 1) add(shuffledBelow);
    expect(sources.standing('third')).toMatchObject({
      belief: 'named',
      depth: 2,
      because: { field: 'order', page: 3 },
    });
    expect(sources.standing('third', { depth: 2 }).belief).toBe('believed');
    expect(sources.standing('second')).toMatchObject({ belief: 'believed', depth: 3 });
  });

  it('of two, the first is right', () => {
    const sources = agreeing(new SourceJudge(['first', 'second'], 0.99), ['first', 'second']);
    const two = joint({ first: page(), second: shuffled });
    expect(sources.isOpen(two)).toBe(false);
    for (let count = 0; count < 4; count += 1) sources.add(joint({ first: page(), second: shuffled }));
    expect(sources.standing('second').belief).toBe('named');
    expect(sources.standing('first').because).toBeNull();
  });

  it('are not named while they agree as much as the bar asks for', () => {
    const sources = new SourceJudge(['first', 'second', 'third'], 0.85);
    const other = page([...links.slice(0, 9), 'x']);
    for (let count = 0; count < 30; count += 1) sources.add(joint({ first: page(), second: other, third: page() }));
    expect(sources.standing('second')).toMatchObject({ belief: 'doubted', because: { field: 'urls' } });
  });
});

/** What an engine shows to one of several looks: each result may be another one, with this chance. */
function noisyPage(random: () => number, chance: number): SeenPage {
  const shown = links.map((link, rank) =>
    random() < chance ? `${link} or ${Math.floor(random() * 3)} at ${rank}` : link,
  );
  const features = ['video', 'ai_overview', 'paid'].filter(() => random() < 1 - chance);
  return page(shown, features);
}

describe('a bar of certainty', () => {
  const names = ['first', 'second', 'third'] as const;
  const worlds = 60;
  /** Three looks a day for 60 days, with a third where it is open. */
  const looks = 180;

  function named(chance: number, lie?: (page: SeenPage, random: () => number) => SeenPage): string[][] {
    return Array.from({ length: worlds }, (_, world) => {
      const random = numbers(world + 1);
      const sources = new SourceJudge(names, 0.99);
      const found = new Set<string>();
      for (let count = 0; count < looks; count += 1) {
        const seenBy = (source: string): SeenPage => {
          const seen = noisyPage(random, chance);
          return source === 'third' && lie !== undefined ? lie(seen, random) : seen;
        };
        const double = count % 2 === 0 ? 'second' : 'third';
        const pages: Record<string, SeenPage> = { first: seenBy('first'), [double]: seenBy(double) };
        let each = joint(pages);
        const last = double === 'second' ? 'third' : 'second';
        if (sources.isOpen(each)) each = joint({ ...pages, [last]: seenBy(last) });
        sources.add(each);
        for (const source of names) if (sources.standing(source).belief === 'named') found.add(source);
      }
      return [...found];
    });
  }

  it.each([0, 0.02, 0.05, 0.1])('names no honest source in 60 days, however noisy the engine is (%d)', (chance) => {
    const wrong = named(chance).filter((found) => found.length > 0);
    console.log(`noise ${chance}: ${wrong.length} of ${worlds} worlds name an honest source in 60 days`);
    expect(wrong.length).toBeLessThanOrEqual(worlds * 0.02);
  });

  it.each([0, 0.02, 0.05])('names a source that lies about half of its pages, and no other (noise %d)', (chance) => {
    const lie = (seen: SeenPage, random: () => number): SeenPage =>
      random() < 0.5 ? seen : { ...seen, links: [...seen.links].reverse() };
    const found = named(chance, lie);
    expect(found.filter((each) => each.includes('third')).length).toBe(worlds);
    expect(found.filter((each) => each.length > 1).length).toBeLessThanOrEqual(worlds * 0.01);
  });
});

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

describe('small lies', () => {
  const names = ['first', 'second', 'third'] as const;
  const sites = ['own', 'rival'];
  type Lie = (links: readonly string[], chance: number) => readonly string[];

  /** Days until the third source is named, by world, and honest sources that are named; null: never, in 30 days. */
  function outcome(noise: number, lie?: Lie, looksADay = 3, worlds = 60) {
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
  const without = (site: string) => (each: readonly string[]) => each.filter((link) => link !== site);
  const swap = (links: readonly string[], at: number) =>
    at < 0 || at + 1 >= links.length ? links : links.toSpliced(at, 2, links[at + 1] ?? '', links[at] ?? '');
  const rivalBetter: Lie = (each) => swap(each, each.indexOf('rival') - 1);

  it.each([0, 0.02, 0.05, 0.1])('are said of no honest source beside noise that lasts for days (%d)', (noise) => {
    expect(outcome(noise).honest).toBe(0);
  });

  const onAFifth: Lie = (each, chance) => (chance < 0.2 ? without('own')(each) : each);
  // the day by which nine of ten worlds name it: of five looks a day, one misses a page of the own site
  it.each<[string, number, Lie, number]>([
    ['a rival one better', 0, rivalBetter, 2],
    ['a rival one better, beside noise', 0.05, rivalBetter, 7],
    ['ranks 1 and 2 swapped', 0, (each) => swap(each, 0), 2],
    ['ranks 1 and 2 swapped, beside noise', 0.02, (each) => swap(each, 0), 4],
    ['a rival removed, beside noise', 0.1, without('rival'), 4],
    ['the own site missing on a fifth of pages', 0, onAFifth, 20],
  ])('are found: %s (%d)', (_, noise, lie, latest) => {
    const worlds = 20;
    const { days, honest } = outcome(noise, lie, 5, worlds);
    const late = days.filter((day) => day === null || day > latest).length;
    console.log(`small lie, noise ${noise}: ${late} of ${worlds} worlds name it after day ${latest}`);
    expect(honest).toBe(0);
    expect(late).toBeLessThanOrEqual(worlds / 10);
  });
});

describe('the source to buy from', () => {
  const offers = [
    { source: 'first', microUsd: 10 },
    { source: 'second', microUsd: 3 },
    { source: 'third', microUsd: 1 },
  ];
  it.each([
    ['the first, while nothing is known', {}, 'first'],
    ['the cheapest that is believed', { second: 'believed', third: 'learning' }, 'second'],
    ['not one that is doubted or named', { first: 'doubted', second: 'named', third: 'believed' }, 'third'],
    ['one that was never doubted', { first: 'named', second: 'doubted', third: 'learning' }, 'third'],
    ['the first, where all are named', { first: 'named', second: 'named', third: 'named' }, 'first'],
  ] as const)(
    'is %s',
    (_, beliefs: Readonly<Record<string, 'believed' | 'learning' | 'doubted' | 'named'>>, expected) => {
      expect(cheapestBelieved(offers, (source) => beliefs[source] ?? 'learning')?.source).toBe(expected);
    },
  );
});
