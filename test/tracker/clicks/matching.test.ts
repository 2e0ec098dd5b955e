// What a target has of the clicks of a query: the total of the property, a page, or a sum without impressions.
import { expect, it } from 'vitest';
import { clicksOn } from '../../../src/tracker/clicks/clicks.ts';

const place = { query: 'shoes', country: 'usa', device: 'desktop' };
const total = { ...place, clicks: 9, impressions: 100, averagePosition: 1 };
const pages = ['a', 'b', 'c'].map((page, at) => ({
  ...place,
  ...{ page, clicks: 3, impressions: 100, averagePosition: at + 1 },
}));

it.each([
  ['all pages have the total', ['a', 'b', 'c'], { clicks: 9, impressions: 100, averagePosition: 1 }],
  ['one of several has its own numbers', ['b'], { clicks: 3, impressions: 100, averagePosition: 2 }],
  [
    'several, but not all, have unknown impressions',
    ['a', 'b'],
    { clicks: 6, impressions: null, averagePosition: null },
  ],
])('%s', (_, own, numbers) => {
  const some = pages.filter(({ page }) => own.includes(page));
  expect(clicksOn({ ...total, pages }, some)).toMatchObject(numbers);
});
