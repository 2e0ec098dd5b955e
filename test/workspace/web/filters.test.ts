// The filters of the bar: what people read, and what they write to the address.
import { describe, expect, it } from 'vitest';
import { chipsOf, parseChoice, withoutFilters, writeChoice } from '../../../src/workspace/web/filters.ts';

describe('chips', () => {
  it.each([
    ['q=running+shoes', 'Keyword: running shoes'],
    ['tag=shoes%7Cboots', 'Tag: shoes or boots'],
    ['tag=%21brand', 'Tag: not brand'],
    ['market=US+en%7C%21US+en+mobile', 'Market: US en, not US en mobile'],
    ['status=not_found&status=failed', 'Status: not found or check failed'],
    ['bucket=1%7C2-3', 'Rank bucket: rank 1 or ranks 2–3'],
    ['rank=1..10', 'Rank: 1 to 10'],
    ['rank=7', 'Rank: 7'],
    ['move=..-3', 'Ranks gained or lost: at most -3'],
    ['volume=1000..', 'Searches a month: at least 1000'],
    ['otherUrl=true', 'Preferred URL: another URL ranks'],
  ])('say %s as people read it', (query, text) => {
    const chips = chipsOf(new URLSearchParams(query));
    expect(chips.map((chip) => `${chip.label}: ${chip.text}`)).toEqual([text]);
    expect(chips[0]?.without.toString()).toBe('');
  });

  it('remove one condition and keep the others', () => {
    const chips = chipsOf(new URLSearchParams('tag=shoes&tag=%21brand&device=mobile&sort=-rank&from=2026-01-01'));
    expect(chips.map(({ text }) => text)).toEqual(['shoes', 'not brand', 'phone']);
    expect(chips[0]?.without.toString()).toBe('device=mobile&sort=-rank&from=2026-01-01&tag=%21brand');
  });

  it('say what is wrong with an expression', () => {
    expect(chipsOf(new URLSearchParams('q=/(/'))[0]?.complaint).toBe('/(/ is not a regular expression');
  });

  it('are no dates, orders and columns: those stay when all filters are cleared', () => {
    const query = new URLSearchParams('q=a&tag=b&url=c&bucket=1&sort=rank&cols=rank&from=2026-01-01');
    expect(withoutFilters(query).toString()).toBe('sort=rank&cols=rank&from=2026-01-01');
  });
});

it('a choice is written as it was read', () => {
  expect(parseChoice('shoes|!brand')).toEqual({ any: ['shoes'], none: ['brand'] });
  expect(writeChoice(parseChoice('shoes|!brand'))).toBe('shoes|!brand');
});
