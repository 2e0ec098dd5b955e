// Which of several sources to believe.
import { describe, expect, it } from 'vitest';
import { cheapestBelieved, SourceJudge } from '../../../src/tracker/trust/agreement.ts';
import { type AgreementField, agreementOf, type JointLook, type SeenPage } from '../../../src/tracker/trust/looks.ts';
import { afterSmallLies, namedIn, rivalBetter, type SmallLie, swap, without } from '../../helpers/judged-worlds.ts';

const links = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
const page = (some: readonly string[] = links, features: readonly string[] = []): SeenPage => ({
  links: some,
  features,
});
const look = (source: string, ...pages: SeenPage[]) => ({
  source,
  pages: new Map(pages.map((each, at) => [at + 1, each] as const)),
});

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

describe('a small lie', () => {
  const names = ['first', 'second', 'third'];
  const shows = (of: readonly string[]) => ({ ...page(of), sites: new Map(of.includes('c') ? [['c', 'c']] : []) });
  const truth = shows(links);
  const moved = shows(['a', 'c', 'b', ...links.slice(3)]);
  const without = shows(links.filter((link) => link !== 'c'));
  const seen = (pages: Readonly<Record<string, ReturnType<typeof shows>>>, standsFor = 1): JointLook => {
    const looks = Object.entries(pages).map(([source, { sites, ...one }]) => ({ ...look(source, one), sites }));
    return { ...joint({}), looks, sites: ['c'], standsFor };
  };

  it('names no source by looks of two, however many: looks of three decide which of them lies', () => {
    const sources = agreeing(new SourceJudge(names, 0.99), names);
    for (let count = 0; count < 40; count += 1) sources.add(seen({ first: truth, third: moved }));
    expect(names.map((name) => sources.standing(name).belief)).toEqual(['believed', 'believed', 'believed']);
    expect(sources.isSuspected('third', 'c', 'better')).toBe(true);
    for (let count = 0; count < 4; count += 1) sources.add(seen({ first: truth, third: moved, second: truth }));
    expect(names.map((name) => sources.standing(name).belief)).toEqual(['believed', 'believed', 'named']);
  });

  it.each([
    [1, 'named'],
    [20, 'believed'],
  ])('says less if it was sought among pages that did not change: one of %d', (standsFor, belief) => {
    const sources = agreeing(new SourceJudge(names, 0.99), names);
    for (let count = 0; count < 6; count += 1)
      sources.add(seen({ first: truth, second: truth, third: without }, standsFor));
    expect(sources.standing('third').belief).toBe(belief);
  });
});

/** The worlds of the long tests, few of them: `agreement.long.test.ts`. */
describe('a few worlds', () => {
  it('name a source that lies about half of its pages, and no honest one', () => {
    const lie = (seen: SeenPage, random: () => number): SeenPage =>
      random() < 0.5 ? seen : { ...seen, links: [...seen.links].reverse() };
    expect(namedIn(3, 0.05, lie)).toEqual([['third'], ['third'], ['third']]);
    expect(namedIn(3, 0.05).flat()).toEqual([]);
  });

  it.each<[string, number, SmallLie, number]>([
    ['a rival one better', 0.02, rivalBetter, 7],
    ['a rival removed', 0.1, without('rival'), 7],
    ['ranks 1 and 2 swapped', 0, (each) => swap(each, 0), 3],
  ])('name a source for a small lie: %s (%d)', (_, noise, lie, latest) => {
    const { days, honest } = afterSmallLies(noise, lie, 5, 2);
    expect(honest).toBe(0);
    expect(days.filter((day) => day === null || day > latest)).toEqual([]);
  });

  it('name no honest source for small differences', () => {
    expect(afterSmallLies(0.1, undefined, 5, 8).honest).toBe(0);
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
