// The span in which a baseline may lie: at the end of the requested day, or somewhat before it.
import { describe, expect, it } from 'vitest';
import { baselineSpan, comparisonName, comparisonText, parseComparison } from '../../../src/tracker/changes/change.ts';

const slot = { localDate: '2026-11-20', timezone: 'UTC', moment: Date.UTC(2026, 10, 20, 6) };
const span = (written: string, more: { timezone?: string; toleranceMs?: number } = {}) => {
  const comparison = parseComparison(written);
  if (comparison === null) throw new Error(`${written} is not a comparison`);
  const { from, until } = baselineSpan(comparison, { ...slot, ...more });
  return [from, until].map((at) => new Date(at).toISOString());
};

describe('a comparison', () => {
  it.each(['previous', '1d', '7d', '30d', '9999d', 'last-month', '2024-02-29'])('%s is read and written', (written) => {
    const comparison = parseComparison(written);
    expect(comparison === null ? null : comparisonName(comparison)).toBe(written);
  });

  it('is described in words', () => {
    const texts = ['1d', '7d'].map((written) => comparisonText(parseComparison(written) ?? { kind: 'previous' }));
    expect(texts).toEqual(['1 day before', '7 days before']);
  });

  it.each(['', '0d', '7', '7D', '-1d', 'last month', '2026-02-30', '2026-1-1', '2026-13-01', 'yesterday'])(
    '%j is none',
    (written) => expect(parseComparison(written)).toBeNull(),
  );
});

describe('the span of a baseline', () => {
  it('ends with the requested day, and reaches back by a quarter of the distance, and at least 36 hours', () => {
    expect(span('1d')).toEqual(['2026-11-17T12:00:00.000Z', '2026-11-19T23:59:59.999Z']);
    expect(span('30d')).toEqual(['2026-10-13T12:00:00.000Z', '2026-10-21T23:59:59.999Z']);
    expect(span('2026-11-13')).toEqual(span('7d'));
  });

  it('of last month ends with its last day, for months of any length', () => {
    expect(span('last-month')[1]).toBe('2026-10-31T23:59:59.999Z');
    expect(span('last-month')).toEqual(span('2026-10-31'));
  });

  it('reaches back as far as the tolerance allows', () => {
    expect(span('7d', { toleranceMs: 0 })[0]).toBe('2026-11-13T00:00:00.000Z');
    expect(span('7d', { toleranceMs: 86_400_000 })[0]).toBe('2026-11-12T00:00:00.000Z');
  });

  it('consists of local days', () => {
    expect(span('7d', { timezone: 'Asia/Tokyo' })[1]).toBe('2026-11-13T14:59:59.999Z');
    expect(span('last-month', { timezone: 'Europe/Berlin' })[1]).toBe('2026-10-31T22:59:59.999Z');
  });

  it('of the previous check is the entire past', () => {
    expect(span('previous')).toEqual(['1970-01-01T00:00:00.000Z', '2026-11-20T05:59:59.999Z']);
  });
});
