import { describe, expect, it } from 'vitest';
import { type Mover, movementsAround, placesOf, type ResultsRead } from '../../../src/tracker/causes/places.ts';
import { seeded } from '../../helpers/seeded.ts';

/** Results named by letters; a site is the lower-case letter, so that `A` and `a` are two pages of one site. */
function page(letters: string): ResultsRead {
  return {
    urlIds: [...letters].map((letter) => letter.charCodeAt(0)),
    siteIds: [...letters].map((letter) => letter.toLowerCase().charCodeAt(0)),
  };
}

const shown = ({ kind, urlId, previousRank, rank }: Mover): string =>
  `${kind} ${String.fromCharCode(urlId)} ${previousRank ?? '-'}>${rank ?? '-'}`;

/** Our result is `o`. */
function moved(before: string, after: string) {
  const rankIn = (letters: string) => (letters.includes('o') ? letters.indexOf('o') + 1 : null);
  return movementsAround(page(before), rankIn(before), page(after), rankIn(after));
}

describe('movements around a result', () => {
  it.each([
    ['a site that enters above takes one place', 'abcode', 'axbcod', ['entered x ->2'], -1],
    [
      'a site that passes takes one place',
      'abcodef',
      'aebcodf',
      ['passed e 5>2'].map((text) => text.replace('5', '6')),
      -1,
    ],
    ['a site that leaves gives one place', 'abcode', 'acodef', ['left b 2>-'], 1],
    ['a result that falls behind gives one place', 'abcode', 'acodbe', ['overtaken b 2>5'], 1],
    ['another page of a site is the same result', 'abcode', 'aBcode', [], 0],
    ['several cancel out', 'abcode', 'axcode', ['entered x ->2', 'left b 2>-'], 0],
    [
      'what was not read before may have stood there',
      'aob',
      'abcdeo',
      ['passed b 3>2', 'entered c ->3', 'passed d ->4', 'passed e ->5'],
      -4,
    ],
  ] as const)('%s', (_, before, after, movers, places) => {
    const found = moved(before, after);
    expect(found.movers.map(shown).sort()).toEqual([...movers].sort());
    expect(found.places).toBe(places);
  });

  it('are ours where the others keep their order', () => {
    const fell = moved('abocdefg', 'abcdefog');
    expect(fell.places).toBe(-4);
    expect(fell.ownShare).toBe(1);
  });

  it("are another's where one result crossed many", () => {
    const passed = moved('abocdefghi', 'aiboCdefgh'.replace('C', 'c'));
    expect(passed.movers.map(shown)).toEqual(['passed i 10>2']);
    expect(passed.ownShare).toBeLessThan(0.2);
  });

  it('of a result that is no longer found are at least those down to the last one that was read', () => {
    const dropped = moved('abocd', 'abcde');
    expect(dropped.places).toBe(-3);
    expect(dropped.movers.map(shown)).toEqual(['passed c 4>3', 'passed d 5>4', 'entered e ->5']);
  });

  it('add up to the change between any two pages', () => {
    const random = seeded(7);
    const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGH'];
    for (let trial = 0; trial < 3_000; trial += 1) {
      const draw = () => {
        const shuffled = letters.toSorted(() => random() - 0.5).slice(0, 1 + Math.floor(random() * 30));
        return random() < 0.2 ? shuffled.filter((letter) => letter !== 'o').join('') : shuffled.join('');
      };
      const { movers, places } = moved(draw(), draw());
      expect(movers.reduce((sum, mover) => sum + placesOf(mover), 0)).toBe(places);
      for (const { lead } of movers) expect(lead >= 0 && lead <= 1).toBe(true);
    }
  });
});
