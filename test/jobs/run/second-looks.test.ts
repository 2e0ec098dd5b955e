import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Caps } from '../../../db/ledger/budget-windows.ts';
import { lastRuns } from '../../../jobs/query/status.ts';
import { secondLookDelayMs } from '../../../jobs/run/judge-changes.ts';
import type { AlertRule } from '../../../src/tracker/changes/alerts.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { dieAt } from '../../helpers/death.ts';
import { deadOwner, keyword, project, type WorldOptions } from '../../helpers/jobs.ts';
import { RankedWorld, type Scene } from '../../helpers/ranked-world.ts';
import { seeded } from '../../helpers/seeded.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);
const today = start + 2 * dayMs;
const later = today + secondLookDelayMs + 60_000;
const names = Array.from({ length: 20 }, (_, index) => `k${index}`);
const moved: AlertRule = { when: 'moved', by: 2, direction: 'any' };

let open: RankedWorld | undefined;
afterEach(async () => {
  expect(open?.world.broken()).toEqual([]);
  open = undefined;
});

const at = (rank: number): Scene => ({ at: { [rank]: 'https://acme.example/a' } });

function tracked(more: Partial<Project> = {}): Project {
  const keywords = names.map((name) => keyword(name, { depth: 2 }));
  return project({ keywords, confirm: { share: 0.1 }, ...more });
}

/** Two quiet days, then one on which the given keywords have other ranks. */
async function begin(
  changes: Readonly<Record<string, number>>,
  more: Partial<Project> = {},
  options: Partial<WorldOptions> = {},
): Promise<RankedWorld> {
  const ranked = new RankedWorld([tracked(more)], options);
  open = ranked;
  ranked.rules = [moved];
  setRanks(ranked, {});
  await ranked.run(start);
  await ranked.run(start + dayMs);
  setRanks(ranked, changes);
  await ranked.run(today);
  return ranked;
}

/** All others rank 4. */
function setRanks(ranked: RankedWorld, changes: Readonly<Record<string, number>>): void {
  for (const name of names) ranked.scenes[name] = at(changes[name] ?? 4);
}

/** The keywords that an alert was written about, in order. */
function alerted({ world }: RankedWorld): unknown[] {
  return world
    .rows("SELECT payload ->> '$.alert.keyword' AS keyword FROM alert_deliveries ORDER BY id")
    .map((row) => row['keyword']);
}

/** The pages that runs of second looks have bought. */
function pagesOfLooks({ world }: RankedWorld): unknown {
  return world.value(
    `SELECT count(*) FROM purchases p JOIN reservations v ON v.id = p.reservation_id JOIN runs r ON r.id = v.run_id
     WHERE r.confirms IS NOT NULL AND p.state = 'paid'`,
  );
}

/** Of the keyword in the report of the third day. */
function significance({ world }: RankedWorld, name: string): string | undefined {
  const rows = world.table('rank-changes.csv', 'acme', '2026-01-17T0600');
  return rows.find((row) => row['keyword'] === name)?.['significance'];
}

describe('a second look', () => {
  it('makes a change certain, and its alert waits for it', async () => {
    const ranked = await begin({ k1: 12 }, {}, { reports: true });
    expect(alerted(ranked)).toEqual([]);
    await ranked.runDue(later);
    expect(alerted(ranked)).toEqual(['k1']);
    expect(significance(ranked, 'k1')).toBe('certain');
  });

  it('makes a change noise that is gone again, and writes no alert', async () => {
    const ranked = await begin({ k1: 12 }, {}, { reports: true });
    expect(significance(ranked, 'k1')).not.toBe('noise');
    setRanks(ranked, {});
    await ranked.runDue(later);
    await ranked.runDue(today + dayMs - 6 * 3_600_000);
    expect(alerted(ranked)).toEqual([]);
    expect(significance(ranked, 'k1')).toBe('noise');
  });

  it('shows that a target which seemed to be gone still ranks', async () => {
    const ranked = await begin({ k1: 99 }, {}, { reports: true });
    setRanks(ranked, {});
    await ranked.runDue(later);
    expect(alerted(ranked)).toEqual([]);
    expect(significance(ranked, 'k1')).toBe('noise');
  });

  it('is a check with purchases, and adds no ranking to the slot', async () => {
    const ranked = await begin({ k1: 12 });
    const before = ranked.world.rankings();
    await ranked.runDue(later);
    expect(ranked.world.rankings()).toEqual(before);
    expect(ranked.world.rows('SELECT state, depth, pages_read FROM checks WHERE run_id = 4')).toEqual([
      { state: 'ok', depth: 2, pages_read: 2 },
    ]);
    expect(pagesOfLooks(ranked)).toBe(2);
    expect(lastRuns(ranked.world.context, 2).map(({ runId, confirms }) => [runId, confirms])).toEqual([
      [4, 3],
      [3, undefined],
    ]);
    expect(ranked.world.store.reportRuns.latestReported('acme', later)?.id).toBe(3);
    await ranked.run(today + dayMs);
    expect(ranked.world.store.reportRuns.latestReported('acme', today + dayMs)?.id).toBe(5);
  });

  it('is not made within the first half hour, and once only', async () => {
    const ranked = await begin({ k1: 12 });
    await ranked.runDue(today + secondLookDelayMs - 60_000);
    expect(pagesOfLooks(ranked)).toBe(0);
    await ranked.runDue(later);
    await ranked.runDue(later + secondLookDelayMs);
    expect(pagesOfLooks(ranked)).toBe(2);
  });

  it('is bought anew where pages are fresh for hours', async () => {
    const ranked = await begin({ k1: 12 }, { freshForMs: 12 * 3_600_000 });
    await ranked.runDue(later);
    expect(pagesOfLooks(ranked)).toBe(2);
  });

  it('costs no more than its share, for changes that alert first', async () => {
    const changes = { k1: 9, k2: 9, k3: 9, k4: 9, k5: 9, k6: 12 };
    const ranked = await begin(changes);
    // 40 pages were bought: 4 for second looks
    expect(ranked.world.rows('SELECT sum(depth) AS pages FROM second_looks')).toEqual([{ pages: 4 }]);
    expect(alerted(ranked)).toHaveLength(6 - ranked.world.rows('SELECT * FROM second_looks').length);
    await ranked.runDue(later);
    expect(pagesOfLooks(ranked)).toBeLessThanOrEqual(4);
    expect(new Set(alerted(ranked))).toEqual(new Set(Object.keys(changes)));
  });

  it('that its day has not seen leaves the alert to the next run, unconfirmed', async () => {
    const ranked = await begin({ k1: 12 });
    await ranked.runDue(today + dayMs);
    expect(alerted(ranked)).toEqual(['k1']);
    expect(pagesOfLooks(ranked)).toBe(0);
  });

  it('that the budget has no room for is deferred, and the alert is written', async () => {
    const caps: Caps = { serp_credit: { perDay: 41 }, micro_usd: {} };
    const ranked = await begin({ k1: 12 }, {}, { caps });
    await ranked.runDue(later);
    expect(pagesOfLooks(ranked)).toBe(0);
    expect(ranked.world.rows('SELECT state FROM checks WHERE run_id = 4')).toEqual([{ state: 'deferred' }]);
    expect(alerted(ranked)).toEqual(['k1']);
    expect(ranked.world.store.checks.pasts([2], { withDeep: false })[0]?.wasDeferred).toBe(false);
  });

  it('that is halted writes a run-failed alert, once, beside those that waited for it', async () => {
    const ranked = await begin({ k1: 12 });
    ranked.rules = [moved, { when: 'run-failed' }];
    ranked.refuses = true;
    await ranked.runDue(later);
    const written = () =>
      ranked.world.rows("SELECT run_id, rule, payload ->> '$.alert.state' AS state FROM alert_deliveries ORDER BY id");
    expect(ranked.world.rows('SELECT state FROM runs WHERE id = 4')).toEqual([{ state: 'halted' }]);
    expect(written()).toEqual([
      { run_id: 3, rule: 'moved by 2 any', state: null },
      { run_id: 4, rule: 'run-failed', state: 'halted' },
    ]);
    ranked.refuses = false;
    await ranked.runDue(later + secondLookDelayMs);
    expect(written()).toHaveLength(2);
  });

  it('is not made where the project does not ask for it', async () => {
    const { confirm: _, ...plain } = tracked();
    open = new RankedWorld([plain]);
    open.rules = [moved];
    setRanks(open, {});
    await open.run(start);
    setRanks(open, { k1: 12 });
    await open.run(start + dayMs);
    expect(alerted(open)).toEqual(['k1']);
    expect(open.world.rows('SELECT * FROM second_looks')).toEqual([]);
  });
});

it('a process that is killed at any moment buys each second look once, and loses no alert', async () => {
  const step = 6;
  let died = true;
  let transactions = 0;
  for (let count = 1; died; count += step) {
    transactions = count;
    const options = { file: join(temporaryFolder(), 'rankledger.sqlite'), reports: temporaryFolder() };
    const first = await begin({ k1: 12, k2: 9 }, {}, { ...options, owner: deadOwner });
    const death = dieAt(first.world, count, count % 2 === 0 ? 'before' : 'after');
    await first.runDue(later).catch(() => undefined);
    await first.world.close();
    died = death.died;
    const second = new RankedWorld([tracked()], options);
    open = second;
    second.rules = [moved];
    setRanks(second, { k1: 12, k2: 9 });
    await second.runDue(later + 60_000);
    await second.runDue(later + 120_000);
    expect({
      count,
      alerted: alerted(second).toSorted(),
      pages: pagesOfLooks(second),
      broken: second.world.broken(),
    }).toEqual({
      count,
      alerted: ['k1', 'k2'],
      pages: 3,
      broken: [],
    });
    if (died) await second.world.close();
  }
  expect(transactions).toBeGreaterThan(8);
});

it('pages that come back empty in silence, 3 of 100, never report a target as dropped', async () => {
  const ranked = new RankedWorld([tracked()], { retryUnreadable: 0 });
  open = ranked;
  ranked.rules = [{ when: 'dropped-out-of', top: 10 }];
  const random = seeded(7);
  let empty = 0;
  let pages = 0;
  ranked.onPage = () => {
    ranked.perPage = random() < 0.03 ? 0 : 10;
    pages += 1;
    if (ranked.perPage === 0) empty += 1;
  };
  setRanks(ranked, {});
  const days = 10;
  for (let day = 0; day < days; day += 1) {
    await ranked.run(start + day * dayMs);
    await ranked.runDue(start + day * dayMs + secondLookDelayMs + 60_000);
  }
  process.stderr.write(
    `${empty} of ${pages} pages were empty, ${alerted(ranked).length} targets reported as dropped\n`,
  );
  expect(empty).toBeGreaterThan(0);
  expect(alerted(ranked)).toEqual([]);
});

describe('an adaptive plan', () => {
  it.each([
    [0, 10],
    [0.25, 8],
  ])('leaves second looks a share of %d of its credits', async (share, pages) => {
    const adaptive = { cadence: true, paging: true, atLeastEveryMs: 7 * dayMs };
    const caps: Caps = { serp_credit: { perDay: 10 }, micro_usd: {} };
    const ranked = new RankedWorld([tracked({ schedule: '0 6 * * *', adaptive, confirm: { share } })], { caps });
    open = ranked;
    setRanks(ranked, {});
    await ranked.run(start);
    expect(ranked.world.value('SELECT count(*) FROM pages')).toBe(pages);
  });
});
