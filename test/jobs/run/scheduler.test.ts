// The ticks of the scheduler: which runs start, which wait, which are skipped, and that it survives failures.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Owner, openOwner } from '../../../jobs/ownership.ts';
import { duenessReport, runsUnderWay } from '../../../jobs/query/status.ts';
import { haltPauseMs } from '../../../jobs/run/due.ts';
import { runsMax, Scheduler, type SchedulerEvent } from '../../../jobs/run/scheduler.ts';
import { createSearchDataService, ServiceError } from '../../../src/service/index.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { createStretch } from '../../../src/tracker/schedule/schedule.ts';
import { closeLater, temporaryFolder } from '../../helpers/closing.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { deadOwner, keyword, livingOwner, project, service, World, type WorldOptions } from '../../helpers/jobs.ts';
import { type MemoryScript, memorySource, pageOf } from '../../helpers/memory-source.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const start = Date.UTC(2026, 0, 15, 6);

class SchedulerWorld {
  readonly world: World;
  readonly scheduler: Scheduler;
  readonly events: SchedulerEvent[] = [];
  readonly #owner: Owner = openOwner();

  constructor(projects: readonly Project[], script: MemoryScript = {}, more: Partial<WorldOptions> = {}) {
    const clock = more.clock ?? new JobClock(start);
    const services = new Map([[service, createSearchDataService({ source: memorySource(script), clock })]]);
    this.world = new World({ projects, services, clock, owner: this.#owner.name, ...more });
    this.scheduler = new Scheduler(this.world.context, {
      ...this.world.settings(),
      onEvent: (event) => this.events.push(event),
    });
  }

  /** Ticks and waits until no run is in progress. */
  async tick(at: number): Promise<void> {
    this.world.clock.set(at);
    this.scheduler.tick();
    await this.scheduler.idle();
  }

  get slots(): string[] {
    return this.world
      .rows(
        `SELECT p.name || ' ' || s.kind || ' ' || s.slot || ' ' || s.state || coalesce(': ' || s.reason, '') AS line
         FROM slots s JOIN projects p ON p.id = s.project_id ORDER BY s.at, s.kind, p.name`,
      )
      .map((row) => String(row['line']));
  }

  kinds(): string[] {
    return this.events.map(({ kind }) => kind);
  }

  async close(): Promise<void> {
    await this.world.close();
    this.#owner.close();
  }
}

const begin = (...options: ConstructorParameters<typeof SchedulerWorld>): SchedulerWorld =>
  closeLater(new SchedulerWorld(...options));

const daily = (more: Partial<Project> = {}): Project =>
  project({ schedule: '0 6 * * *', keywords: [keyword('a', { depth: 1 })], ...more });
const hourly = (more: Partial<Project> = {}): Project => daily({ schedule: '0 * * * *', ...more });

/** Pages that wait until `open` is called; `asked` resolves when this many wait. */
function gate() {
  const waiting: (() => void)[] = [];
  let isOpen = false;
  return {
    script: {
      page: async (request) => {
        if (!isOpen) await new Promise<void>((go) => waiting.push(go));
        return pageOf(request);
      },
    } satisfies MemoryScript,
    async asked(count: number): Promise<void> {
      while (waiting.length < count) await new Promise((resolve) => setImmediate(resolve));
    },
    open(): void {
      isOpen = true;
      for (const go of waiting.splice(0)) go();
    },
    waiting: () => waiting.length,
  };
}

describe('a tick of the scheduler', () => {
  it('runs what is due once, and reports it as events', async () => {
    const one = begin([daily(), daily({ id: 'globex' })]);
    one.scheduler.tick();
    await one.tick(start);
    await one.tick(start + minuteMs);
    expect(one.slots).toEqual(['acme ranks 2026-01-15T06:00 claimed', 'globex ranks 2026-01-15T06:00 claimed']);
    expect(one.kinds()).toEqual(['claimed', 'ended']);
    expect(one.events[0]).toMatchObject({ resumed: false, slots: [{ project: 'acme' }, { project: 'globex' }] });
    expect(one.scheduler.runsUnderWay).toBe(0);
  });

  it('starts runs of different projects concurrently up to a limit, and the others when one ends', async () => {
    const pages = gate();
    const projects = Array.from({ length: runsMax + 2 }, (_, index) =>
      hourly({ id: `p${index}`, schedule: `${index} * * * *`, keywords: [keyword(`k${index}`, { depth: 1 })] }),
    );
    const one = begin(projects, pages.script, { concurrency: 20 });
    one.world.clock.set(start + 10 * minuteMs);
    one.scheduler.tick();
    await pages.asked(runsMax);
    one.scheduler.tick();
    expect([one.scheduler.runsUnderWay, pages.waiting()]).toEqual([runsMax, runsMax]);
    pages.open();
    await one.scheduler.idle();
    expect(one.slots.length).toBe(runsMax + 2);
  });

  it('shares the concurrency of the queue among the runs in progress', async () => {
    const pages = gate();
    const many = Array.from({ length: 20 }, (_, index) => keyword(`k${index}`, { depth: 1 }));
    const others = many.map((one) => ({ ...one, keyword: `other ${one.keyword}` }));
    const one = begin(
      [hourly({ keywords: many }), hourly({ id: 'globex', schedule: '1 * * * *', keywords: others })],
      pages.script,
      { concurrency: 8 },
    );
    one.world.clock.set(start + 10 * minuteMs);
    one.scheduler.tick();
    await pages.asked(8);
    for (let tick = 0; tick < 20; tick += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(pages.waiting()).toBe(8);
    pages.open();
    await one.scheduler.idle();
    expect(one.world.store.checks.counts(1).ok + one.world.store.checks.counts(2).ok).toBe(40);
  });

  it('buys volumes by their own schedule, before the ranks of the same moment, and again the day after a failure', async () => {
    let fails = true;
    const one = begin([daily({ volumes: { schedule: '0 6 15 * *', limit: 33 } })], {
      metrics: ({ keyword: text }) => {
        if (fails) throw new ServiceError('WORKER_FAILED', 'No metrics today.');
        return [{ ...metrics, keyword: text }];
      },
    });
    await one.tick(start);
    expect(one.slots).toEqual(['acme ranks 2026-01-15T06:00 claimed', 'acme volumes 2026-01-15T06:00 claimed']);
    expect(one.world.rows('SELECT kind, state FROM runs ORDER BY id')).toEqual([
      { kind: 'volumes', state: 'partial' },
      { kind: 'ranks', state: 'complete' },
    ]);
    await one.tick(start + hourMs);
    expect(one.world.value("SELECT count(*) FROM runs WHERE kind = 'volumes'")).toBe(1);
    fails = false;
    await one.tick(start + dayMs);
    expect(one.world.value("SELECT state FROM runs WHERE kind = 'volumes' ORDER BY id DESC")).toBe('complete');
    await one.tick(start + 2 * dayMs);
    expect(one.world.value("SELECT count(*) FROM runs WHERE kind = 'volumes'")).toBe(2);
    await one.tick(Date.UTC(2026, 1, 15, 6));
    expect(one.world.value("SELECT count(*) FROM runs WHERE kind = 'volumes'")).toBe(3);
  });

  it('buys metrics that projects share once: one run of volumes at a time, followed by the other', async () => {
    const asked: string[] = [];
    const volumesAt = (minute: number) => ({ volumes: { schedule: `${minute} 6 15 * *`, limit: 33 } });
    const one = begin([project(volumesAt(0)), project({ id: 'globex', ...volumesAt(1) })], {
      metrics: async ({ keyword: text }) => {
        asked.push(text);
        await new Promise((resolve) => setImmediate(resolve));
        return [{ ...metrics, keyword: text }];
      },
    });
    one.world.clock.set(start + minuteMs);
    one.scheduler.tick();
    expect(one.scheduler.runsUnderWay).toBe(1);
    await one.scheduler.idle();
    expect(one.kinds()).toEqual(['claimed', 'ended', 'claimed', 'ended']);
    expect(asked).toEqual(['running shoes']);
    expect(one.world.broken()).toEqual([]);
  });

  it('starts nothing after the scheduler was retired or stopped', async () => {
    const [retired, stopped] = [begin([daily()]), begin([daily()])];
    retired.scheduler.retire();
    stopped.world.stop();
    for (const one of [retired, stopped]) {
      await one.tick(start);
      expect(one.slots).toEqual([]);
    }
  });
});

const metrics = {
  search_volume: 10,
  cpc: null,
  competition: null,
  competition_level: null,
  country: 'us',
  language: 'en',
  intent: null,
  related_keywords: null,
} as const;

describe('a slot whose project has a run in progress', () => {
  it('waits for its end under overlap: queue, and then follows catchUp', async () => {
    const pages = gate();
    const one = begin([hourly()], pages.script);
    one.scheduler.tick();
    await pages.asked(1);
    for (const hour of [1, 2]) {
      one.world.clock.set(start + hour * hourMs);
      one.scheduler.tick();
    }
    expect(one.slots).toEqual(['acme ranks 2026-01-15T06:00 claimed']);
    expect(duenessReport(one.world.context, one.world.projects, { scheduler: true })).toMatchObject([
      {
        due: true,
        runUnderWay: 1,
        overdueSince: null,
        reason: 'due at 2026-01-15T08:00; 1 earlier missed; waits for run 1, which is in progress',
      },
    ]);
    expect(runsUnderWay(one.world.context)).toMatchObject([{ runId: 1, done: 0, total: 1, isAlive: true }]);
    pages.open();
    await one.scheduler.idle();
    expect(one.slots).toEqual([
      'acme ranks 2026-01-15T06:00 claimed',
      'acme ranks 2026-01-15T07:00 missed: 2026-01-15T08:00 was run for it (catchUp: latest)',
      'acme ranks 2026-01-15T08:00 claimed',
    ]);
  });

  it('is skipped under overlap: skip, with a row that names the run', async () => {
    const pages = gate();
    const one = begin([hourly({ overlap: 'skip' })], pages.script);
    one.scheduler.tick();
    await pages.asked(1);
    one.world.clock.set(start + hourMs);
    one.scheduler.tick();
    pages.open();
    await one.scheduler.idle();
    expect(one.slots).toEqual([
      'acme ranks 2026-01-15T06:00 claimed',
      'acme ranks 2026-01-15T07:00 missed: run 1 was still in progress, and overlap is skip',
    ]);
    expect(one.events.filter(({ kind }) => kind === 'missed')).toHaveLength(1);
  });

  it.each(['queue', 'skip'] as const)(
    'is treated the same by `run`, where the run is another process: %s',
    async (overlap) => {
      const one = begin([hourly({ overlap })]);
      one.world.store.transaction(() =>
        one.world.store.runs.open({ kind: 'ranks', moment: start, owner: livingOwner, at: start }, [
          { project: 'acme', slot: '2026-01-15T06:00', at: start, timezone: 'UTC', localDate: '2026-01-15' },
        ]),
      );
      one.world.clock.set(start + hourMs);
      one.world.db.sql('UPDATE runs SET heartbeat_at = ?').run(start + hourMs);
      expect(await one.world.run({ kind: 'due' })).toEqual([]);
      expect(one.slots.length).toBe(overlap === 'skip' ? 2 : 1);
      one.scheduler.tick();
      expect(one.scheduler.runsUnderWay).toBe(0);
      expect(one.slots.length).toBe(overlap === 'skip' ? 2 : 1);
    },
  );

  it('is not skipped for a run of another kind', async () => {
    const one = begin([hourly({ overlap: 'skip' })]);
    one.world.store.transaction(() =>
      one.world.store.runs.open({ kind: 'volumes', moment: start, owner: livingOwner, at: start }, [
        { project: 'acme', slot: '2026-01-15T06:00', at: start, timezone: 'UTC', localDate: '2026-01-15' },
      ]),
    );
    await one.tick(start);
    expect(one.slots).toEqual(['acme volumes 2026-01-15T06:00 claimed']);
  });

  it('never runs next to it, whichever process ticks at the same moment', async () => {
    const file = join(temporaryFolder(), 'db.sqlite');
    const clock = new JobClock(start);
    const pages = gate();
    const [one, two] = [
      begin([hourly({ catchUp: 'all' })], pages.script, { file, clock }),
      begin([hourly({ catchUp: 'all' })], pages.script, { file, clock }),
    ];
    await Promise.all([one.tick(start - 5 * hourMs), Promise.resolve(pages.open())]);
    clock.set(start);
    for (let tick = 0; tick < 50; tick += 1) {
      one.scheduler.tick();
      two.scheduler.tick();
      expect(Number(one.world.value("SELECT count(*) FROM runs WHERE state = 'open'"))).toBeLessThanOrEqual(1);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all([one.scheduler.idle(), two.scheduler.idle()]);
    expect(one.slots.length).toBe(6);
    expect(one.world.broken()).toEqual([]);
  });
});

describe('jitter', () => {
  it('delays a start of the scheduler, says so, and does not apply to `run`', async () => {
    const one = begin([daily({ jitterSeconds: 3_600 })]);
    one.world.clock.set(start);
    const [dueness] = duenessReport(one.world.context, one.world.projects, { scheduler: true });
    expect(dueness).toMatchObject({ due: false, reason: expect.stringContaining('starts at 06:') });
    const startsAt = Date.parse(dueness?.startsAt ?? '');
    await one.tick(startsAt - 1);
    expect(one.slots).toEqual([]);
    await one.tick(startsAt);
    expect(one.slots).toEqual(['acme ranks 2026-01-15T06:00 claimed']);
    one.world.clock.set(start + dayMs);
    expect(duenessReport(one.world.context, one.world.projects)).toMatchObject([{ due: true, startsAt: null }]);
    expect((await one.world.run({ kind: 'due' })).length).toBe(1);
  });
});

describe('a scheduler survives', () => {
  it('a full disk: the run continues at the next tick', async () => {
    let freeBytes = 0;
    const one = begin([daily()], {}, { freeBytes: () => freeBytes });
    await one.tick(start);
    expect(one.kinds()).toEqual(['claimed', 'failed']);
    expect(one.events[1]).toMatchObject({ runId: 1, error: { code: 'DISK_FULL' } });
    await one.tick(start + minuteMs);
    freeBytes = Number.POSITIVE_INFINITY;
    await one.tick(start + 2 * minuteMs);
    expect(one.kinds().slice(-2)).toEqual(['claimed', 'ended']);
    expect(one.world.rows('SELECT id, state FROM runs')).toEqual([{ id: 1, state: 'complete' }]);
    expect(one.world.broken()).toEqual([]);
  });

  it('a tick that failed', async () => {
    const one = begin([daily()]);
    const openRuns = one.world.store.runs.openRuns.bind(one.world.store.runs);
    one.world.store.runs.openRuns = () => {
      throw new Error('the database is locked');
    };
    await one.tick(start);
    expect(new Set(one.kinds())).toEqual(new Set(['failed']));
    one.world.store.runs.openRuns = openRuns;
    await one.tick(start + minuteMs);
    expect(one.slots).toEqual(['acme ranks 2026-01-15T06:00 claimed']);
  });

  it('a halt: it leaves the service alone for a while, and then begins with deferred checks', async () => {
    let isDry = true;
    const one = begin(
      [daily(), daily({ id: 'globex', schedule: '5 6 * * *', keywords: [keyword('b', { depth: 1 })] })],
      {
        page: (request) => {
          if (isDry) throw new ServiceError('INSUFFICIENT_CREDITS', 'No credits.');
          return pageOf(request);
        },
      },
    );
    const yesterday = { key: '2026-01-14T06:05', at: start - dayMs };
    one.world.store.transaction(() =>
      one.world.store.runs.recordMissed(
        'ranks',
        'globex',
        createStretch('5 6 * * *', 'UTC', yesterday, yesterday),
        'before this test',
        start - dayMs,
      ),
    );
    await one.tick(start);
    expect(one.world.value('SELECT state FROM runs')).toBe('halted');
    await one.tick(start + 5 * minuteMs);
    expect(one.world.value('SELECT count(*) FROM runs')).toBe(1);
    const [, globex] = duenessReport(one.world.context, one.world.projects, { scheduler: true });
    expect(globex).toMatchObject({ project: 'globex', due: true });
    expect(globex?.reason).toContain('paused until 2026-01-15T06:15: run 1 was halted (INSUFFICIENT_CREDITS');
    isDry = false;
    await one.tick(start + haltPauseMs);
    expect(one.slots.at(-1)).toBe('globex ranks 2026-01-15T06:05 claimed');
    await one.tick(start + dayMs);
    expect(one.world.rows("SELECT id, state FROM runs WHERE state <> 'complete'")).toEqual([]);
  });

  it('a halt of one service: checks of other services in that run are not paused', async () => {
    const clock = new JobClock(start);
    const dry = {
      page: () => {
        throw new ServiceError('INSUFFICIENT_CREDITS', 'No credits.');
      },
    };
    const services = new Map([
      ['dry', createSearchDataService({ source: memorySource(dry), clock })],
      [service, createSearchDataService({ source: memorySource({}), clock })],
    ]);
    const frequent = { schedule: '*/5 * * * *' };
    const one = begin(
      [
        daily({ ...frequent, id: 'poor', service: 'dry' }),
        daily({ ...frequent, id: 'rich', keywords: [keyword('b', { depth: 1 })] }),
      ],
      {},
      { services, clock },
    );
    await one.tick(start);
    expect(one.world.value('SELECT state FROM runs')).toBe('halted');
    const paused = () =>
      duenessReport(one.world.context, one.world.projects, { scheduler: true })
        .filter(({ reason }) => reason.includes('paused until'))
        .map(({ project: id }) => id);
    one.world.clock.set(start + 5 * minuteMs);
    expect(paused()).toEqual(['poor']);
    await one.tick(start + 5 * minuteMs);
    expect(one.slots.filter((line) => line.includes('06:05'))).toEqual(['rich ranks 2026-01-15T06:05 claimed']);
  });

  it('the death of another process: its run continues, and its reports are written', async () => {
    const one = begin([daily()], {}, { reports: true });
    one.world.store.transaction(() =>
      one.world.store.runs.open({ kind: 'ranks', moment: start, owner: deadOwner, at: start }, [
        { project: 'acme', slot: '2026-01-15T06:00', at: start, timezone: 'UTC', localDate: '2026-01-15' },
      ]),
    );
    await one.tick(start + minuteMs);
    expect(one.events[0]).toMatchObject({ kind: 'claimed', resumed: true });
    expect(one.world.rows('SELECT id, state, reported_at IS NOT NULL AS reported FROM runs')).toEqual([
      { id: 1, state: 'complete', reported: 1 },
    ]);
  });
});

describe('two schedulers in one process', () => {
  it('leave each other alone until one of them is closed', async () => {
    const file = join(temporaryFolder(), 'db.sqlite');
    const clock = new JobClock(start);
    const pages = gate();
    const first = begin([daily()], pages.script, { file, clock });
    const second = begin([daily()], {}, { file, clock });
    first.scheduler.tick();
    await pages.asked(1);
    await second.tick(start + minuteMs);
    expect(second.events).toEqual([]);
    pages.open();
    await first.scheduler.idle();
    expect(second.world.rows('SELECT id, state FROM runs')).toEqual([{ id: 1, state: 'complete' }]);
  });
});
