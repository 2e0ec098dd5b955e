// Which listed place is a tracked one, and when its absence is proven.
import { describe, expect, it } from 'vitest';
import type { Target } from '../../../src/tracker/project.ts';
import { matchTargets } from '../../../src/tracker/targets/match.ts';
import {
  compileTargets,
  InvalidTarget,
  type ListedPlace,
  parsePlace,
  parseTarget,
  placeKey,
  placeUrl,
  targetKey,
} from '../../../src/tracker/targets/target.ts';

const joes: ListedPlace = { name: "Joe's Pizza", cid: '174459995934739710', address: '52 Main Street' };
const other: ListedPlace = { name: 'Other Pizza', cid: '140630403766408560', address: '1 Side Street' };

const place = (value: string): Target => ({ match: 'place', value });
const organic = [{ url: 'https://acme.com/', absoluteRank: 1 }];

function outcomes(places: readonly ListedPlace[] | null, ...values: string[]) {
  const pages = [{ page: 1, organic, places }];
  return matchTargets({ pages, depth: 3, endsAfterPage: null }, compileTargets(values.map(place)));
}

describe('a place', () => {
  it.each([
    ['cid:174459995934739710', 'cid:174459995934739710'],
    [' 174459995934739710 ', 'cid:174459995934739710'],
    ['ChIJN1t_tDeuEmsRUsoyG83frY4', 'id:ChIJN1t_tDeuEmsRUsoyG83frY4'],
    ['Joe’s Pizza, 52 Main Street', 'joes pizza, 52 main street'],
    ['CAFÉ Müller, Hauptstraße 1', 'cafe muller, hauptstraße 1'],
  ])('%s has one key for all spellings: %s', (written, key) => {
    const parsed = parsePlace(written);
    expect(parsed === null ? null : placeKey(parsed)).toBe(key);
    expect(targetKey(parseTarget(place(written)))).toBe(`place:${key}`);
  });

  it.each(["Joe's Pizza", 'cid:', 'cid:12', 'acme.com', ', 52 Main Street', 'Joe,'])('is not %s', (written) => {
    expect(() => parseTarget(place(written))).toThrow(InvalidTarget);
  });

  it('ranks by its position in the local results of page 1', () => {
    const url = 'https://maps.google.com/?cid=174459995934739710';
    const ranked = { kind: 'ranked', organicRank: 2, absoluteRank: null, page: 1, url };
    expect(outcomes([other, joes], 'cid:174459995934739710', "joe's pizza, 52 Main Street, Austin, TX 78701")).toEqual([
      ranked,
      ranked,
    ]);
  });

  it('is another one with the same name at another address, and with a street that only begins alike', () => {
    const found = outcomes([joes], "Joe's Pizza, 9 Side Street", "Joe's Pizza, 52 Main Streetcar Way");
    expect(found).toEqual([
      { kind: 'notFound', depth: 3 },
      { kind: 'notFound', depth: 3 },
    ]);
  });

  it('is not found on a page without local results', () => {
    expect(outcomes([], 'cid:174459995934739710')).toEqual([{ kind: 'notFound', depth: 3 }]);
  });

  it('is unproven where the list lacks what decides', () => {
    const unproven = [{ kind: 'unproven' }];
    expect(outcomes([{ name: "Joe's Pizza", address: '52 Main Street' }], 'cid:174459995934739710')).toEqual(unproven);
    expect(outcomes([joes], 'ChIJN1t_tDeuEmsRUsoyG83frY4')).toEqual(unproven);
    expect(outcomes([{ name: "Joe's Pizza" }], "Joe's Pizza, 52 Main Street")).toEqual(unproven);
    expect(outcomes(null, 'cid:174459995934739710')).toEqual(unproven);
  });

  it('is unproven without page 1', () => {
    const pages = [{ page: 2, organic, places: [joes] }];
    const read = { pages, depth: 3, endsAfterPage: null };
    expect(matchTargets(read, compileTargets([place('cid:174459995934739710')]))).toEqual([{ kind: 'unproven' }]);
  });

  it('is addressed by its ids on Maps, else by its website', () => {
    expect(placeUrl({ name: 'x', placeId: 'ChIJ', website: 'https://x.example/' })).toContain('place_id:ChIJ');
    expect(placeUrl({ name: 'x', website: 'https://x.example/' })).toBe('https://x.example/');
    expect(placeUrl({ name: 'x' })).toBeNull();
  });
});
