// Lists of results that contradict themselves, from vendors and from providers of the specification.
import { expect, it } from 'vitest';
import { withCheckedList } from '../../../src/service/engines/result-list.ts';
import type { OrganicResult } from '../../../src/service/model/results/serp.ts';

const list = (count: number, from = 1): OrganicResult[] =>
  Array.from({ length: count }, (_, nth) => ({
    rank: nth + 1,
    title: `t${nth + from}`,
    link: `https://s${nth + from}.example/page`,
  }));
const resultOf = (organic: OrganicResult[], ads: readonly string[] = []) => {
  const top_ads = ads.map((link, nth) => ({ rank: nth + 1, title: 'an ad', link }));
  try {
    return withCheckedList({ organic, ...(ads.length > 0 && { top_ads }) }).organic?.map(
      ({ rank, link }) => `${rank} ${link}`,
    );
  } catch (error) {
    return String(error);
  }
};
const [first, second] = list(2) as [OrganicResult, OrganicResult];

it.each([
  'https://www.google.com/search?q=coffee&tbm=isch',
  'https://maps.google.com/maps?q=coffee',
  'https://www.google.co.uk/search?q=coffee',
])('a link into the engine does not count, and results below it move up: %s', (link) => {
  expect(resultOf([first, { rank: 2, title: 'Images', link }, ...list(2, 2)])).toEqual([
    '1 https://s1.example/page',
    '2 https://s2.example/page',
    '3 https://s3.example/page',
  ]);
});

it.each([
  'https://support.google.com/mail/answer/1',
  'https://play.google.com/store/apps/details?id=a',
  'https://docs.google.com/document/d/1',
])('a page of the engine that answers a search is a result: %s', (link) => {
  expect(resultOf([first, { rank: 2, title: 'a page', link }])).toHaveLength(2);
});

it.each([
  ['ten', 10, 3],
  ['twelve', 12, 3],
  ['a hundred', 100, 9],
])('a list of %s that names a result twice is refused', (_, count, distance) => {
  const organic = list(count);
  organic[distance] = { ...first, rank: distance + 1 };
  expect(resultOf(organic)).toContain('it lists a result twice');
});

it('a list of several pages may begin a page with the last result of the one before, and repeat it far below', () => {
  const organic = list(97);
  organic[10] = { ...(organic[9] as OrganicResult), rank: 11 };
  organic[40] = { ...(organic[25] as OrganicResult), rank: 41 };
  expect(resultOf(organic)).toHaveLength(97);
  expect(resultOf([...list(5), { ...(list(5)[4] as OrganicResult), rank: 6 }])).toContain('twice');
});

it('ads that stand again as the first results are refused; a site that is first as both is not', () => {
  const clicked = [`${first.link}?gclid=1`, `${second.link}/?utm_source=ad`];
  expect(resultOf(list(8), clicked)).toContain('its first results are its ads');
  expect(resultOf(list(8), [...clicked, 'https://other.example/'])).toContain('its first results are its ads');
  expect(resultOf(list(8), [`${first.link}?gclid=1`, 'https://other.example/'])).toHaveLength(8);
  expect(resultOf(list(8), [...clicked].reverse())).toHaveLength(8);
});
