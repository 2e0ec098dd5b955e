// What history knows of the simulated searches, and what the checks of a simulation saw of them.
import type { Store } from '../../../db/store.ts';
import { expandSearches, type Project, type TrackedKeyword } from '../../tracker/project.ts';
import { dayMs } from '../../tracker/schedule/time-units.ts';
import { seenDownTo } from '../../tracker/signal/sightings.ts';
import type { DailyLook } from '../../tracker/signal/simulation.ts';
import { targetKey } from '../../tracker/targets/target.ts';
import type { KeywordOutlook } from './forecast-policies.ts';

/** Ranks and volumes that the database knows before the simulation. */
export class KnownHistory {
  readonly withRank: number;
  readonly #volumes = new Map<string, number | null>();
  readonly #ranks = new Map<string, number | null>();
  readonly #medianVolume: number;

  /** `since`: older ranks are left out, as in the plan and the world. UTC milliseconds. */
  constructor(store: Store, projects: readonly Project[], since: number) {
    const volumes = store.sightings.volumes();
    let withRank = 0;
    for (const project of projects) {
      const ranks = lastRanks(store, project, since);
      for (const keyword of project.keywords) {
        for (const search of expandSearches(project, keyword)) {
          const key = JSON.stringify(search);
          const searchId = store.names.knownSearchId(search);
          if (searchId === null) continue;
          this.#volumes.set(key, volumes.get(searchId) ?? null);
          if (ranks.has(searchId)) withRank += 1;
          this.#ranks.set(key, ranks.get(searchId) ?? null);
        }
      }
    }
    const sorted = [...this.#volumes.values()].flatMap((volume) => volume ?? []).sort((a, b) => a - b);
    this.#medianVolume = sorted[Math.floor(sorted.length / 2)] ?? 1;
    this.withRank = withRank;
  }

  /** Searches a month of a followed target's search; the median where it is unknown. */
  volume(lookKey: string): number {
    return this.#volumes.get(lookKey.slice(lookKey.indexOf('\0') + 1)) ?? this.#medianVolume;
  }

  outlookOf(project: Project, keyword: TrackedKeyword): KeywordOutlook {
    const keys = [...expandSearches(project, keyword)].map((search) => JSON.stringify(search));
    const ranks = keys.flatMap((key) => this.#ranks.get(key) ?? []);
    return {
      volume: keys.map((key) => this.#volumes.get(key) ?? null).find((volume) => volume !== null) ?? this.#medianVolume,
      rank: ranks.length === 0 ? null : Math.min(...ranks),
    };
  }
}

/** The last known rank of the first target, by search. */
function lastRanks(store: Store, { targets: [first] }: Project, since: number): Map<number, number | null> {
  const targetId = first === undefined ? null : store.names.knownTargetId(targetKey(first));
  const ranks = new Map<number, number | null>();
  if (targetId === null) return ranks;
  for (const [searchId, sightings] of store.sightings.ofTarget(targetId, since))
    ranks.set(searchId, sightings.at(-1)?.rank ?? null);
  return ranks;
}

/** The checks since the start, by target and search. */
export function readLooks(store: Store, projects: readonly Project[], start: number): Map<string, DailyLook[]> {
  const looks = new Map<string, DailyLook[]>();
  for (const project of projects) {
    const keys = new Map<number, string>();
    for (const keyword of project.keywords) {
      for (const search of expandSearches(project, keyword)) {
        const searchId = store.names.knownSearchId(search);
        if (searchId !== null) keys.set(searchId, JSON.stringify(search));
      }
    }
    for (const target of project.targets) {
      const targetId = store.names.knownTargetId(targetKey(target));
      if (targetId === null) continue;
      for (const [searchId, sightings] of store.sightings.ofTarget(targetId, start)) {
        const key = keys.get(searchId);
        if (key === undefined) continue;
        const list = sightings.map((sighting) => ({
          day: Math.floor((sighting.checkedAt - start) / dayMs),
          rank: sighting.rank,
          seenDownTo: seenDownTo(sighting),
        }));
        looks.set(`${targetKey(target)}\0${key}`, list);
      }
    }
  }
  return looks;
}

/** The rank on each day, from daily checks. A day without a check has the rank of the day before. */
export function ranksByDay(looks: readonly DailyLook[], days: number): (number | null)[] {
  const ranks: (number | null)[] = [];
  let at = 0;
  let rank = looks[0]?.rank ?? null;
  for (let day = 0; day < days; day += 1) {
    for (; (looks[at]?.day ?? days) <= day; at += 1) rank = looks[at]?.rank ?? null;
    ranks.push(rank);
  }
  return ranks;
}
