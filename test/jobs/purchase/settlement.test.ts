// How a received page is settled, with any queue.
import { expect, it } from 'vitest';
import { receivedSettlement } from '../../../jobs/purchase/settlement.ts';

it('a received page is paid, and its settlement says if the source made more or fewer requests than one', () => {
  expect(receivedSettlement(false, 5, {})).toEqual({ state: 'paid', at: 5, charged: 1 });
  expect(receivedSettlement(false, 5, {}, 2)).toEqual({ state: 'paid', at: 5, stated: 2 });
  const one = { charged: 1, free: 0, unknown: 0 };
  expect(receivedSettlement(false, 5, { requests: one })).toMatchObject({ source: { requests: one } });
  const three = { charged: 2, free: 1, unknown: 0 };
  expect(receivedSettlement(false, 5, { source: 'bing', requests: three })).toEqual({
    state: 'paid',
    at: 5,
    charged: 1,
    message: 'it took 3 requests',
    source: { part: 'bing', requests: three },
  });
  const none = { charged: 0, free: 0, unknown: 0 };
  expect(receivedSettlement(false, 5, { requests: none })).toMatchObject({ message: 'it took 0 requests' });
});

it('a page that another coordinator paid for is free, at any cost there', () => {
  const shared = receivedSettlement(true, 5, { source: 'bing', requests: { charged: 3, free: 0, unknown: 0 } });
  expect(shared).toMatchObject({ state: 'free', errorCode: 'SHARED' });
  expect(shared.source).toBeUndefined();
});
