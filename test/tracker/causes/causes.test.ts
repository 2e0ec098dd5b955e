// Causes of one change and their sentences, where recorded pages showed a fault. Real runs: test/jobs/report.
import { expect, it } from 'vitest';
import { keywordCauses } from '../../../src/tracker/causes/cause-text.ts';
import { type Evidence, explain } from '../../../src/tracker/causes/causes.ts';
import { movementsAround, type ResultsRead } from '../../../src/tracker/causes/places.ts';

const page = (letters: string): ResultsRead => {
  const ids = [...letters].map((letter) => letter.charCodeAt(0));
  return { urlIds: ids, siteIds: ids };
};
const rankIn = (letters: string) => (letters.includes('o') ? letters.indexOf('o') + 1 : null);
const nameOf = (urlId: number) => {
  const site = `${String.fromCharCode(urlId)}.example`;
  return { site, url: `https://${site}/` };
};

/** Our result is `o`. */
function causesOf(before: string, after: string, known: Partial<Evidence> = {}) {
  const [previousRank, rank] = [rankIn(before), rankIn(after)];
  const evidence: Evidence = {
    ...{ from: '2026-02-05', to: '2026-02-06', days: 1, usualDays: 1, band: null, significance: 'certain' },
    ...{ rank, previousRank, changeClass: rank === null ? 'dropped' : 'declined' },
    movements: movementsAround(page(before), previousRank, page(after), rank),
    ...{ nameOf, featureWith: () => null, previousUrlFeature: null, isPreviousUrlThere: rank !== null },
    ...{ url: rank === null ? null : 'https://o.example/', previousUrl: 'https://o.example/', turns: 0 },
    ...{ incomparable: null, wasLookedAtAgain: false, suspect: null, features: [], shown: [], alike: [] },
    ...{ competitors: { names: [], compared: 0 }, demand: null, impressions: null, notes: [], unknown: [] },
    ...known,
  };
  const market = { country: 'US', language: 'en', device: 'desktop', location: undefined };
  const row = { project: 'acme', id: 'x', keyword: 'shoes', target: 'o.example', ...market };
  return keywordCauses(row, explain(evidence, new Map())).causes;
}

it('have strengths from 0 to 1 between two checks within minutes', () => {
  const causes = causesOf('aobc', 'abco', { days: 0, usualDays: 0 });
  expect(causes.map(({ kind }) => kind)).toEqual(['own_move', 'passed', 'passed']);
  for (const { strength } of causes) expect(strength > 0 && strength <= 1).toBe(true);
});

it.each([
  ['keep their order', 'aobcde', 'abcdoe', ['our result moved, the others kept their order']],
  ['move, too', 'aobcdefgh', 'abcfdogeh', ['our result moved: 3 of the 4 places, the others kept their order']],
  ['move past it', 'aobcdefgh', 'ahobcdefg', []],
])('name our own move as far as others %s', (_, before, after, sentences) => {
  const moves = causesOf(before, after).filter(({ kind }) => kind === 'own_move');
  expect(moves.map(({ sentence }) => sentence)).toEqual(sentences);
});

const measured = (previousImpressions: number, impressions: number) => ({
  impressions: { impressions, previousImpressions, lastDay: '2026-02-04', previousLastDay: '2026-01-28' },
});
const bought = { demand: { volume: 2000, previousVolume: 1000, month: '2026-02', previousMonth: '2026-01' } };
const moved = { significance: 'certain', changeClass: 'declined' } as const;

it.each([
  ['impressions double', measured(140, 280), 0.6, 280],
  ['impressions halve', measured(280, 140), 0.6, 140],
  ['impressions grow by half', measured(200, 300), 0.35, 300],
  ['impressions double and the rank moves', { ...measured(140, 280), ...moved }, 0.15, 280],
  ['impressions differ by less than 2.5 deviations', measured(140, 180), undefined, undefined],
  ['impressions stay, though volumes double', { ...measured(140, 150), ...bought }, undefined, undefined],
  ['impressions are too few to say so', measured(10, 40), undefined, undefined],
  ['impressions are too few, and volumes double', { ...measured(10, 40), ...bought }, 0.6, undefined],
  ['volumes double', bought, 0.6, undefined],
  ['volumes stay', { demand: { ...bought.demand, volume: 1000 } }, undefined, undefined],
])('name demand as the rule has it where %s', (_, known, strength, impressions) => {
  const unmoved = { changeClass: 'unchanged', significance: null } as const;
  const found = causesOf('aobc', 'aobc', { ...unmoved, ...known }).find(({ kind }) => kind === 'demand');
  expect([found?.strength, found?.impressions]).toEqual([strength, impressions]);
});

it('say which feature still shows a result that left', () => {
  const gone = causesOf('aobc', 'abcd', { previousUrlFeature: 'top_stories' });
  expect(gone[0]?.sentence).toBe('our page / left the results, still shown in top stories');
  const others = causesOf('abocd', 'bxyoz', {
    featureWith: (urlId) => (nameOf(urlId).site === 'a.example' ? 'video' : null),
  });
  expect(others.find(({ kind }) => kind === 'left')?.sentence).toBe(
    'a.example left the results (was at 1), still shown in video',
  );
});

it('name an announced update first where many keywords moved with it, and else as one of several', () => {
  const notes = [
    { date: '2026-02-01', text: 'update confirmed: core update (goes on)', isNarrow: false, isConfirmed: true },
  ];
  const alike = [{ scope: 'project', name: '', compared: 100, moved: 60, score: 9 }] as const;
  const [first, second] = causesOf('aobcdefgh', 'ahobcdefg', { notes, alike });
  expect([first?.kind, second?.kind]).toEqual(['confirmed_update', 'moved_alike']);
  expect([first?.strength, first?.certainty]).toEqual([second?.strength, 'certain']);
  expect(first?.sentence).toBe('the search engine announced an update on 2026-02-01: core update (goes on)');
  const alone = causesOf('aobcdefgh', 'ahobcdefg', { notes }).find(({ kind }) => kind === 'confirmed_update');
  expect(alone).toMatchObject({ strength: 0.4, certainty: 'possible', evidence: 'home?from=2026-02-01&to=2026-02-06' });
});
