// A service that buys each search from the cheapest source that is believed.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { invoke } from '../../cli/fake-host.ts';
import { projectFolder } from '../../cli/project-folder.ts';
import { runSlots } from '../../cli/real-app.ts';
import { afterDays, bestConfig, bestParts, readDatabase, slotsOf } from '../../helpers/best-service.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { dieAt } from '../../helpers/death.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { deadOwner, World } from '../../helpers/jobs.ts';
import { afterLyingDays, below, better, rival } from '../../helpers/lying-vendors.ts';

const world = { seed: 5, keywords: 60 };

describe('three sources of one world', () => {
  it('are used once they have agreed, the cheapest first, and their ranks compare', async () => {
    const { bought, named, ...shares } = await afterDays({ ...world, days: 9 });
    expect(shares).toMatchObject({ rightShare: 1, falseChangeShare: 0, notComparable: 0 });
    // the first looks are those of later days, within four weeks
    expect(shares.extraShare).toBeLessThanOrEqual(0.05);
    expect(bought.get('2026-01-01')?.dear).toBe(60);
    expect(bought.get('2026-01-09')?.cheap).toBeGreaterThanOrEqual(58);
    expect(named.size).toBe(0);
  });

  it('of which one lies from some day on: it is named, and its pages make no ranks', async () => {
    const lie = { lie: 'shuffled', lieFrom: '2026-01-05' };
    const { named, bought, ...shares } = await afterDays({ ...world, days: 28, lie });
    // which searches are compared is chance
    expect([...named.keys()]).toEqual(['cheap']);
    expect(['2026-01-06', '2026-01-07', '2026-01-08']).toContain(named.get('cheap'));
    expect(shares).toMatchObject({ rightShare: 1, falseChangeShare: 0, notComparable: 0 });
    expect(shares.extraShare).toBeLessThanOrEqual(0.03);
    expect(bought.get('2026-01-09')).toMatchObject({ slow: 60 });
  });

  it('of which one goes on selling the pages of one day: it is found, also if the first looks cleared it', async () => {
    const lie = { lie: 'frozen', lieFrom: '2026-01-05' };
    const { named, rightShare } = await afterDays({ seed: 11, keywords: 120, days: 16, lie });
    // which searches are compared is chance
    expect([...named.keys()]).toEqual(['cheap']);
    expect(rightShare).toBeGreaterThan(0.98);
  });

  it('of which one fails: its searches are made at the next one, and the run is complete', async () => {
    const folder = projectFolder(bestConfig({ ...world, days: 1, options: { dear: { blockedShare: 1 } } }, 'best'));
    await runSlots(folder, slotsOf(1));
    const read = readDatabase(folder.path);
    expect(
      read(
        'SELECT state, count(*) AS checks FROM checks WHERE id NOT IN (SELECT double_id FROM double_checks) GROUP BY 1',
      ),
    ).toEqual([{ state: 'ok', checks: 60 }]);
    expect(read('SELECT count(*) AS ranks FROM rankings')).toEqual([{ ranks: 60 }]);
  });

  it('are shown in status, and their money adds up', async () => {
    const folder = projectFolder(bestConfig({ ...world, days: 2 }, 'best'));
    await runSlots(folder, slotsOf(2));
    const asked = { cwd: folder.path, now: Date.parse('2026-01-02T12:00Z') };
    const { out } = await invoke(['status'], asked);
    expect(out).toMatch(/Sources of services of mode best/);
    const status = JSON.parse((await invoke(['status', '--json'], asked)).out);
    expect(status.sources).toMatchObject([
      { source: 'dear', belief: 'believed', looks: 6, microUsd: 10_000 },
      { source: 'slow', belief: 'believed', microUsd: 3000 },
      { source: 'cheap', belief: 'believed', microUsd: 1000 },
    ]);
    expect((await invoke(['audit'], asked)).exitCode).toBe(0);
  });
});

describe('a vendor that lies a little', () => {
  it.each([
    ['below page 1 only', { depth: 3, lie: below((links) => links.toReversed()) }],
    ['about a rival, by one rank', { lie: better(rival, 1) }],
  ])('%s is named within 7 days, and makes no ranks', async (_, world) => {
    const outcome = await afterLyingDays({ seed: 3, keywords: 80, days: 14, noise: 0, ...world });
    expect(outcome.named.get('cheap')).toBeLessThanOrEqual(7);
    expect(outcome.wronglyNamed).toEqual([]);
    expect(outcome.wrongShare).toBeLessThanOrEqual(0.01);
    expect(outcome.incomplete).toBe(0);
  });
});

describe('a process that dies while it compares sources', () => {
  const at = Date.parse('2026-01-02T06:00Z');

  it('before or after a transaction is durable: nothing is bought twice beyond what was in flight', async () => {
    let deaths = 0;
    for (let n = 1; n < 400; n += 9) {
      const sold: string[] = [];
      const parts = await bestParts({ of: ['dear', 'cheap'], at, count: 35 }, (name, { keyword, page }) => {
        sold.push(`${name} ${keyword} ${page}`);
      });
      const paths = { ...parts, file: join(temporaryFolder(), 'db.sqlite'), concurrency: 4 };
      const first = new World({ ...paths, clock: new JobClock(at), owner: deadOwner });
      const facts = dieAt(first, n, n % 2 === 0 ? 'before' : 'after');
      await first.runSlot(at).catch(() => undefined);
      await first.close();
      const second = new World({ ...paths, clock: new JobClock(at + 60_000) });
      await second.runSlot(at);
      expect(second.broken()).toEqual([]);
      const again = sold.length - new Set(sold).size;
      expect(again).toBeLessThanOrEqual(4);
      const { spent, unknown } = second.credits;
      expect(spent + unknown).toBeGreaterThanOrEqual(sold.length);
      await second.close();
      if (!facts.died) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(5);
  });
});
