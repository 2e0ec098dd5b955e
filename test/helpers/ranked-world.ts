// A world whose results pages a test writes as ranks: which site ranks where for which keyword, failures and features.

import { ranksBackfill } from '../../jobs/backfill/backfill.ts';
import type { ExecutedRun } from '../../jobs/run/run-request.ts';
import { createSearchDataService, type PageRequest, type ReadPage, ServiceError } from '../../src/service/index.ts';
import type { AlertRule } from '../../src/tracker/changes/alerts.ts';
import type { Project } from '../../src/tracker/project.ts';
import { JobClock } from './job-clock.ts';
import { service, World, type WorldOptions } from './jobs.ts';
import { memorySource, metricsOf } from './memory-source.ts';

/** The results of one keyword. */
export interface Scene {
  /** URLs by their 1-based rank; all others are invented sites. */
  readonly at?: Readonly<Record<number, string>>;
  /** Feature types with the URLs they link to. */
  readonly features?: Readonly<Record<string, readonly string[]>>;
  /** The page of the keyword cannot be fetched. */
  readonly fails?: true;
}

export class RankedWorld {
  readonly clock: JobClock;
  readonly world: World;
  /** By keyword; a keyword without an entry has none of our sites. */
  scenes: Record<string, Scene> = {};
  rules: AlertRule[] = [];
  channels: string[] = ['ops'];
  refuses = false;
  /** Organic results of each page; if there are none, the engine says that nothing was found. */
  perPage = 10;
  /** Called with the keyword before each page is returned. */
  onPage: (keyword: string) => void = () => undefined;
  /** The result of the source's free request. */
  onProbe: () => void = () => undefined;
  refusesMetrics = false;
  /** By keyword. */
  volumes: Record<string, number> = {};

  constructor(projects: readonly Project[], more: Partial<WorldOptions> & { readonly kind?: 'live' | 'sandbox' } = {}) {
    const { kind = 'live', ...options } = more;
    this.clock = options.clock ?? new JobClock();
    const source = memorySource({
      kind,
      probe: () => this.onProbe(),
      page: (request) => this.#page(request),
      metrics: ({ keyword }) => {
        if (this.refusesMetrics) throw new ServiceError('INSUFFICIENT_CREDITS', 'nothing is left');
        return [metricsOf(keyword, this.volumes[keyword] ?? null)];
      },
    });
    const services = new Map([[service, createSearchDataService({ source, clock: this.clock })]]);
    this.world = new World({ projects, services, clock: this.clock, ...options });
  }

  /** Runs the slot of a moment, for all projects. */
  async run(at: number): Promise<ExecutedRun[]> {
    this.clock.set(at);
    return await this.world.run({ kind: 'slot', projects: this.world.projects, at }, { alerts: this.#alerts });
  }

  /** Runs what is due at a moment. */
  async runDue(at: number): Promise<ExecutedRun[]> {
    this.clock.set(at);
    return await this.world.run({ kind: 'due' }, { alerts: this.#alerts });
  }

  /** Buys what the latest slot lacks. */
  async backfill(at: number): Promise<ExecutedRun[]> {
    this.clock.set(at);
    const { context, projects } = this.world;
    const options = { keywords: [], tags: [], pages: null, missing: true, failed: true };
    return await this.world.run(ranksBackfill(context, projects, options), { alerts: this.#alerts });
  }

  get #alerts() {
    return { channels: this.channels, rulesOf: () => this.rules };
  }

  #page({ keyword, page }: PageRequest): ReadPage {
    this.onPage(keyword);
    if (this.refuses) throw new ServiceError('INSUFFICIENT_CREDITS', 'nothing is left');
    const { at = {}, features = {}, fails } = this.scenes[keyword] ?? {};
    if (fails === true) throw new ServiceError('SERP_FAILED', 'the page could not be fetched');
    const organic = Array.from({ length: this.perPage }, (_, index) => {
      const rank = (page - 1) * this.perPage + index + 1;
      const link = at[rank] ?? `https://site${rank}.example/${encodeURIComponent(keyword)}`;
      return { rank: index + 1, global_rank: index + 1, title: `Result ${rank}`, link };
    });
    const shown = page === 1 ? Object.entries(features) : [];
    return {
      serp: organic.length === 0 ? {} : { organic },
      features: shown.map(([type, links]) => ({ type, links: [...links] })),
    };
  }
}
