// Services that choose among sources, of which one refuses access, fails or is slow.
import { describe, expect, it } from 'vitest';
import { SourceChoice } from '../../../jobs/check/source-choice.ts';
import { ServiceError } from '../../../src/service/index.ts';
import { bestParts } from '../../helpers/best-service.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { World } from '../../helpers/jobs.ts';

const at = Date.parse('2026-01-02T06:00Z');
const count = 40;

type Trouble = (page: number) => ServiceError | null;

/** Sources of one world; a trouble is asked with the number of the request. */
async function worldWith(
  troubles: Readonly<Record<string, Trouble>>,
  of: Parameters<typeof bestParts>[0]['of'] = ['dear', 'slow', 'cheap'],
) {
  const asked = new Map<string, number>();
  const parts = await bestParts({ of, at, count }, (name) => {
    const number = (asked.get(name) ?? 0) + 1;
    asked.set(name, number);
    const trouble = troubles[name]?.(number) ?? null;
    if (trouble !== null) throw trouble;
  });
  return { world: new World({ ...parts, clock: new JobClock(at), concurrency: 4 }), asked };
}

const noCredits = () => new ServiceError('INSUFFICIENT_CREDITS', 'No credits are left.', { charged: 'no' });
const unreachable = () =>
  new ServiceError('SERP_FAILED', 'The vendor does not answer.', { charged: 'no', disposition: 'retry' });

/** Checks by state, without doubles. */
const states = (world: World) =>
  world.rows(
    'SELECT state, count(*) AS n FROM checks WHERE id NOT IN (SELECT double_id FROM double_checks) GROUP BY 1 ORDER BY 1',
  );

describe('a source of several', () => {
  it('that has no credits left is skipped, and the run is complete', async () => {
    const { world } = await worldWith({ dear: (number) => (number > 10 ? noCredits() : null) });
    const [run] = await world.runSlot(at);
    expect(states(world)).toEqual([{ state: 'ok', n: count }]);
    expect(run?.halts).toEqual([]);
    expect(run?.problems).toEqual([
      'INSUFFICIENT_CREDITS: No credits are left (service dear): other sources took its searches',
    ]);
    expect(world.rows('SELECT state FROM runs')).toEqual([{ state: 'complete' }]);
    expect(world.broken()).toEqual([]);
  });

  it('that fails too often in a row is skipped while it is paused', async () => {
    const { world, asked } = await worldWith({ dear: unreachable });
    await world.runSlot(at);
    expect(states(world)).toEqual([{ state: 'ok', n: count }]);
    expect(asked.get('dear')).toBeLessThanOrEqual(40);
    expect(world.broken()).toEqual([]);
  });

  it('that charges for pages of no use is dear in status, however low its price is', async () => {
    const useless = () =>
      new ServiceError('UNREADABLE_RESPONSE', 'The page cannot be read.', { charged: 'yes', disposition: 'abandon' });
    const { world } = await worldWith({ cheap: useless }, ['cheap', 'dear']);
    await world.runSlot(at);
    expect(states(world)).toEqual([{ state: 'ok', n: count }]);
    const standings = new SourceChoice(world.context).standings();
    const priceOf = (name: string) => standings.find(({ source }) => source === name)?.microUsd ?? 0;
    expect(priceOf('cheap')).toBeGreaterThan(5);
    expect(priceOf('dear')).toBe(10);
  });

  it.each([
    ['charges nothing', 'no'],
    ['charges for it', 'yes'],
    ['leaves open what it charged', 'unknown'],
  ] as const)('that fails below page 1 and %s: the check goes on at the next one', async (_, charged) => {
    const asked: string[] = [];
    const parts = await bestParts({ of: ['cheap', 'slow', 'dear'], at, count, depth: 2 }, (name, { page, keyword }) => {
      asked.push(name);
      const isBad = name === 'cheap' && page === 2 && Number(keyword.split(' ').at(-1)) % 5 < 2;
      const body = charged === 'yes' ? { body: { contentType: 'text/html', text: 'no page' } as const } : {};
      if (isBad) throw new ServiceError('SERP_FAILED', 'It failed.', { charged, disposition: 'abandon', ...body });
    });
    const world = new World({ ...parts, clock: new JobClock(at), concurrency: 4 });
    await world.runSlot(at);
    expect(states(world)).toEqual([{ state: 'ok', n: count }]);
    const pages = `SELECT p.page, substr(p.source, instr(p.source, '=') + 1) AS source, count(*) AS n FROM check_pages cp
      JOIN checks c ON c.id = cp.check_id JOIN pages p ON p.id = cp.page_id WHERE c.id NOT IN (SELECT double_id FROM double_checks) GROUP BY 1, 2 ORDER BY 1, 2`;
    expect(world.rows(pages)).toEqual([
      { page: 1, source: 'cheap/sandbox', n: count },
      { page: 2, source: 'cheap/sandbox', n: count * 0.6 },
      { page: 2, source: 'slow/sandbox', n: count * 0.4 },
    ]);
    const { spent, unknown } = world.credits;
    expect(spent + unknown).toBe(asked.length - (charged === 'no' ? count * 0.4 : 0));
    expect(world.broken()).toEqual([]);
  });

  it('is the last: without any, the run halts as one of a single service does', async () => {
    const { world } = await worldWith({ dear: noCredits, slow: noCredits, cheap: noCredits });
    const [run] = await world.runSlot(at);
    expect(states(world)).toEqual([{ state: 'deferred', n: count }]);
    expect(run?.halts).toHaveLength(1);
    expect(world.rows('SELECT state FROM runs')).toEqual([{ state: 'halted' }]);
    expect(world.broken()).toEqual([]);
  });

  it('may be the only one that could be opened', async () => {
    const { world } = await worldWith({}, ['slow']);
    await world.runSlot(at);
    expect(states(world)).toEqual([{ state: 'ok', n: count }]);
    expect(world.rows('SELECT DISTINCT service FROM purchases')).toEqual([{ service: 'slow' }]);
  });
});
