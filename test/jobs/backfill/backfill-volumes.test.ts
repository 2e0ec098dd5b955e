// A backfill of volumes buys the metrics that the month lacks; forced, it buys them again and keeps the older ones.
import { describe, expect, it } from 'vitest';
import { lackingVolumes, type VolumesBackfillOptions, volumesBackfill } from '../../../jobs/backfill/backfill.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { deadOwner, keyword, livingOwner, project, resultsWith, World } from '../../helpers/jobs.ts';
import { type Provider, type ProviderOptions, startProvider } from '../../helpers/provider.ts';

const hourMs = 3_600_000;
const start = Date.UTC(2026, 0, 15, 6);

const withVolumes = (keywords: readonly string[], more: Partial<Project> = {}): Project =>
  project({
    keywords: keywords.map((text) => keyword(text, { depth: 1 })),
    volumes: { schedule: '0 4 2 * *', limit: 33 },
    ...more,
  });

async function begin(projects: Project[], options: ProviderOptions = {}) {
  const provider = await startProvider({ results: () => resultsWith('https://acme.example/', 1), ...options });
  const world = new World({ provider, projects });
  world.clock.set(start);
  return { provider, world };
}

const backfill = (world: World, options: Partial<VolumesBackfillOptions> = {}) =>
  world.run(volumesBackfill(world.context, world.projects, { keywords: [], force: false, ...options }));

const asked = (provider: Provider): unknown[] =>
  provider.requests.filter(({ path }) => path.endsWith('keyword-data')).map(({ body }) => body['keyword']);

const stored = (world: World): string[] =>
  world
    .rows(
      `SELECT k.text || ' ' || v.service || ' ' || v.month || ' ' || coalesce(v.search_volume, 'unknown') AS line
       FROM volumes v JOIN keywords k ON k.id = v.keyword_id ORDER BY k.text, v.service`,
    )
    .map((row) => String(row['line']));

/** The volumes as a report of this month reads them. */
const read = (world: World, text: string): number | null | undefined =>
  world.store.trackedRows.of({
    runs: [{ id: 0, moment: start }],
    project: 'acme',
    target: 'domain:acme.example',
    market: { service: 'vendor', country: 'US', language: 'en', device: 'desktop' },
    keywords: [text],
    baselines: { from: 0, until: 0 },
    month: '2026-01',
  })[0]?.metrics?.searchVolume;

describe('a backfill of volumes', () => {
  it('buys what the month lacks without waiting for the schedule, and nothing twice', async () => {
    const { world, provider } = await begin([withVolumes(['shoes', 'hats', 'coats'])]);
    await backfill(world, { keywords: ['hats'] });
    expect(asked(provider)).toEqual(['hats']);
    await backfill(world);
    expect(asked(provider)).toEqual(['hats', 'shoes', 'coats']);
    expect(await backfill(world)).toEqual([]);
    expect(world.rows('SELECT kind, origin, state FROM runs')).toEqual([
      { kind: 'volumes', origin: 'backfill', state: 'complete' },
      { kind: 'volumes', origin: 'backfill', state: 'complete' },
    ]);
    expect(world.rows('SELECT DISTINCT kind FROM slots')).toEqual([{ kind: 'backfill' }]);
    expect(world.store.audit.totals('micro_usd').spent).toBe(provider.sold.microUsd);
    expect(world.broken()).toEqual([]);
  });

  it('leaves out projects that buy no metrics', async () => {
    const { world } = await begin([project(), withVolumes(['shoes'], { id: 'globex' })]);
    const needs = lackingVolumes(world.context, world.projects, { keywords: [], force: false }, start);
    expect(needs.flatMap(({ keywords }) => keywords)).toEqual(['shoes']);
  });

  it('requests everything again if it is forced, reads the newest values and keeps the older ones', async () => {
    const { world, provider } = await begin([withVolumes(['shoes'])]);
    await backfill(world);
    const [known] = stored(world);
    for (const volume of [200, 300]) {
      world.clock.advance(hourMs);
      const data = [{ keyword: 'shoes', search_volume: volume, cpc: 1, competition: 5, competition_level: 'low' }];
      provider.next({ answer: { success: true, result_count: 1, cost: 0.01, data } });
      await backfill(world, { force: true });
    }
    expect(asked(provider)).toEqual(['shoes', 'shoes', 'shoes']);
    const all = stored(world);
    expect(all).toHaveLength(3);
    expect(all[0]).toBe(known);
    expect(all.slice(1).map((line) => line.replace(/#\d+/, '#n').split(' ').slice(0, 3).join(' '))).toEqual([
      'shoes vendor#n 2026-01',
      'shoes vendor#n 2026-01',
    ]);
    expect(read(world, 'shoes')).toBe(300);
    expect(world.store.audit.totals('micro_usd').spent).toBe(provider.sold.microUsd);
    expect(world.broken()).toEqual([]);
  });

  it('that was interrupted is closed by the next start, which buys no more than was requested', async () => {
    const { world, provider } = await begin([withVolumes(['shoes', 'hats'])]);
    const moment = start - hourMs;
    const slot = {
      project: 'acme',
      slot: '2026-01-15T05:00:00.000',
      at: moment,
      timezone: 'UTC',
      localDate: '2026-01-15',
    };
    world.store.runs.open({ kind: 'volumes', origin: 'backfill', moment, owner: deadOwner, at: moment }, [slot]);
    const [resumed] = await backfill(world, { keywords: ['hats'] });
    expect(resumed).toMatchObject({ runId: 1, resumed: true });
    expect(resumed?.problems[0]).toMatch(/was interrupted/);
    expect(world.rows('SELECT state FROM runs ORDER BY id')).toEqual([{ state: 'partial' }, { state: 'complete' }]);
    expect(asked(provider)).toEqual(['hats']);
  });

  it('that is stopped keeps what it has bought and closes', async () => {
    const { world, provider } = await begin([withVolumes(['shoes', 'hats', 'coats'])]);
    const [stopped] = await world.run(volumesBackfill(world.context, world.projects, { keywords: [], force: false }), {
      onProgress: ({ done }) => (done === 1 ? world.stop() : undefined),
    });
    expect(asked(provider)).toEqual(['shoes']);
    expect(stopped).toMatchObject({ interrupted: false });
    expect(world.rows('SELECT state FROM runs ORDER BY id')).toEqual([{ state: 'partial' }]);
    expect(world.broken()).toEqual([]);
  });

  it('waits while metrics of another project are bought: both might buy the same ones', async () => {
    const other = withVolumes(['shoes'], { id: 'other' });
    const { world, provider } = await begin([withVolumes(['shoes']), other]);
    world.store.transaction(() =>
      world.store.runs.open({ kind: 'volumes', moment: start, owner: livingOwner, at: start }, [
        { project: 'other', slot: '2026-01-15T06:00', at: start, timezone: 'UTC', localDate: '2026-01-15' },
      ]),
    );
    const [mine] = world.projects;
    const request = volumesBackfill(world.context, mine === undefined ? [] : [mine], { keywords: [], force: false });
    await expect(world.run(request)).rejects.toMatchObject({ code: 'RUN_IN_PROGRESS' });
    expect(asked(provider)).toEqual([]);
  });
});
