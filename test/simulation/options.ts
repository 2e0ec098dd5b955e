// The options of a seed: projects, budget, provider, processes and events. A seed that fails prints them.
import type { Caps } from '../../db/ledger/budget-windows.ts';
import type { Project, Target, TrackedKeyword } from '../../src/tracker/project.ts';
import { cronOf, dayMs, hourMs, minuteMs, type Timetable } from './calendar.ts';
import { trackedHosts } from './engine.ts';
import { drawMix, drawPhases } from './faults.ts';
import type { ProviderOptions } from './provider.ts';
import { Random } from './random.ts';

/** A project and the calendar from which its cron expression was derived. */
export interface SimulatedProject {
  readonly project: Project;
  readonly timetable: Timetable;
}

/** Where a process dies: at its nth commit from now, counted from 1. */
export interface Crash {
  readonly kind: 'crash';
  readonly commits: number;
  readonly moment: 'before' | 'inside' | 'after';
  /** Whether the next process has the name of the dead one, as a restarted container does. */
  readonly sameName: boolean;
  readonly downMs: number;
}

type Happening =
  | Crash
  /** A signal after this many commits or this much time; a second one soon after aborts what is in flight. */
  | { readonly kind: 'stop'; readonly commits: number; readonly twice: boolean; readonly downMs: number }
  /** The wall clock is set wrong, and corrected this much later; null: never. */
  | { readonly kind: 'clock'; readonly byMs: number; readonly forMs: number | null }
  | { readonly kind: 'full-disk'; readonly forMs: number }
  | { readonly kind: 'keyword-added' | 'keyword-removed' | 'competitor-added' }
  | { readonly kind: 'ad-hoc'; readonly what: 'serp' | 'keywords' }
  | { readonly kind: 'named-run' }
  | { readonly kind: 'reconcile' };

export interface Event {
  /** Elapsed milliseconds from the start. */
  readonly after: number;
  readonly what: Happening;
}

export interface SeedOptions {
  readonly seed: number;
  readonly start: number;
  readonly days: number;
  readonly projects: readonly SimulatedProject[];
  readonly caps: Caps;
  readonly provider: ProviderOptions;
  readonly concurrency: number;
  readonly requestsPerSecond: number;
  readonly processes: 1 | 2;
  readonly events: readonly Event[];
}

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'America/Sao_Paulo',
  'Pacific/Apia',
  'Africa/Cairo',
] as const;

/** Months with a clock change in some zone, with few days, and with neither. */
const starts = [
  Date.UTC(2026, 2, 1, 4),
  Date.UTC(2026, 2, 10, 11),
  Date.UTC(2026, 9, 10, 20),
  Date.UTC(2026, 3, 12, 1),
  Date.UTC(2026, 0, 15, 6),
  Date.UTC(2026, 1, 14, 23, 59),
] as const;

const words = ['shoes', 'boots', 'hats', 'coats', 'socks', 'belts', 'bags', 'rings', 'scarves', 'gloves'] as const;
export const serviceName = 'vendor';

export function drawOptions(seed: number, days: number): SeedOptions {
  const random = new Random(seed, 'options');
  const start = random.pick(starts) + random.whole(0, 59) * minuteMs;
  const count = random.pick([1, 1, 1, 2, 2, 3, 4]);
  const freshForMs = random.pick([0, 0, 0, 2 * hourMs, 12 * hourMs, 26 * hourMs]);
  const keepsKeys = random.chance(0.5);
  return {
    seed,
    start,
    days,
    projects: drawProjects(random, count, freshForMs),
    caps: drawCaps(random),
    provider: {
      mix: drawMix(random),
      phases: drawPhases(random, start, days),
      keepsKeys,
      latencyMs: random.pick([40, 400, 2000]),
    },
    concurrency: random.pick([1, 2, 3, 4, 6]),
    requestsPerSecond: random.pick([1, 5, 50, 100_000]),
    processes: random.chance(0.3) ? 2 : 1,
    events: drawEvents(random, days),
  };
}

/** Projects with the same keywords at the same moment share searches: half of the later ones do. */
function drawProjects(random: Random, count: number, freshForMs: number): SimulatedProject[] {
  const projects = Array.from({ length: count }, (_, index) => drawProject(random, index, freshForMs));
  const [first] = projects;
  return projects.map((one) => {
    if (first === undefined || one === first || random.chance(0.5)) return one;
    const { schedule, timezone, keywords } = first.project;
    const project = { ...one.project, ...(schedule === undefined ? {} : { schedule }), timezone, keywords };
    return { project, timetable: first.timetable };
  });
}

function drawProject(random: Random, index: number, freshForMs: number): SimulatedProject {
  const timezone = random.pick(zones);
  const timetable = drawTimetable(random);
  const hosts = random.some(trackedHosts, random.whole(1, 3));
  const own = hosts.slice(0, random.whole(1, hosts.length));
  const depth = random.pick([1, 1, 2, 3]);
  const project: Project = {
    id: `project-${index + 1}`,
    service: serviceName,
    targets: own.map((host) => targetOf(random, host)),
    competitors: hosts.slice(own.length).map((host) => targetOf(random, host)),
    schedule: cronOf(timetable),
    timezone,
    catchUp: random.pick(['none', 'latest', 'latest', 'all']),
    overlap: random.pick(['queue', 'queue', 'skip']),
    ...(random.chance(0.3) ? { jitterSeconds: random.pick([60, 600]) } : {}),
    paging: random.pick(['until-found', 'until-found', 'until-all-found', 'full', 'anchored']),
    ...(random.chance(0.3)
      ? { deep: { depth: depth + random.whole(1, 2), everyMs: random.pick([3, 7]) * dayMs } }
      : {}),
    freshForMs,
    keywords: random.some(words, random.pick([1, 1, 2, 3])).map((word) => drawKeyword(random, word, depth)),
    ...(random.chance(0.3) ? { volumes: { schedule: '0 4 2,9,20 * *', limit: random.pick([1, 33]) } } : {}),
  };
  return { project, timetable };
}

function drawTimetable(random: Random): Timetable {
  const minute = random.pick([0, 15, 30]);
  return random.pick<Timetable>([
    { minute, hours: [2], weekdays: null },
    { minute, hours: [random.whole(0, 23)], weekdays: null },
    { minute, hours: [2, 14], weekdays: [0, 6] },
    { minute, hours: [random.whole(0, 23)], weekdays: [1, 3, 5] },
    { minute, hours: [random.whole(0, 3)], weekdays: [0, 3] },
    { minute, hours: [random.whole(0, 23)], weekdays: [random.whole(0, 6)] },
  ]);
}

function targetOf(random: Random, host: string): Target {
  return random.chance(0.8) ? { match: 'domain', value: host } : { match: 'host', value: `www.${host}` };
}

export function drawKeyword(random: Random, word: string, depth: number): TrackedKeyword {
  return {
    keyword: word,
    country: random.pick(['US', 'US', 'DE']),
    language: 'en',
    devices: random.chance(0.2) ? ['desktop', 'mobile'] : ['desktop'],
    tags: [],
    priority: random.pick(['high', 'normal', 'normal', 'low']),
    depth: random.chance(0.2) ? depth + 1 : depth,
  };
}

/** A third of the seeds have no caps; the others run out now and then. */
function drawCaps(random: Random): Caps {
  if (random.chance(0.33)) return { serp_credit: {}, micro_usd: {} };
  const perRun = random.pick([undefined, 4, 8]);
  const perDay = random.pick([undefined, 6, 12]);
  const perMonth = random.pick([undefined, 60, 150]);
  return {
    serp_credit: {
      ...(perRun === undefined ? {} : { perRun }),
      ...(perDay === undefined ? {} : { perDay }),
      ...(perMonth === undefined ? {} : { perMonth }),
    },
    micro_usd: random.chance(0.5) ? { perMonth: 40_000 } : {},
  };
}

/** A third of the days have an event, mostly while a run is in progress. */
function drawEvents(random: Random, days: number): Event[] {
  const events = Array.from({ length: Math.round(days / 3) }, () => ({
    after: random.whole(1, days * 24 * 60) * minuteMs,
    what: drawHappening(random),
  }));
  return events.sort((a, b) => a.after - b.after);
}

function drawHappening(random: Random): Happening {
  const downMs = random.pick([minuteMs, 20 * minuteMs, 5 * hourMs, 30 * hourMs, 80 * hourMs]);
  const commits = random.whole(1, 25);
  switch (
    random.weighted({
      crash: 10,
      stop: 4,
      clock: 2,
      disk: 1,
      keyword: 3,
      competitor: 1,
      adhoc: 3,
      named: 2,
      reconcile: 1,
    })
  ) {
    case 'crash': {
      const moment = random.pick(['before', 'inside', 'after'] as const);
      return {
        kind: 'crash',
        commits,
        moment,
        sameName: random.chance(0.6),
        downMs: random.chance(0.5) ? minuteMs : downMs,
      };
    }
    case 'stop':
      return { kind: 'stop', commits, twice: random.chance(0.4), downMs };
    case 'clock':
      return {
        kind: 'clock',
        byMs: random.pick([-25 * hourMs, 25 * hourMs, -50 * minuteMs, 50 * minuteMs, -30 * dayMs, 30 * dayMs]),
        forMs: random.pick([null, 20 * minuteMs, 26 * hourMs]),
      };
    case 'disk':
      return { kind: 'full-disk', forMs: random.pick([hourMs, 30 * hourMs]) };
    case 'keyword':
      return { kind: random.pick(['keyword-added', 'keyword-removed'] as const) };
    case 'competitor':
      return { kind: 'competitor-added' };
    case 'adhoc':
      return { kind: 'ad-hoc', what: random.pick(['serp', 'keywords'] as const) };
    case 'named':
      return { kind: 'named-run' };
    case 'reconcile':
      return { kind: 'reconcile' };
  }
}
