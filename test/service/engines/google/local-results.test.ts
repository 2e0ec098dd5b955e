import { expect, it } from 'vitest';
import { createSource } from '../../../../src/service/index.ts';
import { Fields } from '../../../../src/service/net/fields.ts';
import { localResults } from '../../../../src/service/sources/vendor-kit/elements.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { desktopPage, read, result } from './pages.ts';

const clock = new FakeClock(Date.UTC(2026, 10, 20));

/** A list of places in the structure of recorded pages of 2023 to 2026. */
const place = (cid: string, name: string, lines: readonly string[], before = '') =>
  `<div class="VkpGBb"><a class="rllt__link" data-cid="${cid}" role="button"><div class="rllt__details">${before}<div role="heading" aria-level="3"><span>${name}</span></div>${lines.map((line) => `<div>${line}</div>`).join('')}</div></a><a class="rllt__link" data-cid="${cid}"></a></div>`;

it('places are read in order, with what each line says, and paid ones are left out', () => {
  const { serp } = read(
    desktopPage(
      [
        place('100000000000001', 'Paid', ['5.0(9) · Dentist'], '<div><span>Sponsored</span></div>'),
        place('100000000000002', 'First', ['4,9(1.234) · Dentist', '91 High Street · (303) 442-5160']),
        place('100000000000003', 'Second', ['4.4(2.2K) · ₹200–400 · Pizza', 'Closed ⋅ Opens 8 AM']),
        place('100000000000004', 'Third', ['No reviews · Cafe', '10+ years in business · Austin, Texas']),
        result('https://shop.example/', 'Shop'),
      ].join(''),
    ),
  );
  expect(serp.local_results).toEqual([
    {
      rank: 1,
      name: 'First',
      cid: '100000000000002',
      rating: 4.9,
      reviews: 1234,
      category: 'Dentist',
      address: '91 High Street',
      phone: '(303) 442-5160',
    },
    { rank: 2, name: 'Second', cid: '100000000000003', rating: 4.4, reviews: 2200, category: 'Pizza' },
    { rank: 3, name: 'Third', cid: '100000000000004' },
  ]);
});

it('a paid place among them owns nothing', () => {
  const website = (html: string, address: string) => html.replace(/<\/div>$/, `<a href="${address}">Website</a></div>`);
  const paid = place('100000000000001', 'Paid', ['5.0(9) · Dentist'], '<div><span>Sponsored</span></div>');
  const click = '/aclk?sa=l&adurl=https://click.example/';
  const { serp, features } = read(
    desktopPage(
      `<div>${[
        website(paid, 'https://paid.example/'),
        website(place('100000000000002', 'First', ['4.9(12) · Dentist']), 'https://first.example/'),
        website(place('100000000000003', 'Clicked', ['4.4(22) · Dentist']), click),
        website(place('100000000000004', 'Second', ['4.4(22) · Dentist']), 'https://second.example/'),
        '<a href="/search?q=dentist&amp;tbm=lcl">More places</a>',
      ].join('')}</div>${result('https://shop.example/', 'Shop')}`,
    ),
  );
  expect(serp.local_results?.map(({ name, website: site }) => [name, site])).toEqual([
    ['First', 'https://first.example/'],
    ['Second', 'https://second.example/'],
  ]);
  expect(features.find(({ type }) => type === 'local_pack')?.links).toEqual([
    'https://first.example/',
    'https://second.example/',
  ]);
});

it('vendors name the same facts differently', () => {
  const items = [
    { title: 'A', place_id: '15250105347279422150', rating: 4.4, reviews: 24, type: 'Cafe', address: '1 Ave' },
    { title: 'Paid', sponsored: true },
    { name: 'B', cid: '2754844324650035941', reviews_cnt: 3, site: 'https://b.example/' },
    { title: 'C', place_id: 'ChIJN1t_tDeuEmsRUsoyG83frY4', links: { website: 'https://c.example/' } },
    { title: 'D', rating: { value: 4.1, votes_count: 7 }, phone: '1', url: null },
  ];
  expect(localResults(items.map((item) => new Fields(item, 'place')))).toEqual([
    { rank: 1, name: 'A', cid: '15250105347279422150', rating: 4.4, reviews: 24, category: 'Cafe', address: '1 Ave' },
    { rank: 2, name: 'B', cid: '2754844324650035941', reviews: 3, website: 'https://b.example/' },
    { rank: 3, name: 'C', place_id: 'ChIJN1t_tDeuEmsRUsoyG83frY4', website: 'https://c.example/' },
    { rank: 4, name: 'D', rating: 4.1, reviews: 7, phone: '1' },
  ]);
  expect(localResults([])).toBeUndefined();
});

it('in the sandbox the nearer business comes first, and businesses keep their numbers', async () => {
  const { serp } = await createSource('sandbox', { sites: ['acme.com'] }, { clock });
  if (serp === undefined) expect.fail('the sandbox has pages');
  const orders = new Set<string>();
  const numbers = new Set<string>();
  for (const east of [-97.84, -97.79, -97.74, -97.69, -97.64]) {
    const search = { keyword: 'dentist', country: 'US', language: 'en', mobile: false, page: 1 };
    const asked = { ...search, location: `@30.25,${east},14z` };
    const { body } = await serp.fetchPage(asked, { signal: new AbortController().signal, at: clock.now() });
    const places = serp.readPage(body, asked).serp.local_results ?? [];
    expect(places).toHaveLength(3);
    orders.add(places.map(({ cid }) => cid).join());
    for (const { cid = '' } of places) numbers.add(cid);
  }
  expect(orders.size).toBeGreaterThan(1);
  expect(numbers.size).toBeLessThan(13);
});
