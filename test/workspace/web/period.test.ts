// The period of all pages: real dates with checks, and what they are compared with.
import { describe, expect, it } from 'vitest';
import { askedOf, heldPeriod, periodOf, presets } from '../../../src/workspace/web/period.ts';

const dates = ['2026-01-02', '2026-03-01', '2026-03-05', '2026-03-31'];
const of = (query: string) => periodOf(new URLSearchParams(query), dates);

describe('the period of an address', () => {
  it('is the newest 30 days, compared with their start, and holds dates with checks only', () => {
    expect(of('')).toEqual({ from: '2026-03-05', to: '2026-03-31', compare: '2026-03-05', comparedWith: '5 Mar' });
    expect(of('from=2026-01-01&to=2026-03-04')).toMatchObject({ from: '2026-01-02', to: '2026-03-01' });
    expect(of('date=2026-03-05')).toMatchObject({ to: '2026-03-05' });
  });

  it('of one date is compared with the check before', () => {
    expect(of('from=2026-03-31')).toMatchObject({ from: '2026-03-31', compare: 'previous' });
  });

  it('is compared with what the address says', () => {
    expect(of('compare=7d').comparedWith).toBe('7 days before');
    expect(of('compare=2026-01-02').comparedWith).toBe('2 Jan');
  });

  it('without checks has no dates', () => {
    expect(periodOf(new URLSearchParams(), [])).toMatchObject({ from: null, to: null });
  });

  it('is asked of the read API with its dates; a file is asked for the date that it holds', () => {
    const query = new URLSearchParams('tag=a');
    expect(askedOf(query, of('')).toString()).toBe(
      'tag=a&from=2026-03-05&to=2026-03-31&date=2026-03-31&compare=2026-03-05',
    );
    const held = heldPeriod(dates, '7d');
    expect(held.comparedWith).toBe('7 days before');
    expect(askedOf(query, held).toString()).toBe('tag=a&from=2026-01-02&to=2026-03-31');
  });
});

it('presets count back from the newest date, as far as there are dates', () => {
  expect(presets(dates)).toEqual([
    { label: '7 days', from: '2026-03-25' },
    { label: '30 days', from: '2026-03-02' },
    { label: 'All', from: '2026-01-02' },
  ]);
  expect(presets([])).toEqual([]);
});
