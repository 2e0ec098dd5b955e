// Alert rules applied to rows: only comparable and proven changes match.
import { describe, expect, it } from 'vitest';
import {
  type AlertRule,
  appliesTo,
  type ChangedRow,
  featureChanges,
  hasOvertaken,
  isAhead,
  matchesRule,
  ruleName,
} from '../../../src/tracker/changes/alerts.ts';

function row(more: Partial<ChangedRow> = {}): ChangedRow {
  const depths = { depth: 3, previousDepth: 3 };
  return {
    rank: 5,
    previousRank: 5,
    changeClass: 'unchanged',
    ...depths,
    urlChanged: false,
    significance: null,
    urlIsPreferred: null,
    ...more,
  };
}

describe('a change', () => {
  it('that is not comparable, or the first, matches no rule', () => {
    for (const changeClass of ['not_comparable', 'first_check'] as const) {
      const one = row({ changeClass, rank: 50, previousRank: 1, urlChanged: true });
      expect(matchesRule({ when: 'moved', by: 1, direction: 'any' }, one)).toBe(false);
      expect(matchesRule({ when: 'dropped-out-of', top: 10 }, one)).toBe(false);
      expect(matchesRule({ when: 'url-changed' }, one)).toBe(false);
    }
  });

  it.each([
    [10, 11, true],
    [10, null, true],
    [11, null, false],
    [3, 10, false],
    [null, 12, false],
  ])('from %s to %s leaves the top 10: %s', (previousRank, rank, expected) => {
    expect(matchesRule({ when: 'dropped-out-of', top: 10 }, row({ changeClass: 'declined', previousRank, rank }))).toBe(
      expected,
    );
  });

  it.each([
    [9, 4, 'up', true],
    [9, 5, 'up', false],
    [9, 4, 'down', false],
    [26, null, 'down', true],
    [27, null, 'down', false],
    [null, 26, 'up', true],
    [null, 27, 'any', false],
  ] as const)('from %s to %s over 3 pages is a move of 5 %s: %s', (previousRank, rank, direction, expected) => {
    expect(matchesRule({ when: 'moved', by: 5, direction }, row({ changeClass: 'declined', previousRank, rank }))).toBe(
      expected,
    );
  });
});

describe('a rule about significant changes', () => {
  it.each([
    ['noise', undefined, true],
    ['noise', 'likely', false],
    ['likely', 'likely', true],
    ['certain', 'likely', true],
    ['likely', 'certain', false],
    ['certain', 'certain', true],
  ] as const)('of a change that is %s with the minimum %s is met: %s', (of, significance, expected) => {
    const changed = row({ rank: 9, previousRank: 2, significance: of });
    const rule = { when: 'moved', by: 3, direction: 'down', ...(significance === undefined ? {} : { significance }) };
    expect(matchesRule(rule as Parameters<typeof matchesRule>[0], changed)).toBe(expected);
  });

  it('is not met by a change that could not be judged', () => {
    const rule = { when: 'moved', by: 3, direction: 'down', significance: 'likely' } as const;
    expect(matchesRule(rule, row({ rank: 9, previousRank: 2, significance: null }))).toBe(false);
  });
});

describe('another URL than the preferred one', () => {
  it.each([
    ['began to rank in place of another', { urlChanged: true }, true],
    ['ranked before already', { urlChanged: false }, false],
    ['ranks again after an absence', { previousRank: null, urlChanged: null, changeClass: 'entered' }, true],
    ['ranks at the first check', { previousRank: null, urlChanged: null, changeClass: 'first_check' }, true],
    ['ranks in a check of another source', { urlChanged: true, changeClass: 'not_comparable' }, true],
    ['follows a page that is not known', { urlChanged: null }, false],
    ['is only seen', { rank: null, urlChanged: true }, false],
  ] as const)('meets other-url where it %s', (_, more, expected) => {
    expect(matchesRule({ when: 'other-url' }, row({ urlIsPreferred: false, ...more }))).toBe(expected);
    expect(matchesRule({ when: 'other-url' }, row({ urlIsPreferred: true, ...more }))).toBe(false);
    expect(matchesRule({ when: 'other-url' }, row({ urlIsPreferred: null, ...more }))).toBe(false);
  });
});

describe('an absence on a page of 100 results', () => {
  it('is worse than the rank on the other side', () => {
    const entered = row({ changeClass: 'entered', previousRank: null, rank: 57, depth: 1, previousDepth: 1 });
    const dropped = row({ changeClass: 'dropped', previousRank: 57, rank: null, depth: 1, previousDepth: 1 });
    expect(matchesRule({ when: 'moved', by: 1, direction: 'up' }, entered)).toBe(true);
    expect(matchesRule({ when: 'moved', by: 1, direction: 'down' }, entered)).toBe(false);
    expect(matchesRule({ when: 'moved', by: 1, direction: 'down' }, dropped)).toBe(true);
  });
});

describe('the rank of a competitor', () => {
  it('is ahead of an absence only as far as the pages prove it', () => {
    const at = (rank: number, page: number) => ({ rank, page, depth: 3 });
    const absent = (depth: number) => ({ rank: null, page: null, depth });
    expect(isAhead(at(3, 1), at(5, 1))).toBe(true);
    expect(isAhead(at(12, 2), absent(2))).toBe(true);
    expect(isAhead(at(12, 2), absent(1))).toBe(false);
    expect(isAhead(absent(3), at(5, 1))).toBe(false);
    const before = { own: at(3, 1), rival: absent(1) };
    expect(hasOvertaken(before, { own: at(6, 1), rival: at(2, 1) })).toBe(true);
    expect(hasOvertaken(before, { own: at(6, 1), rival: at(7, 1) })).toBe(false);
    expect(hasOvertaken({ own: at(6, 1), rival: at(2, 1) }, { own: at(6, 1), rival: at(1, 1) })).toBe(false);
  });
});

describe('features', () => {
  const check = (features: string, pages = 1) => ({ features: features.split(' ').filter(Boolean), pages });
  const won = (now: string, ...before: string[]) =>
    featureChanges(
      { when: 'feature-won' },
      check(now),
      before.map((text) => check(text)),
    );
  const lost = (now: string, ...before: string[]) =>
    featureChanges(
      { when: 'feature-lost' },
      check(now),
      before.map((text) => check(text)),
    );

  it('are won or lost compared with the previous check', () => {
    expect(won('video images', 'images')).toEqual(['video']);
    expect(lost('images', 'video images')).toEqual(['video']);
    expect([won('video'), lost('')]).toEqual([[], []]);
  });

  it('that flicker are lost if two checks show it, once, and won if neither of two had them', () => {
    expect(lost('', 'ai_overview')).toEqual([]);
    expect(lost('', '', 'ai_overview')).toEqual(['ai_overview']);
    expect(lost('', '', '', 'ai_overview')).toEqual([]);
    expect(won('ai_overview', '', 'ai_overview')).toEqual([]);
    expect(won('ai_overview', '', '', 'ai_overview')).toEqual(['ai_overview']);
  });

  it('are missing only if as many pages were read', () => {
    const rule = { when: 'feature-lost' };
    expect(featureChanges(rule, check('', 1), [check('video', 3)])).toEqual([]);
    expect(featureChanges(rule, check('', 3), [check('video', 3)])).toEqual(['video']);
    expect(featureChanges({ when: 'feature-won' }, check('video', 3), [check('', 1)])).toEqual([]);
  });

  it('that a check shows without links are neither won nor lost by it, and earlier checks decide', () => {
    const [own, none] = [check('ai_overview'), check('')];
    const unknown = { ...none, unlinked: ['ai_overview'] };
    const changes = (when: string, now: typeof own, ...before: (typeof own)[]) => featureChanges({ when }, now, before);
    expect(changes('feature-lost', unknown, unknown, own)).toEqual([]);
    expect(changes('feature-lost', unknown, none, own)).toEqual([]);
    expect(changes('feature-lost', none, unknown, own)).toEqual([]);
    expect(changes('feature-lost', none, unknown, none, own)).toEqual(['ai_overview']);
    expect(changes('feature-won', own, unknown, unknown)).toEqual([]);
    expect(changes('feature-won', own, unknown, own)).toEqual([]);
    expect(changes('feature-won', own, unknown, none)).toEqual(['ai_overview']);
  });

  it('are limited to the requested ones, over the requested number of checks', () => {
    const rule = { when: 'feature-lost', feature: 'video', checks: 3 };
    expect(featureChanges(rule, check(''), [check(''), check(''), check('video images')])).toEqual(['video']);
    expect(featureChanges(rule, check(''), [check(''), check('video')])).toEqual([]);
  });
});

describe('an alert rule', () => {
  it('is named by its conditions, without its channels and projects', () => {
    const names = (
      [
        { when: 'dropped-out-of', top: 10, channels: ['ops'] },
        { when: 'moved', by: 5, direction: 'up', tags: ['brand'] },
        { when: 'feature-lost', checks: 2 },
        { when: 'visibility-fell', percent: 10, tags: ['b', 'a'] },
        { when: 'budget-share', percent: 80 },
        { when: 'run-failed' },
      ] satisfies AlertRule[]
    ).map(ruleName);
    expect(names).toEqual([
      'dropped-out-of top 10',
      'moved by 5 up',
      'feature-lost checks 2',
      'visibility-fell percent 10 of a|b',
      'budget-share percent 80',
      'run-failed',
    ]);
    expect([appliesTo({}, []), appliesTo({ tags: ['a'] }, ['b', 'a']), appliesTo({ tags: ['a'] }, ['b'])]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
