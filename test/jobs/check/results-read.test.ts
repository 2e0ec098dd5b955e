import { afterEach, describe, expect, it } from 'vitest';
import { alertText } from '../../../src/report/alerts/alert-text.ts';
import type { KeptAlert } from '../../../src/tracker/changes/alerts.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { keyword, project } from '../../helpers/jobs.ts';
import { RankedWorld, type Scene } from '../../helpers/ranked-world.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);
const own = 'https://acme.example/';
const rival = 'https://globex.example/';

let open: RankedWorld | undefined;
afterEach(async () => {
  expect(open?.world.broken()).toEqual([]);
  open = undefined;
});

function begin(more: Partial<Project> = {}): RankedWorld {
  const keywords = ['deep', 'top', 'gone'].map((text) => keyword(text, { depth: 1 }));
  // simulated, because a live page with fewer results is bought a second time
  open = new RankedWorld([project({ keywords, ...more })], { kind: 'sandbox', reports: true });
  open.rules = [
    { when: 'moved', by: 1, direction: 'any' },
    { when: 'dropped-out-of', top: 100 },
  ];
  return open;
}

const at = (ranks: Readonly<Record<number, string>>): Scene => ({ at: ranks });

function changes(ranked: RankedWorld): Record<string, string> {
  const rows = ranked.world.table('rank-changes.csv');
  return Object.fromEntries(
    rows.map(({ keyword: text = '', change_class: changeClass = '', note = '' }) => [
      text,
      note === '' ? changeClass : `${changeClass}; ${note}`,
    ]),
  );
}

/** Their causes are tested apart. */
function alerts({ world }: RankedWorld): string[] {
  return world.rows('SELECT payload FROM alert_deliveries ORDER BY id').map((row) => {
    const { alert } = JSON.parse(String(row['payload'])) as KeptAlert;
    return alertText('cause' in alert ? { ...alert, cause: undefined } : alert);
  });
}

function counts(ranked: RankedWorld): Record<string, string> | undefined {
  const found = ranked.world.table('summary.csv').find(({ scope }) => scope === 'project');
  if (found === undefined) throw new Error('the summary has no line of the project');
  const { entered = '', dropped = '', improved = '', declined = '', unchanged = '', not_comparable = '' } = found;
  return { entered, dropped, improved, declined, unchanged, not_comparable };
}

const none = { entered: '0', dropped: '0', improved: '0', declined: '0', unchanged: '0', not_comparable: '0' };

describe('a page of 100 results after pages of ten', () => {
  it('reports neither a rank that the earlier check could not see as entered, nor one as dropped on the way back', async () => {
    const ranked = begin();
    ranked.scenes = { deep: at({ 57: own }), top: at({ 4: own }), gone: {} };
    await ranked.run(start);
    ranked.perPage = 100;
    await ranked.run(start + dayMs);
    expect(changes(ranked)).toEqual({
      deep: 'not_comparable; not comparable: ranks 57, the earlier check read 10 results',
      top: 'unchanged',
      gone: 'unchanged',
    });
    expect(counts(ranked)).toEqual({ ...none, unchanged: '2', not_comparable: '1' });
    ranked.perPage = 10;
    await ranked.run(start + 2 * dayMs);
    expect(ranked.world.rankings().slice(-3)).toEqual([
      'acme.example not found 1',
      'acme.example rank 4',
      'acme.example not found 1',
    ]);
    expect(changes(ranked)).toEqual({
      deep: 'not_comparable; not comparable: last ranked 57, this check reads 10 results',
      top: 'unchanged',
      gone: 'unchanged',
    });
    expect(counts(ranked)).toEqual({ ...none, unchanged: '2', not_comparable: '1' });
    expect(ranked.world.table('movers.csv')).toEqual([]);
    expect(alerts(ranked)).toEqual([]);
    // this decides whether a run is suspect: a rank that could not be seen is not lost
    expect(ranked.world.rows('SELECT ranked_before, ranks_lost FROM slots ORDER BY at DESC LIMIT 1')).toEqual([
      { ranked_before: 1, ranks_lost: 0 },
    ]);
  });

  it('is compared within the results that both checks read, and 100 with 100', async () => {
    const ranked = begin();
    ranked.scenes = { deep: at({ 10: own }), top: {}, gone: at({ 57: own }) };
    await ranked.run(start);
    ranked.perPage = 100;
    ranked.scenes = { deep: {}, top: at({ 10: own }), gone: at({ 57: own }) };
    await ranked.run(start + dayMs);
    expect(changes(ranked)).toMatchObject({ deep: 'dropped', top: 'entered' });
    expect(counts(ranked)).toEqual({ ...none, entered: '1', dropped: '1', not_comparable: '1' });
    ranked.scenes = { deep: at({ 80: own }), top: at({ 9: own }), gone: {} };
    await ranked.run(start + 2 * dayMs);
    expect(changes(ranked)).toEqual({ deep: 'entered', top: 'improved', gone: 'dropped' });
    expect(alerts(ranked).slice(-4).sort()).toMatchInlineSnapshot(`
      [
        ""deep" (US, en, desktop), acme.example: entered: rank 80, was not found in 1 page on 2026-01-16",
        ""gone" (US, en, desktop), acme.example: dropped: not found in 1 page, was rank 57 on 2026-01-16",
        ""gone" (US, en, desktop), acme.example: out of the top 100: not found in 1 page, was rank 57 on 2026-01-16",
        ""top" (US, en, desktop), acme.example: up 1: rank 9, was rank 10 on 2026-01-16",
      ]
    `);
    expect(ranked.world.rows('SELECT ranked_before, ranks_lost FROM slots ORDER BY at DESC LIMIT 1')).toEqual([
      { ranked_before: 2, ranks_lost: 1 },
    ]);
  });

  it('counts no change of a competitor either', async () => {
    const ranked = begin({ competitors: [{ match: 'domain', value: 'globex.example' }] });
    ranked.scenes = { deep: at({ 3: own, 57: rival }), top: at({ 4: own, 5: rival }), gone: at({ 1: own }) };
    await ranked.run(start);
    ranked.perPage = 100;
    await ranked.run(start + dayMs);
    const row = ranked.world
      .table('competitors.csv')
      .find(({ scope, target }) => scope === 'project' && target === 'globex.example');
    expect(row).toMatchObject({ coverage_checked: '3', coverage_comparable: '2' });
  });

  it('proves an absence at any rank where the engine says that nothing follows', async () => {
    const ranked = begin();
    ranked.perPage = 100;
    ranked.scenes = { deep: at({ 57: own }), top: at({ 4: own }), gone: {} };
    await ranked.run(start);
    ranked.perPage = 0;
    await ranked.run(start + dayMs);
    expect(changes(ranked)).toMatchObject({
      deep: expect.stringMatching(/^dropped/),
      gone: expect.stringMatching(/^unchanged/),
    });
  });
});
