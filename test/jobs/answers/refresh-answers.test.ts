// Samples of AI answers: each is bought once in its period, within the budget, and every cent is explained.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Caps } from '../../../db/ledger/budget-windows.ts';
import { ServiceError } from '../../../src/service/index.ts';
import type { Project, TrackedPrompts } from '../../../src/tracker/project.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { dieAt } from '../../helpers/death.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { deadOwner, keyword, noCaps, project, service, World, type WorldOptions } from '../../helpers/jobs.ts';
import { type AnswerScript, answerPrice, memoryAnswers } from '../../helpers/memory-answers.ts';

const dayMs = 86_400_000;
/** A Thursday. */
const start = Date.UTC(2026, 0, 15, 6);
const monday = '2026-01-12';

let world: World | undefined;

const prompts = (more: Partial<TrackedPrompts> = {}): TrackedPrompts => ({
  engines: ['chatgpt'],
  samples: 2,
  every: 'week',
  list: [{ prompt: 'best shoes', country: 'US', language: 'en' }],
  ...more,
});

function begin(
  script: AnswerScript = {},
  more: Partial<Project>[] = [{}],
  caps: Caps = noCaps,
  options: Partial<WorldOptions> = {},
) {
  const clock = new JobClock();
  clock.set(start);
  const memory = memoryAnswers(clock, script);
  const projects = more.map((one) =>
    project({ keywords: [keyword('shoes', { depth: 1 })], prompts: prompts(), ...one }),
  );
  world = new World({ projects, services: new Map([[service, memory.service]]), caps, clock, ...options });
  return { world, ...memory };
}

const samples = (of: World): string[] =>
  of
    .rows("SELECT engine || ' ' || period || ' ' || sample AS line FROM answers ORDER BY period, engine, sample")
    .map((row) => String(row['line']));

const lost = (charged: 'yes' | 'no' | 'unknown') => () => {
  throw new ServiceError('WORKER_FAILED', 'The vendor is down.', { charged });
};

describe('AI answers', () => {
  it('are bought once for each sample of the week, after the checks of the run', async () => {
    const { world, asked } = begin();
    await world.run();
    expect(samples(world)).toEqual([`chatgpt ${monday} 1`, `chatgpt ${monday} 2`]);
    expect(world.checks()).toEqual(['shoes ok 1']);
    world.clock.set(start + dayMs);
    await world.run();
    expect(asked).toHaveLength(2);
    world.clock.set(start + 4 * dayMs);
    await world.run();
    expect(asked).toHaveLength(4);
    expect(samples(world)).toContain('chatgpt 2026-01-19 1');
    expect(world.store.audit.totals('micro_usd')).toMatchObject({ spent: 4 * answerPrice, unknown: 0, open: 0 });
    expect(world.broken()).toEqual([]);
  });

  it('keep the text and the cited pages in their order, each page once', async () => {
    const page = (name: string) => ({ url: `https://${name}.example/`, title: name });
    const { world } = begin({ answer: () => ({ citations: [page('b'), page('a'), page('b')], model: 'm-1' }) });
    await world.run();
    const search = { prompt: 'best shoes', engine: 'chatgpt', service, country: 'US', language: 'en' };
    expect(world.store.answers.list(search, monday, monday)[0]).toMatchObject({
      sample: 1,
      model: 'm-1',
      source: 'vendor/memory',
      text: 'Acme is a good choice.',
      citations: [page('b'), page('a')],
    });
  });

  it('are shared by projects: the larger number of samples counts', async () => {
    const { world, asked } = begin({}, [{}, { id: 'globex', prompts: prompts({ samples: 3 }) }]);
    await world.run();
    expect(asked.map(({ sample }) => sample).sort()).toEqual([1, 2, 3]);
  });

  it('that the budget has no room for are reported in one line, and bought with the next run of the week', async () => {
    const caps = { serp_credit: {}, micro_usd: { perDay: 3 * answerPrice } };
    const { world, asked } = begin({}, [{ prompts: prompts({ samples: 5 }) }], caps);
    const [run] = await world.run();
    expect(run?.problems).toEqual([
      'AI answers to "best shoes" (chatgpt, US, en) and 1 more: budget: needs 0.02 USD, 0.00 of 0.06 are left for the day 2026-01-15',
    ]);
    expect(asked).toHaveLength(3);
    world.clock.set(start + dayMs);
    const [later] = await world.run();
    expect(later?.problems).toEqual([]);
    expect(samples(world)).toHaveLength(5);
    expect(world.broken()).toEqual([]);
  });

  it('with an unknown outcome count as spent, and are not bought more than three times in a period', async () => {
    const { world, asked } = begin({ answer: lost('unknown') }, [{ prompts: prompts({ samples: 1 }) }]);
    await world.run();
    expect(asked).toHaveLength(3);
    await world.run();
    expect(asked).toHaveLength(3);
    expect(world.store.audit.totals('micro_usd')).toMatchObject({ spent: 0, unknown: 3 * answerPrice });
    expect(samples(world)).toEqual([]);
    expect(world.broken()).toEqual([]);
  });

  it('without a text are failures that were paid, and never answers that cite no page', async () => {
    const { world, asked } = begin({ answer: () => ({ text: ' ', citations: [] }) });
    const [run] = await world.run();
    expect(run?.problems.join()).toContain('without a text');
    expect(samples(world)).toEqual([]);
    expect(asked).toHaveLength(2);
    await world.run();
    expect(asked).toHaveLength(2);
  });

  it('of a service that refuses us stop at once, and leave the checks of the run alone', async () => {
    const refuse = () => {
      throw new ServiceError('INSUFFICIENT_CREDITS', 'No credits left.', { charged: 'no' });
    };
    const { world, asked } = begin({ answer: refuse, concurrency: 1 }, [{ prompts: prompts({ samples: 5 }) }]);
    const [run] = await world.run();
    expect(asked).toHaveLength(1);
    expect(run?.problems).toHaveLength(1);
    expect(world.checks()).toEqual(['shoes ok 1']);
    expect(world.store.runs.run(run?.runId ?? 0)?.state).toBe('partial');
  });

  it('cost what their source states, at most what was reserved', async () => {
    const { world } = begin({ answer: (_, call) => ({ microUsdStated: call === 1 ? 4_000 : 0 }) });
    await world.run();
    expect(world.store.audit.totals('micro_usd').spent).toBe(4_000 + answerPrice);
    expect(world.broken()).toEqual([]);
  });

  it('of a simulated source are of the week of the slot', async () => {
    const { world } = begin({ kind: 'sandbox' });
    await world.runSlot(start - 14 * dayMs);
    expect(samples(world)[0]).toBe('chatgpt 2025-12-29 1');
  });
});

it('a process that is killed at any moment leaves no answer unpaid, unexplained or missing', async () => {
  const step = 3;
  let died = true;
  let count = 1;
  for (; died; count += step) {
    const file = join(temporaryFolder(), 'rankledger.sqlite');
    const first = begin({}, [{}], noCaps, { file, owner: deadOwner });
    const death = dieAt(first.world, count, count % 2 === 0 ? 'before' : 'after');
    await first.world.run().catch(() => undefined);
    await first.world.close();
    died = death.died;
    const second = begin({}, [{}], noCaps, { file });
    second.world.clock.set(start + 3_600_000);
    await second.world.run();
    await second.world.run();
    const { spent, unknown, open } = second.world.store.audit.totals('micro_usd');
    const asked = first.asked.length + second.asked.length;
    expect({ count, samples: samples(second.world), spent, open, broken: second.world.broken() }).toEqual({
      count,
      samples: [`chatgpt ${monday} 1`, `chatgpt ${monday} 2`],
      spent: 2 * answerPrice,
      open: 0,
      broken: [],
    });
    // what was in flight at the death may be answered, lost or never sent: it counts as spent
    expect(unknown).toBeLessThanOrEqual(2 * answerPrice);
    expect(asked * answerPrice).toBeLessThanOrEqual(spent + unknown);
    await second.world.close();
  }
  expect(count).toBeGreaterThan(10);
});
