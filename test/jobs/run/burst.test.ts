// A day on which more ranks move than usual: the run plans more checks, once, within the budget, also after a kill.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Project } from '../../../src/tracker/project.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { dieAt } from '../../helpers/death.ts';
import { deadOwner, keyword, project, type WorldOptions } from '../../helpers/jobs.ts';
import { RankedWorld } from '../../helpers/ranked-world.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const start = Date.UTC(2026, 0, 15, 6);
const quietDays = 10;
const burstDay = start + quietDays * dayMs;
const names = Array.from({ length: 20 }, (_, index) => `keyword ${String(index).padStart(2, '0')}`);
/** Of January, from the 15th on: each slot may spend 8 credits. */
const perMonth = 17 * 8;

function acme(): Project {
  return project({
    targets: [{ match: 'domain', value: 'acme.example' }],
    keywords: names.map((name) => keyword(name, { depth: 3 })),
    schedule: '0 6 * * *',
    paging: 'until-found',
    adaptive: { cadence: true, paging: true, atLeastEveryMs: 7 * dayMs },
  });
}

function worldWith(options: Partial<WorldOptions>): RankedWorld {
  return new RankedWorld([acme()], {
    caps: { serp_credit: { perMonth }, micro_usd: {} },
    ...options,
  });
}

/** Keyword n ranks n + 1, and those from 15 on do not rank; `moved`: every rank is another one. */
function setRanks(ranked: RankedWorld, moved: boolean): void {
  for (const [index, name] of names.entries()) {
    const rank = moved ? ((index + 10) % 20) + 1 : index + 1;
    ranked.scenes[name] = moved || index < 15 ? { at: { [rank]: 'https://acme.example/' } } : {};
  }
}

/** Lives the quiet days; then every rank moves. Returns the credits of the last quiet day. */
async function quiet(options: Partial<WorldOptions> = {}): Promise<{ ranked: RankedWorld; spent: number }> {
  const ranked = worldWith(options);
  setRanks(ranked, false);
  let spent = 0;
  for (let day = 0; day < quietDays; day += 1) {
    const before = ranked.world.credits.spent;
    await ranked.run(start + day * dayMs);
    spent = ranked.world.credits.spent - before;
  }
  setRanks(ranked, true);
  return { ranked, spent };
}

/** Keywords that the last run checked, and whether it planned twice. */
function lastRun({ world }: RankedWorld): { planned: unknown; checked: readonly unknown[] } {
  const [run] = world.rows("SELECT id, planned FROM runs WHERE kind = 'ranks' ORDER BY moment DESC LIMIT 1");
  const checked = world.rows(
    `SELECT k.text FROM checks c JOIN searches s ON s.id = c.search_id JOIN keywords k ON k.id = s.keyword_id
     WHERE c.run_id = ${Number(run?.['id'])} AND c.state = 'ok' ORDER BY k.text`,
  );
  return { planned: run?.['planned'], checked: checked.map(({ text }) => text) };
}

describe('a burst of changes', () => {
  it('makes the run check more keywords, once and within the budget', async () => {
    const { ranked, spent } = await quiet();
    const before = ranked.world.credits.spent;
    await ranked.run(burstDay);
    expect(ranked.world.credits.spent - before).toBeGreaterThan(spent * 1.3);
    expect(lastRun(ranked).planned).toBe(2);
    expect(ranked.world.credits.spent).toBeLessThanOrEqual(perMonth);
    expect(ranked.world.broken()).toEqual([]);
  });

  it('checks the same keywords if the process is killed at any transaction, less what lost purchases cost', async () => {
    const past = join(temporaryFolder(), 'past.sqlite');
    await (await quiet({ file: past })).ranked.world.close();
    const onBurstDay = (owner?: string): RankedWorld => {
      const ranked = worldWith({ file, reports, ...(owner !== undefined && { owner }) });
      setRanks(ranked, true);
      return ranked;
    };
    let [file, reports] = ['', ''];
    const fromPast = (): void => {
      [file, reports] = [join(temporaryFolder(), 'rankledger.sqlite'), temporaryFolder()];
      copyFileSync(past, file);
    };
    fromPast();
    const undisturbed = onBurstDay();
    await undisturbed.run(burstDay);
    const reference = lastRun(undisturbed);
    await undisturbed.world.close();
    let kills = 0;
    for (let died = true, transaction = 1; died; transaction += 4) {
      fromPast();
      const first = onBurstDay(deadOwner);
      const death = dieAt(first.world, transaction, transaction % 8 === 1 ? 'before' : 'after');
      await first.run(burstDay).catch(() => undefined);
      await first.world.close();
      died = death.died;
      kills += 1;
      const second = onBurstDay();
      await second.runDue(burstDay + 6 * hourMs);
      const { spent, unknown } = second.world.credits;
      const { planned, checked } = lastRun(second);
      const lost = reference.checked.filter((name) => !checked.includes(name)).length;
      expect({ transaction, planned, checked: checked.length + lost }).toEqual({
        transaction,
        planned: reference.planned,
        checked: reference.checked.length,
      });
      // a purchase that the kill cut off counts as spent: the second plan has that much less
      expect(lost, `transaction ${transaction}`).toBeLessThanOrEqual(unknown);
      expect(spent + unknown).toBeLessThanOrEqual(perMonth);
      expect(second.world.broken()).toEqual([]);
      await second.world.close();
    }
    console.info(`${kills} kills of a run that plans twice: the same keywords checked, within the budget`);
    expect(kills).toBeGreaterThan(5);
  });
});
