// Vendors that sell many results in one request: the request, and the pages of ten in its answer.
import { expect, it } from 'vitest';
import { failureOf } from '../../helpers/memory-source.ts';
import { openVendor } from './vendor-service.ts';

const organic = Array.from({ length: 25 }, (_, index) => ({
  ...{ title: `Shoes ${index + 1}`, link: `https://site${index + 1}.example/shoes`, snippet: 'Shoes for all' },
  position: index + 1,
}));
const answer = {
  searchParameters: { q: 'shoes', gl: 'us', hl: 'en', num: 100, page: 1, type: 'search' },
  organic,
  peopleAlsoAsk: [{ question: 'Which shoes?', link: 'https://site1.example/shoes' }],
  credits: 2,
};
const asked = { keyword: 'shoes', country: 'US', language: 'en', mobile: false };

it('serper is asked for 100 results once, and each ten are a page', async () => {
  const { vendor, service, ask } = await openVendor('serper', { wholeDepth: true });
  expect(service.range?.credits(10)).toBe(2);
  const second = await ask({ body: answer }, { start_page: 2, end_page: 2 }, { through: 10 });
  expect(vendor.requests.map(({ json }) => json)).toMatchObject([{ q: 'shoes', num: 100, page: 1 }]);
  const linksOf = (page: number) =>
    service.readPage(second.body, { ...asked, page }).serp.organic?.map(({ link }) => link);
  expect(second.serp.organic?.map(({ link }) => link)).toEqual(linksOf(2));
  expect([1, 2, 3].flatMap((page) => linksOf(page) ?? [])).toEqual(organic.map(({ link }) => link));
  expect(service.readPage(second.body, { ...asked, page: 1 }).serp.people_also_ask).toHaveLength(1);
  expect(service.readPage(second.body, { ...asked, page: 3 }).serp.people_also_ask).toBeUndefined();
  // an empty list alone proves no end
  expect(service.readPage(second.body, { ...asked, page: 4 }).doubts).toEqual(['empty_unproven']);
});

it('serper sells single pages unless the config says otherwise, and the answer of another search is none', async () => {
  const { vendor, service, ask } = await openVendor('serper');
  expect(service.range).toBeUndefined();
  const other = { ...answer, searchParameters: { ...answer.searchParameters, q: 'boots' } };
  expect((await failureOf(ask({ body: other }))).code).toBe('SERP_FAILED');
  expect(vendor.requests.map(({ json }) => json)).toMatchObject([{ num: 10, page: 1 }]);
});
