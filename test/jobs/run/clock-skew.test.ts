// Dates of answers as evidence of a clock jump: the run says so, and such a clock settles no slot.
import { describe, expect, it } from 'vitest';
import { WitnessedClock } from '../../../src/service/index.ts';
import { keyword, project } from '../../helpers/jobs.ts';
import { RankedWorld } from '../../helpers/ranked-world.ts';
import { bareServer, clientOf } from '../../helpers/remote.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const start = Date.UTC(2026, 0, 15, 6);

const shows = (at: number) => new WitnessedClock({ now: () => at, sleep: () => new Promise(() => undefined) }, () => 0);
const dated = (at: number) => new Date(at).toUTCString();

describe('a clock', () => {
  it.each([
    ['is 30 days ahead', 30 * dayMs, 30 * dayMs],
    ['is 2 hours behind', -2 * hourMs, -2 * hourMs],
    ['is half an hour ahead', hourMs / 2, null],
    ['is right', 0, null],
  ])('that %s is compared with the date of an answer', (_name, offMs, expected) => {
    const clock = shows(start + offMs);
    clock.witness({ date: dated(start) });
    expect(clock.skewMs).toBe(expected);
  });

  it('is compared with the newest dated answer, by the time that it left its cache', () => {
    const clock = shows(start);
    clock.witness({ date: dated(start - 30 * dayMs) });
    expect(clock.skewMs).toBe(30 * dayMs);
    for (const headers of [{}, { date: 'yesterday' }, { date: '' }]) clock.witness(headers);
    expect(clock.skewMs).toBe(30 * dayMs);
    clock.witness({ date: dated(start - 2 * dayMs), age: String((2 * dayMs) / 1000) });
    expect(clock.skewMs).toBeNull();
  });

  it('learns from the answers of a provider over HTTP, refusals included', async () => {
    const url = await bareServer(
      `HTTP/1.1 402 Payment Required\r\ndate: ${dated(start)}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
    );
    const clock = shows(start + 30 * dayMs);
    const client = clientOf(url, { clock, timeoutMs: 60_000 });
    const request = { keyword: 'shoes', country: 'US', language: 'en', device: 'desktop', page: 1 } as const;
    await client.serp(request, { idempotencyKey: 'k' } as never).catch(() => undefined);
    expect(clock.skewMs).toBe(30 * dayMs);
    const other = shows(start + 3 * dayMs);
    await clientOf(url, { clock: other }).probe(new AbortController().signal);
    expect(other.skewMs).toBe(3 * dayMs);
  });
});

describe('a run whose answers contradict the clock', () => {
  it('reports it in its log and remark, and no slot is recorded as missed until the clock is right', async () => {
    const warnings: unknown[] = [];
    const log = { debug() {}, info() {}, error() {}, warn: (_: unknown, message: string) => warnings.push(message) };
    const tracked = project({ schedule: '0 6 * * *', keywords: [keyword('shoes', { depth: 1 })] });
    const ranked = new RankedWorld([tracked], { log });
    const { world } = ranked;
    await ranked.run(start);
    expect(world.store.runs.run(1)?.remark).toBeNull();
    ranked.onPage = () => Object.assign(ranked.clock, { skewMs: 30 * dayMs });
    const [executed] = await ranked.run(start + dayMs);
    const words = expect.stringContaining('the clock of this machine is 30 days ahead of');
    expect(world.store.runs.run(2)?.remark).toEqual(words);
    expect(executed?.problems).toEqual([words]);
    expect(executed?.clock).toEqual(words);
    expect(warnings).toContain('clock of this machine is in doubt');
    ranked.clock.set(start + 5 * dayMs);
    await expect(world.run({ kind: 'due' })).rejects.toMatchObject({ code: 'CLOCK_IN_DOUBT', message: words });
    expect(world.store.runs.missedSlots(10)).toEqual([]);
    Object.assign(ranked.clock, { skewMs: null });
    ranked.onPage = () => undefined;
    ranked.clock.set(start + 8 * dayMs);
    await world.run({ kind: 'due' });
    expect(world.store.runs.missedSlots(10).length).toBeGreaterThan(0);
  });
});
