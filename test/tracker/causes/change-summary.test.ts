// The sentences that say what made a project change.
import { expect, it } from 'vitest';
import { type AttributedRow, Attribution } from '../../../src/tracker/causes/attribution.ts';
import { type KeywordCauses, keywordCauses } from '../../../src/tracker/causes/cause-text.ts';
import type { Cause } from '../../../src/tracker/causes/causes.ts';
import {
  changeParts,
  changeSummary,
  type ExplainedChange,
  explainedChange,
} from '../../../src/tracker/causes/change-summary.ts';

const curve = 'sistrix-2020';
const market = { country: 'US', language: 'en', device: 'mobile' };

function row(page: string, device: string, previousRank: number, rank: number, volume = 1000): AttributedRow {
  const on = (of: number, searches: number) => ({ isChecked: true, rank: of, volume: searches, featureRatio: 1 });
  return {
    ...{ keyword: page, page, tags: [], market: `US en ${device}`, device, isPlace: false },
    ...{ before: on(previousRank, 1000), after: on(rank, volume), isComparable: true },
    places: [{ site: 'rival.example', places: 1 }],
  };
}

function change(page: string, previousRank: number, rank: number, causes: readonly Partial<Cause>[]): ExplainedChange {
  const of = { ...market, project: 'acme', id: page, keyword: page.slice(-5), target: 'acme.com' };
  const found = causes.map((cause): Cause => ({ kind: 'noise', strength: 0.9, certainty: 'certain', ...cause }));
  const explained: KeywordCauses = keywordCauses(of, {
    ...{ from: '2026-01-01', to: '2026-01-02', rank, previousRank, changeClass: 'declined', significance: 'certain' },
    ...{ places: previousRank - rank, isAtLeast: false, causes: found, unknown: [] },
  });
  const clicks = 100 * (previousRank - rank);
  return explainedChange(
    { ...market, url: page, previousUrl: null, tags: [], estimatedClicksChange: clicks },
    explained,
  );
}

const dates = { from: '2026-01-01', to: '2026-01-02' };
const shoes = (name: string) => `https://www.acme.com/shoes/${name}`;
const grid = { kind: 'feature_appeared', feature: 'shopping_results' } as const;

/** 4 rows of shoes on mobile fall; 12 others stay. */
function fall() {
  const names = ['black', 'white', 'green', 'brown'];
  const rows = names.flatMap((name) => [row(shoes(name), 'mobile', 2, 6), row(shoes(name), 'desktop', 3, 3)]);
  const others = names.flatMap((name) => [
    row(`https://acme.com/bags/${name}`, 'mobile', 5, 5),
    row(name, 'desktop', 4, 4),
  ]);
  const changes = names.map((name, index) =>
    change(shoes(name), 2, 6, [
      { ...grid, strength: index === 3 ? 0.1 : 0.8 },
      { kind: 'note', date: '2026-01-02' },
    ]),
  );
  return { ...changeParts(new Attribution([...rows, ...others], curve)), ...dates, changes };
}

it('say the effects, the rows that have most of them with what they share, and who took the clicks', () => {
  const { sentences } = changeSummary(fall());
  expect(sentences.map(({ text }) => text)).toEqual([
    expect.stringMatching(
      /^Visibility over all rows fell from \d+(\.\d)? to \d+(\.\d)? %: −\d+(\.\d)? points from ranks$/,
    ),
    expect.stringMatching(
      /^\/shoes\/\* on mobile lost \d+(\.\d)? points through ranks, with 4 of 16 rows: the note of 2026-01-02 \(\) in 4 of the 4 that moved beyond noise$/,
    ),
    expect.stringMatching(/^rival\.example took the most from us: \d+ clicks a month in 4 rows$/),
    expect.stringMatching(/^black \(US en mobile\) fell from 2 to 6, −400 clicks a month: shopping results appeared$/),
  ]);
  expect(sentences[1]).toMatchObject({
    link: '/shoes/* on mobile',
    evidence: `keywords?from=2026-01-01&to=2026-01-02&url=www.acme.com%2Fshoes%2F&device=mobile`,
  });
  expect(sentences.every(({ text, link }) => text.includes(link))).toBe(true);
});

it('say what demand does to clicks, which visibility hides', () => {
  const texts = (volume: number, rank: number) => {
    const rows = ['a', 'b'].map((page) => row(page, 'mobile', 3, rank, volume));
    const source = { ...changeParts(new Attribution(rows, curve)), ...dates, changes: [] };
    return changeSummary(source).sentences.map(({ text }) => text);
  };
  expect(texts(2000, 3)).toEqual([
    expect.stringMatching(/^Visibility over all rows stayed at [\d.]+ %$/),
    expect.stringMatching(/^Clicks a month over all rows rose from \d+ to \d+: \+\d+ clicks a month from demand$/),
  ]);
  expect(texts(1050, 3)).toHaveLength(1);
  // ranks did more
  expect(texts(1200, 9).join()).not.toContain('Clicks a month over all rows');
});

it('the points of the group and of the whole agree', () => {
  const [whole, group] = changeSummary(fall()).sentences.map(({ text }) => /[\d.]+(?= points)/.exec(text)?.[0]);
  expect(group).toBe(whole);
});

it('name a cause that changes share, where the effect is spread over all rows', () => {
  const pages = ['a', 'b', 'c', 'd'].map((name) => `https://acme.com/${name}`);
  const rows = pages.map((page) => row(page, 'mobile', 4, 5));
  const changes = pages.map((page, index) =>
    change(page, 4, 5, index < 3 ? [{ kind: 'entered', site: 'new.example', rank: 1 }] : [{ kind: 'noise' }]),
  );
  const { sentences: found } = changeSummary({ ...changeParts(new Attribution(rows, curve)), ...dates, changes });
  expect(found[1]).toEqual({
    text: 'new.example came above us in 3 of the 4 changes beyond noise',
    link: 'new.example came above us',
    evidence: expect.stringMatching(/^serp\?/),
  });
});

it('without volumes name causes and rows only; without changes nothing', () => {
  const parts = changeParts(new Attribution([], curve));
  const changes = [change(shoes('black'), 2, 6, [{ kind: 'entered', site: 'new.example', rank: 1 }])];
  expect(changeSummary({ ...parts, ...dates, changes }).sentences.map(({ text }) => text)).toEqual([
    'black (US en mobile) fell from 2 to 6, −400 clicks a month: new.example entered at 1',
  ]);
  expect(changeSummary({ ...parts, ...dates, changes: [] })).toEqual({ sentences: [], total: null });
});

it('are five at most', () => {
  const source = fall();
  const up = change(shoes('riser'), 9, 3, [{ kind: 'left', site: 'old.example' }]);
  const shared = source.changes.map((one) => ({ ...one, row: { ...one.row, page: null, device: 'desktop' } }));
  expect(changeSummary({ ...source, changes: [...shared, up] }).sentences).toHaveLength(5);
});

it('one point is not "1 points"', () => {
  const effects = { rankEffect: -30, featureEffect: 0, demandEffect: 0, trackingEffect: 0 };
  const none = { visibilityFeatureEffect: 0, visibilityDemandEffect: 0, visibilityTrackingEffect: 0 };
  const line = (name: string, keywords: number, visibilityRankEffect: number) => ({
    ...{ name, keywords, clicksBefore: 100, clicksAfter: 70, visibilityBefore: 12, visibilityAfter: 11 },
    ...{ ...effects, ...none, visibilityRankEffect },
  });
  const parts = { total: line('', 10, -1.04), groups: [line('tag=shoes', 2, -1.01)], competitors: [], changes: [] };
  expect(changeSummary({ ...parts, ...dates }).sentences.map(({ text }) => text)).toEqual([
    'Visibility over all rows fell from 12.0 to 11.0 %: −1 point from ranks',
    'The tag shoes lost 1 point through ranks, with 2 of 10 rows',
  ]);
});
