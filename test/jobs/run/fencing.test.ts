// A run has one owner at a time: writes of a process whose run was taken over fail and change nothing.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Store } from '../../../db/store.ts';
import { askSerp } from '../../../jobs/query/ask-service.ts';
import type { FetchQueue } from '../../../jobs/queue/queue.ts';
import { Scheduler, type SchedulerEvent } from '../../../jobs/run/scheduler.ts';
import { processNameOf } from '../../../src/service/index.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { clientOf, keyword, noCaps, project, resultsWith, World } from '../../helpers/jobs.ts';
import { startProvider } from '../../helpers/provider.ts';

const at = Date.UTC(2026, 0, 15, 6);
const minuteMs = 60_000;

/** An owner with our own pid and another start time counts as ended; this one counts as alive. */
const late = processNameOf(process.ppid);

describe('a process that was suspended in a run and continues after another took it over', () => {
  it('ends with one clear message, buys nothing more, and leaves the records of the other', async () => {
    const file = join(temporaryFolder(), 'db.sqlite');
    const stalled = Promise.withResolvers<void>();
    const thawed = Promise.withResolvers<void>();
    const provider = await startProvider({ results: () => resultsWith('https://acme.example/', 3) });
    const wrapQueue = (queue: FetchQueue): FetchQueue => ({
      ...queue,
      async fetchPage(job, settings) {
        const outcome = await queue.fetchPage(job, settings);
        if (provider.sold.serpCredits === 3) {
          stalled.resolve();
          await thawed.promise;
        }
        return outcome;
      },
    });
    const keywords = Array.from({ length: 6 }, (_, index) => keyword(`k${index}`, { depth: 1 }));
    const options = { provider, projects: [project({ keywords })], file, concurrency: 1 };
    const first = new World({ ...options, clock: new JobClock(at), owner: late, wrapQueue });
    const running = first.runSlot(at).catch((error: unknown) => error);
    await stalled.promise;
    const second = new World({ ...options, clock: new JobClock(at + minuteMs) });
    await second.runSlot(at);
    const soldToBoth = provider.sold.serpCredits;
    const before = second.rows('SELECT * FROM purchases ORDER BY id');
    thawed.resolve();
    const error = await running;
    expect(error).toMatchObject({ name: 'StoreError', code: 'RUN_TAKEN_OVER' });
    expect((error as Error).message).toMatch(/^run 1 was taken over by another process/);
    expect(second.rows('SELECT * FROM purchases ORDER BY id')).toEqual(before);
    expect(provider.sold.serpCredits).toBe(soldToBoth);
    expect(second.checks()).toEqual(keywords.map(({ keyword: text }) => `${text} ok 1`));
    expect(second.value("SELECT count(*) FROM purchases WHERE state = 'unknown'")).toBe(1);
    expect(second.credits.spent + second.credits.unknown).toBe(provider.sold.serpCredits);
    expect(second.broken()).toEqual([]);
    await Promise.all([first.close(), second.close()]);
    await provider.close();
  });

  it('of `schedule` continues with other runs, and reports the loss as an event', async () => {
    const provider = await startProvider();
    const file = join(temporaryFolder(), 'db.sqlite');
    const projects = [project({ schedule: '0 6 * * *' })];
    const world = new World({ provider, projects, file, clock: new JobClock(at), owner: late });
    const events: SchedulerEvent[] = [];
    const scheduler = new Scheduler(world.context, {
      ...world.settings(),
      onEvent: (event) => void events.push(event),
    });
    scheduler.tick();
    const other = new Store(world.db, noCaps);
    expect(other.runs.takeOver({ id: 1, epoch: 1 }, 'another', at)).toBe(true);
    await scheduler.idle();
    expect(events.map(({ kind }) => kind)).toEqual(['claimed', 'failed']);
    expect(events[1]).toMatchObject({ error: { code: 'RUN_TAKEN_OVER' } });
    expect(provider.sold.serpCredits).toBe(0);
    await world.close();
    await provider.close();
  });
});

describe('an owner that lost its run', () => {
  const open = () => {
    const world = new World({
      projects: [],
      services: new Map(),
      clock: new JobClock(at),
      owner: late,
    });
    const { store } = world;
    const keys = { day: '2026-01-15', month: '2026-01' };
    const runId = store.runs.open({ kind: 'adhoc', moment: at, owner: late, at }, [])?.id ?? 0;
    const request = { runId, checkId: null, currency: 'serp_credit', amount: 5, at, keys } as const;
    const reserved = store.transaction(() => store.ledger.reserve(request));
    const id = reserved.ok ? reserved.id : 0;
    const intent = { reservationId: id, service: 's', searchId: null, moment: at, page: null, price: 1, at };
    const bought = store.transaction(() => store.ledger.open({ ...intent, requestKey: 'first' }));
    return { world, runId, request, id, intent, purchaseId: bought.id };
  };

  it('can neither reserve, buy, settle, release nor close, and its attempts change nothing', async () => {
    const { world, runId, request, id, intent, purchaseId } = open();
    const { store } = world;
    new Store(world.db, noCaps).runs.takeOver({ id: runId, epoch: 1 }, 'another', at);
    const writes: Readonly<Record<string, () => unknown>> = {
      reserve: () => store.ledger.reserve(request),
      ensure: () => store.ledger.ensure(id, 9, at),
      open: () => store.ledger.open({ ...intent, requestKey: 'second' }),
      openFirst: () => store.ledger.openFirst({ ...intent, requestKey: 'second' }),
      settle: () => store.ledger.settle(purchaseId, { state: 'paid', at }),
      'settle for nothing': () => store.ledger.settle(purchaseId, { state: 'free', at }),
      release: () => store.ledger.release(id, at),
      recover: () => store.ledger.recover(runId, at),
      heartbeat: () => store.runs.heartbeat(runId, at + 1),
      markPlanned: () => store.runs.markPlanned(runId),
      close: () => store.runs.close(runId, { state: 'complete', reason: null, at }),
      markReported: () => store.runs.markReported(runId, at),
    };
    const rows = () =>
      ['runs', 'reservations', 'purchases', 'ledger', 'budget_windows'].map((table) =>
        world.rows(`SELECT * FROM ${table}`),
      );
    const before = rows();
    for (const [name, write] of Object.entries(writes)) {
      expect(() => store.transaction(write), name).toThrow(expect.objectContaining({ code: 'RUN_TAKEN_OVER' }));
    }
    store.runs.abandon(runId);
    expect(rows()).toEqual(before);
    await world.close();
  });

  it('of one request still returns the answer, and its purchase counts as unknown', async () => {
    const stalled = Promise.withResolvers<void>();
    const thawed = Promise.withResolvers<void>();
    const provider = await startProvider();
    const file = join(temporaryFolder(), 'db.sqlite');
    const clock = new JobClock(at);
    const client = clientOf(provider, clock);
    const serp = client.serp.bind(client);
    client.serp = async (...call) => {
      const received = await serp(...call);
      stalled.resolve();
      await thawed.promise;
      return received;
    };
    const first = new World({
      services: new Map([['vendor', client]]),
      projects: [project()],
      file,
      clock,
      owner: late,
    });
    const answer = askSerp(first.context, 'vendor', { keyword: 'k', country: 'US', language: 'en', mobile: false });
    await stalled.promise;
    const second = new World({
      provider,
      projects: [project()],
      file,
      clock: new JobClock(at + minuteMs),
    });
    await second.run({ kind: 'due' });
    thawed.resolve();
    expect((await answer).pages).toHaveLength(1);
    expect(second.credits).toEqual({ spent: 0, unknown: 1, open: 0 });
    expect(second.broken()).toEqual([]);
    await Promise.all([first.close(), second.close()]);
    await provider.close();
  });
});
