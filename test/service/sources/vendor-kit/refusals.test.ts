import { expect, it } from 'vitest';
import { judgeRefusal, type RefusalRule } from '../../../../src/service/sources/vendor-kit/refusals.ts';

const rules: readonly RefusalRule[] = [{ words: /quota.*used up/i, means: 'out_of_credits' }];
const judge = (words: string) =>
  judgeRefusal('vendor', rules, 'unknown', { status: 400, words, retryAfter: undefined }, 0).error;

it("a vendor's message is matched with its table of refusals", () => {
  expect(judge('The quota is used up.')).toMatchObject({ code: 'INSUFFICIENT_CREDITS' });
});

it("a vendor's message is truncated before any pattern reads it", () => {
  const error = judge(`${'x'.repeat(290)} quota${' used up'.repeat(20_000)}`);
  expect(error.code).toBe('INVALID_REQUEST');
  expect(error.message.length).toBeLessThan(400);
});
