// A row shows what its check proves, and why if it proves nothing.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HistoryRow, type RecentRanks } from '../../src/read/row.ts';
import { codeOfRank, rankCodes } from '../../src/tracker/rank-codes.ts';
import type { TargetOutcome } from '../../src/tracker/targets/match.ts';
import { observed, plainCheck, plainInput, plainTable, rankedAt, rowOf } from './invented.ts';

describe('a tracked row', () => {
  it('of a complete check has its rank, its change and their worth in clicks', () => {
    expect(rowOf()).toMatchObject({
      status: 'ranked',
      rank: 5,
      previousRank: 8,
      change: 3,
      changeClass: 'improved',
      absoluteRank: 8,
      page: 1,
      url: 'https://www.acme.com/shoes',
      urlChanged: false,
      bestRank: 4,
      depth: 3,
      estimatedClicks: 72,
      estimatedClicksChange: 40,
      note: null,
      complete: true,
    });
  });

  it('counts its days in the top 10 among the last 30, and knows none without a complete check', () => {
    const { none, not_found: absent, incomplete } = rankCodes;
    const daysOf = (codes: Readonly<Record<string, number>>) => {
      const dates = Object.keys(codes);
      const recent: RecentRanks = { dates, codesOf: () => (at) => codes[dates[at] ?? ''] ?? none };
      return rowOf({ recent }).daysInTop10;
    };
    // the pages of the row were read on 2026-01-02
    const [tenth, eleventh] = [codeOfRank(10), codeOfRank(11)];
    expect(daysOf({ '2025-12-31': codeOfRank(1), '2026-01-01': eleventh, '2026-01-02': tenth })).toBe(2);
    expect(daysOf({ '2025-12-03': tenth, '2025-12-04': tenth, '2026-01-03': tenth })).toBe(1);
    expect(daysOf({ '2026-01-01': absent, '2026-01-02': incomplete })).toBe(0);
    expect(daysOf({ '2026-01-01': incomplete, '2026-01-02': none })).toBeNull();
    expect(daysOf({ '2025-12-03': tenth })).toBeNull();
    expect(rowOf().daysInTop10).toBeNull();
  });

  it('has its best rank, this check included', () => {
    expect(rowOf({ outcome: rankedAt(2) }).bestRank).toBe(2);
    expect(rowOf({ bestRank: null }).bestRank).toBe(5);
    expect(rowOf({ bestRank: null, outcome: { kind: 'notFound', depth: 3 } }).bestRank).toBeNull();
  });

  it('that dropped out loses all its clicks, and one that entered gains them', () => {
    expect(rowOf({ outcome: { kind: 'notFound', depth: 3 } })).toMatchObject({
      status: 'not_found',
      rank: null,
      change: null,
      changeClass: 'dropped',
      url: null,
      urlChanged: null,
      previousUrl: 'https://www.acme.com/shoes',
      estimatedClicks: 0,
      estimatedClicksChange: -32,
    });
    expect(rowOf({ baseline: observed(null) })).toMatchObject({ changeClass: 'entered', estimatedClicksChange: 72 });
  });

  it('distinguishes a change outside the noise band of its keyword from one inside', () => {
    const calm = Array(13).fill(8);
    const restless = [8, 4, 9, 5, 8, 4, 9, 5, 8, 4, 9, 5, 8];
    expect(rowOf({ ranksBefore: calm }).judged).toMatchObject({ class: 'certain', observations: 13 });
    const noise = { class: 'noise', observations: 13, band: { best: expect.any(Number), worst: expect.any(Number) } };
    expect(rowOf({ ranksBefore: restless }).judged).toMatchObject(noise);
    expect(rowOf({ ranksBefore: calm, baseline: observed(5) }).significance).toBeNull();
    expect(rowOf({ ranksBefore: calm, baseline: null }).significance).toBeNull();
    expect(rowOf({}).judged).toMatchObject({ observations: 1 });
  });

  it('seen for the first time has no change', () => {
    const row = rowOf({ baseline: null });
    expect(row).toMatchObject({ changeClass: 'first_check', change: null, estimatedClicksChange: null, note: null });
    expect(row).toMatchObject({ previousRank: null, previousUrl: null, previousCheckedAt: null });
  });

  it('that does not compare says why, and has no traffic change', () => {
    const row = rowOf({ outcome: { kind: 'notFound', depth: 3 }, baseline: observed(45, 10) });
    expect(row).toMatchObject({ changeClass: 'not_comparable', previousRank: 45, estimatedClicksChange: null });
    expect(row.note).toBe('not comparable: last ranked on page 5, this check reads 3 pages');
  });

  it('of a target that was not followed to the depth states the pages read, and has no number', () => {
    const row = rowOf({ outcome: { kind: 'notFollowed', pages: 1 } });
    expect(row).toMatchObject({ status: 'not_followed', depth: 1, rank: null, changeClass: 'not_comparable' });
    expect(row).toMatchObject({ estimatedClicks: null, estimatedClicksChange: null, complete: false });
    expect(row.note).toBe('not followed: 1 page read of 3 requested');
    const check = { ...plainCheck, status: 'incomplete' as const, reason: 'page 2 failed: blocked' };
    expect(rowOf({ check, outcome: { kind: 'notFollowed', pages: 1 } }).status).toBe('incomplete');
  });

  it('of an incomplete check distinguishes a sighting from a rank', () => {
    const check = { ...plainCheck, status: 'incomplete' as const, reason: 'page 2 failed: blocked' };
    const seen = rowOf({ check, outcome: { kind: 'seen', page: 3, url: 'https://acme.com/x' } });
    expect(seen).toMatchObject({
      status: 'incomplete',
      rank: null,
      page: 3,
      url: 'https://acme.com/x',
      complete: false,
    });
    expect(seen.changeClass).toBe('not_comparable');
    expect(seen.note).toBe(
      'page 2 failed: blocked; seen on page 3; no exact rank, because an earlier page was not read',
    );
    const unproven = rowOf({ check, outcome: { kind: 'unproven' } });
    expect(unproven).toMatchObject({ status: 'incomplete', page: null, url: null, estimatedClicks: null });
    const absent = rowOf({ check, outcome: { kind: 'notFound', depth: 1 } });
    expect(absent).toMatchObject({ status: 'incomplete', estimatedClicks: null, complete: false });
  });

  it('of a place is not found where page 1 decided, although the check lost a later page', () => {
    const check = { ...plainCheck, status: 'incomplete' as const, reason: 'page 2 failed' };
    const target = { match: 'place' as const, value: 'cid:174459995934739710' };
    expect(rowOf({ target, check, outcome: { kind: 'notFound', depth: 3 } })).toMatchObject({
      status: 'not_found',
      changeClass: 'not_comparable',
      complete: false,
      note: 'page 2 failed; page 1 does not list the place, but incomplete checks are not compared',
    });
  });

  it('of an incomplete check that proves a rank prints the rank and compares nothing', () => {
    const row = rowOf({ check: { ...plainCheck, status: 'incomplete', reason: 'page 3 failed' } });
    expect(row).toMatchObject({
      status: 'ranked',
      rank: 5,
      changeClass: 'not_comparable',
      change: null,
      complete: false,
    });
    expect(row.note).toContain('page 3 failed; the rank is exact');
  });

  it.each(['failed', 'deferred', 'unknown_paid'] as const)('of a check that is %s has no number', (status) => {
    const check = { ...plainCheck, status, reason: 'why', checkedAt: null, features: [] };
    expect(rowOf({ check })).toMatchObject({
      status,
      rank: null,
      url: null,
      page: null,
      changeClass: 'not_comparable',
      estimatedClicks: null,
      note: 'why',
    });
    expect(rowOf({ check: { ...check, reason: null } }).note).toBe(`the check is ${status.replace('_', ' ')}`);
  });

  it('without a check in the run is deferred', () => {
    expect(rowOf({ check: null, outcome: { kind: 'unproven' } })).toMatchObject({
      status: 'deferred',
      note: 'not checked in this run',
      source: null,
      runId: null,
      depth: null,
    });
  });

  it('has the note that it is given', () => {
    expect(rowOf({ note: 'suspect run' }).note).toBe('suspect run');
  });

  it('distinguishes another page from another spelling of the same one', () => {
    const baseline = { ...observed(8), url: 'http://www.acme.com/shoes?srsltid=1#:~:text=x' };
    expect(rowOf({ baseline }).urlChanged).toBe(false);
    expect(rowOf({ baseline: { ...baseline, url: 'https://www.acme.com/boots' } }).urlChanged).toBe(true);
  });

  it.each([
    ['http://www.acme.com/shoes?srsltid=1#top', true],
    ['https://www.acme.com/boots', false],
    ['https://www.acme.com/shoes/', false],
  ])('compares the preferred URL %s by page: %s', (preferredUrl, expected) => {
    expect(rowOf({ preferredUrl })).toMatchObject({ preferredUrl, urlIsPreferred: expected });
  });

  it('says nothing about the preferred URL without one, or without a ranking page', () => {
    expect(rowOf()).toMatchObject({ preferredUrl: null, urlIsPreferred: null });
    const preferredUrl = 'https://www.acme.com/shoes';
    expect(rowOf({ preferredUrl, outcome: { kind: 'notFound', depth: 3 } }).urlIsPreferred).toBeNull();
    const hidden = { ...rankedAt(5), url: 'www.acme.com' };
    expect(rowOf({ preferredUrl, outcome: hidden }).urlIsPreferred).toBeNull();
  });

  it('lists the features that the target lost since the baseline, as far as the pages prove it', () => {
    const lost = (pagesBefore: number, pagesRead: number, differences = {}) =>
      rowOf({
        check: { ...plainCheck, pagesRead },
        ownedBefore: { features: ['images', 'video'], pages: pagesBefore },
        ...differences,
      }).lostFeatures;
    expect(lost(1, 1)).toEqual(['images']);
    expect(lost(2, 1)).toEqual([]);
    expect(lost(1, 1, { baseline: { ...observed(8), source: 'other/live' } })).toEqual([]);
    expect(lost(1, 1, { check: { ...plainCheck, pagesRead: 1, status: 'incomplete' } })).toEqual([]);
    expect(rowOf().lostFeatures).toEqual([]);
  });

  it('has no clicks without metrics, and an unknown curve is refused', () => {
    expect(rowOf({ metrics: null })).toMatchObject({
      searchVolume: null,
      cpc: null,
      estimatedClicks: null,
      estimatedClicksChange: null,
    });
    const unknown = new HistoryRow(plainInput, { ...plainTable, ctrCurve: 'none' });
    expect(() => unknown.estimatedClicks).toThrow(RangeError);
  });

  it('has a rank exactly if it is ranked, and an absence only from a complete check', () => {
    const outcome: fc.Arbitrary<TargetOutcome> = fc.oneof(
      fc.integer({ min: 1, max: 100 }).map((rank) => rankedAt(rank)),
      fc.integer({ min: 1, max: 10 }).map((depth): TargetOutcome => ({ kind: 'notFound', depth })),
      fc.integer({ min: 2, max: 10 }).map((page): TargetOutcome => ({ kind: 'seen', page, url: 'https://acme.com/' })),
      fc.constant<TargetOutcome>({ kind: 'unproven' }),
    );
    const status = fc.constantFrom('ok', 'incomplete', 'failed', 'deferred', 'unknown_paid', null);
    const before = fc.option(
      fc
        .tuple(fc.option(fc.integer({ min: 1, max: 100 })), fc.integer({ min: 1, max: 10 }))
        .map(([r, d]) => observed(r, d)),
    );
    fc.assert(
      fc.property(outcome, status, before, (what, how, baseline) => {
        const row = rowOf({
          outcome: what,
          baseline,
          bestRank: null,
          check: how === null ? null : { ...plainCheck, status: how },
        });
        expect(row.rank !== null).toBe(row.status === 'ranked');
        expect(row.status === 'not_found').toBe(what.kind === 'notFound' && how === 'ok');
        if (row.changeClass !== 'not_comparable') expect(how).toBe('ok');
        if (row.change !== null) expect(row.change).toBe((row.previousRank ?? 0) - (row.rank ?? 0));
        const compares = row.changeClass !== 'not_comparable' && row.changeClass !== 'first_check';
        expect(row.estimatedClicksChange !== null).toBe(compares);
        if (row.changeClass === 'not_comparable') expect(row.note).not.toBeNull();
        expect(rowOf().complete).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
