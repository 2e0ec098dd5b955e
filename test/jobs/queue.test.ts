// How a received page is settled, whichever queue it came through.
import { expect, it } from 'vitest';
import { receivedSettlement } from '../../jobs/queue.ts';

it('a page is paid, and tells where its source made another number of requests for it than one', () => {
  expect(receivedSettlement(false, 5, {})).toEqual({ state: 'paid', at: 5 });
  expect(receivedSettlement(false, 5, { requests: 1 })).toEqual({ state: 'paid', at: 5 });
  expect(receivedSettlement(false, 5, { requests: 3 })).toEqual({
    state: 'paid',
    at: 5,
    message: 'it took 3 requests',
  });
  expect(receivedSettlement(false, 5, { requests: 0 })).toMatchObject({ message: 'it took 0 requests' });
});

it('a page that another coordinator paid for is free, whatever it took there', () => {
  expect(receivedSettlement(true, 5, { requests: 3 })).toMatchObject({ state: 'free', errorCode: 'SHARED' });
});
