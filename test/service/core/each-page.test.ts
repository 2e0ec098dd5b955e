import { expect, it } from 'vitest';
import { eachPage } from '../../../src/service/index.ts';
import { callerOf, setUpCustomers } from '../../helpers/customers.ts';

it('pages are bought one by one, and no more after their reader stops', async () => {
  const { service, ann, accounts, source } = await setUpCustomers();
  const seen: number[] = [];
  for await (const { page } of eachPage(service, { keyword: 'shoes', end_page: 30 }, callerOf(ann))) {
    seen.push(page);
    if (page === 3) break;
  }
  expect(seen).toEqual([1, 2, 3]);
  expect(source.asked.map(({ page }) => page)).toEqual([1, 2, 3]);
  expect((await accounts.find('acme')).serpCredits).toBe(97);
});

it('pages that are read again under the same key are not paid again; the default end is page ten', async () => {
  const { service, ann, accounts } = await setUpCustomers();
  for (let time = 0; time < 2; time++) {
    const options = { ...callerOf(ann), idempotencyKey: 'slot-7' };
    const seen: number[] = [];
    for await (const { page } of eachPage(service, { keyword: 'shoes', start_page: 2 }, options)) seen.push(page);
    expect(seen).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  }
  expect((await accounts.find('acme')).serpCredits).toBe(90);
});
