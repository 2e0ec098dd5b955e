// The world of the faults: two projects with a daily schedule, a provider with its own books, a database file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Caps } from '../../../db/ledger/budget-windows.ts';
import { unexplainedSales } from '../../helpers/explained-sales.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { keyword, noCaps, project, World, type WorldOptions } from '../../helpers/jobs.ts';
import { type Provider, type ProviderOptions, startProvider } from '../../helpers/provider.ts';
import { judgeWindows } from '../../helpers/window-turns.ts';

export const dayMs = 86_400_000;
export const firstSlot = Date.UTC(2026, 0, 15, 6);
const schedule = '0 6 * * *';

export const keywordsEach = 6;
export const daily = ['acme', 'beta'].map((id) =>
  project({
    id,
    schedule,
    keywords: Array.from({ length: keywordsEach }, (_, index) => keyword(`${id} ${index}`, { depth: 1 })),
  }),
);

export interface SceneOptions {
  readonly provider?: ProviderOptions;
  readonly caps?: Caps;
  readonly projects?: WorldOptions['projects'];
}

export class Scene {
  readonly provider: Provider;
  readonly folder = mkdtempSync(join(tmpdir(), 'rankledger-fault-'));
  readonly file = join(this.folder, 'db.sqlite');
  readonly reports = join(this.folder, 'reports');
  readonly clock = new JobClock(firstSlot);
  readonly #options: SceneOptions;
  readonly #worlds = new Set<World>();

  static async open(options: SceneOptions = {}): Promise<Scene> {
    // pages that are equal for many keywords would count as repeated content
    const results = ({ keyword: text }: { keyword: string }) =>
      Array.from({ length: 30 }, (_, index) => `https://site${index}.example/${encodeURIComponent(text)}`);
    return new Scene(await startProvider({ results, pageSize: () => 10, ...options.provider }), options);
  }

  private constructor(provider: Provider, options: SceneOptions) {
    this.provider = provider;
    this.#options = options;
  }

  /** What one process has open. */
  world(more: Partial<WorldOptions> = {}): World {
    const { caps = noCaps, projects = daily } = this.#options;
    const { provider, file, reports, clock } = this;
    const world = new World({ provider, projects, file, reports, clock, caps, concurrency: 3, ...more });
    this.#worlds.add(world);
    return world;
  }

  /** Runs what is due at that time. */
  async due(world: World, at: number): Promise<void> {
    this.clock.set(at);
    await world.run({ kind: 'due' });
  }

  async leave(world: World): Promise<void> {
    this.#worlds.delete(world);
    await world.close();
  }

  async close(): Promise<void> {
    for (const world of this.#worlds) await world.close();
    await this.provider.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** What must always be true: ledger, budget, sales, ended runs, and a run for each slot of each project. */
  violations(world: World, slots: readonly number[]): string[] {
    const sales = this.provider.sales.map(({ idempotencyKey }) => idempotencyKey ?? '');
    return [
      ...world.broken(),
      ...judgeWindows(world, (this.#options.caps ?? noCaps).serp_credit).wrong,
      ...unexplainedSales(world, sales),
      ...world
        .rows("SELECT id, owner FROM runs WHERE state = 'open' OR reported_at IS NULL")
        .map(({ id }) => `run ${id} has not ended`),
      ...world.projects.flatMap(({ id }) => slots.flatMap((at) => slotProblem(world, id, at))),
    ];
  }
}

/** A slot has a run that was opened on its day and read all keywords of its project. */
function slotProblem(world: World, id: string, at: number): string[] {
  const slot = `${id} ${new Date(at).toISOString()}`;
  const [row] = world.rows(
    `SELECT s.state, r.opened_at, (SELECT count(*) FROM checks c WHERE c.run_id = r.id AND c.state <> 'ok') AS bad
     FROM slots s JOIN projects p ON p.id = s.project_id LEFT JOIN runs r ON r.id = s.run_id
     WHERE p.name = '${id}' AND s.kind = 'ranks' AND s.at = ${at}`,
  );
  if (row === undefined) return [`${slot} was never run`];
  const { state, opened_at: openedAt, bad } = row;
  if (state !== 'claimed' || Math.abs(Number(openedAt) - at) > dayMs) return [`${slot} was not run on its day`];
  return Number(bad) === 0 ? [] : [`${slot}: ${bad} checks failed`];
}

/** Runs the work on a scene and closes it. */
export async function inScene<T>(options: SceneOptions, work: (scene: Scene) => Promise<T>): Promise<T> {
  const scene = await Scene.open(options);
  try {
    return await work(scene);
  } finally {
    await scene.close();
  }
}
