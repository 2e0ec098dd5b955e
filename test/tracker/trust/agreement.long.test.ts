// Which of several sources to believe, in many worlds.
import { describe, expect, it } from 'vitest';
import type { SeenPage } from '../../../src/tracker/trust/looks.ts';
import {
  afterSmallLies,
  missingOnAFifth,
  namedIn,
  rivalBetter,
  type SmallLie,
  swap,
  without,
} from '../../helpers/judged-worlds.ts';

describe('a bar of certainty', () => {
  const worlds = 60;

  it.each([0, 0.02, 0.05, 0.1])('names no honest source in 60 days, however noisy the engine is (%d)', (chance) => {
    const wrong = namedIn(worlds, chance).filter((found) => found.length > 0);
    console.log(`noise ${chance}: ${wrong.length} of ${worlds} worlds name an honest source in 60 days`);
    expect(wrong.length).toBeLessThanOrEqual(worlds * 0.02);
  });

  it.each([0, 0.02, 0.05])('names a source that lies about half of its pages, and no other (noise %d)', (chance) => {
    const lie = (seen: SeenPage, random: () => number): SeenPage =>
      random() < 0.5 ? seen : { ...seen, links: [...seen.links].reverse() };
    const found = namedIn(worlds, chance, lie);
    expect(found.filter((each) => each.includes('third')).length).toBe(worlds);
    expect(found.filter((each) => each.length > 1).length).toBeLessThanOrEqual(worlds * 0.01);
  });
});

describe('small lies', () => {
  it.each([0, 0.02, 0.05, 0.1])('are said of no honest source beside noise that lasts for days (%d)', (noise) => {
    expect(afterSmallLies(noise).honest).toBe(0);
  });

  // the day by which nine of ten worlds name it: of five looks a day, one misses a page of the own site
  it.each<[string, number, SmallLie, number]>([
    ['a rival one better', 0, rivalBetter, 2],
    ['a rival one better, beside noise', 0.05, rivalBetter, 7],
    ['ranks 1 and 2 swapped', 0, (each) => swap(each, 0), 2],
    ['ranks 1 and 2 swapped, beside noise', 0.02, (each) => swap(each, 0), 4],
    ['a rival removed, beside noise', 0.1, without('rival'), 4],
    ['the own site missing on a fifth of pages', 0, missingOnAFifth, 20],
  ])('are found: %s (%d)', (_, noise, lie, latest) => {
    const worlds = 20;
    const { days, honest } = afterSmallLies(noise, lie, 5, worlds);
    const late = days.filter((day) => day === null || day > latest).length;
    console.log(`small lie, noise ${noise}: ${late} of ${worlds} worlds name it after day ${latest}`);
    expect(honest).toBe(0);
    expect(late).toBeLessThanOrEqual(worlds / 10);
  });
});
