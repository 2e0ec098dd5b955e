// Lists of vendors in another order than their own numbers are refused: one of both is wrong.
import { expect, it } from 'vitest';
import { Fields } from '../../../src/service/net/fields.ts';
import { readPage as readBrave } from '../../../src/service/sources/brave.ts';
import { readPage as readBrightData } from '../../../src/service/sources/brightdata/page.ts';
import { readPage as readOxylabs } from '../../../src/service/sources/oxylabs.ts';
import { readMapPage } from '../../../src/service/sources/vendor-kit/elements.ts';
import { readGoogleForm } from '../../../src/service/sources/vendor-kit/google-form.ts';
import { objectsAt } from '../../../src/service/sources/vendor-kit/values.ts';

const listed = (name: string, numbers: readonly unknown[]) =>
  numbers.map((number, nth) => ({
    [name]: number,
    title: `t${nth}`,
    link: `https://s${nth}.example/`,
    url: `https://s${nth}.example/`,
  }));

const forms: readonly (readonly [
  vendor: string,
  read: (numbers: readonly unknown[]) => { serp: { organic?: unknown } },
])[] = [
  [
    'SerpApi and others',
    (numbers) => readGoogleForm(new Fields({ organic_results: listed('position', numbers) }, 'page')),
  ],
  ['Bright Data', (numbers) => readBrightData(new Fields({ organic: listed('rank', numbers) }, 'page'), true)],
  [
    'Bright Data, light',
    (numbers) => readBrightData(new Fields({ organic: listed('global_rank', numbers) }, 'page'), true),
  ],
  ['Oxylabs', (numbers) => readOxylabs(new Fields({ organic: listed('pos', numbers) }, 'page'))],
  ['Oxylabs, overall', (numbers) => readOxylabs(new Fields({ organic: listed('pos_overall', numbers) }, 'page'))],
  [
    'Brave',
    (numbers) => {
      const main = numbers.map((index) => ({ type: 'web', index }));
      return readBrave(new Fields({ web: { results: listed('x', numbers) }, mixed: { main } }, 'page'));
    },
  ],
];

it.each(forms)('%s: the order of a list and its numbers agree', (_, read) => {
  for (const numbers of [
    [1, 2, 3],
    [11, 12, 14],
    ['1', '2', '3'],
    [1, 1, 2],
    [1, 2, 1, 2, 3],
    [null, 2, null],
    [],
    [7],
  ])
    expect(() => read(numbers), String(numbers)).not.toThrow();
  for (const numbers of [
    [3, 2, 1],
    [2, 1],
    [1, 3, 2],
    [2, 3, 1],
    ['3', '2', '1'],
    [1, 2, 3, 2],
    [1, null, 9, 2],
  ])
    expect(() => read(numbers), String(numbers)).toThrow('another order');
});

it('the order of places and their numbers agree', () => {
  const read = (numbers: readonly number[]) =>
    readMapPage(objectsAt(new Fields({ places: listed('position', numbers) }, 'page'), 'places'));
  expect(read([1, 2, 3]).serp.local_results).toHaveLength(3);
  expect(() => read([3, 1, 2])).toThrow('another order');
});

it.each([{ a: Number.NaN }, { a: '1e999' }, { a: {} }, { a: [] }, { a: true }])('%o is not compared', ({ a }) => {
  expect(() => readGoogleForm(new Fields({ organic_results: listed('position', [2, a, 3]) }, 'page'))).not.toThrow();
});

it('a list with an ad among its results is refused', () => {
  const read = (...items: readonly object[]) => readGoogleForm(new Fields({ organic_results: items }, 'page'));
  const items = listed('position', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  const [first = {}, ...others] = items;
  for (const mark of [{ sponsored: true }, { is_ad: 'true' }, { ad: 1 }, { type: 'Ad' }, { result_type: 'ad' }])
    expect(() => read({ ...first, ...mark }, ...others), JSON.stringify(mark)).toThrow('an ad by its own mark');
  const click = 'https://www.google.com/aclk?sa=l&adurl=https://shop.example/';
  expect(() => read({ ...first, link: click }, ...others)).toThrow('a click on an ad');
  for (const mark of [{ sponsored: false }, { is_ad: 'false' }, { ad: 0 }, { type: 'organic' }, { ad: null }])
    expect(read({ ...first, ...mark }, ...others).serp.organic, JSON.stringify(mark)).toHaveLength(10);
});
