// A tally of requests: each is unknown until its end is reported, once.
import { expect, it } from 'vitest';
import { RequestTally, requestsSince, sumOfRequests } from '../../../src/service/model/charged.ts';

it('the tally counts a request as unknown until its end is reported, and keeps the first report', () => {
  const tally = new RequestTally();
  const [first, second] = [tally.begin(), tally.begin()];
  expect(tally.count).toEqual({ charged: 0, free: 0, unknown: 2 });
  first('yes');
  first('no');
  second('no');
  expect(tally.count).toEqual({ charged: 1, free: 1, unknown: 0 });
  tally.begin()('unknown');
  expect(tally.count).toEqual({ charged: 1, free: 1, unknown: 1 });
  expect(sumOfRequests(tally.count)).toBe(3);
});

it('the tally counts the requests since a given time', () => {
  const tally = new RequestTally();
  tally.begin()('yes');
  const before = tally.count;
  expect(requestsSince(before, tally.count)).toEqual({ charged: 0, free: 0, unknown: 0 });
  tally.begin()('yes');
  tally.begin();
  expect(requestsSince(before, tally.count)).toEqual({ charged: 1, free: 0, unknown: 1 });
});
