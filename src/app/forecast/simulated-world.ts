// A world to simulate in: every target walks from its last rank, and result pages show it where it is on that day.
import type { Store } from '../../../db/store.ts';
import {
  type Clock,
  createSearchDataService,
  type PageRequest,
  type ReadPage,
  type SearchDataService,
  type SerpSource,
} from '../../service/index.ts';
import { expandSearches, type Project, type Search, type Target } from '../../tracker/project.ts';
import { groupPriors } from '../../tracker/signal/adaptive-plan.ts';
import { evidenceOf, noEvidence, type TargetEvidence } from '../../tracker/signal/evidence.ts';
import {
  type MoveCache,
  type Random,
  seededRandom,
  type WalkGroup,
  walkRanks,
} from '../../tracker/signal/rank-walk.ts';
import { compileTargets, targetKey } from '../../tracker/targets/target.ts';

/** A site of the world: one link that several targets may match, such as a domain and its shop. */
interface Site {
  readonly link: string;
  /** Of the project's targets, own ones before competitors. */
  readonly targets: readonly Target[];
}

/** The sites of a search, each with its rank on each day. */
interface SearchWorld {
  /** Makes the other links of this search unlike those of every other one. */
  readonly number: number;
  readonly sites: readonly { readonly link: string; readonly ranks: readonly (number | null)[] }[];
}

export interface WorldSpan {
  /** Local midnight before the first simulated day, UTC milliseconds. */
  readonly start: number;
  readonly days: number;
  readonly seed: number;
}

const dayMs = 86_400_000;
/** As in the adaptive plan: older rankings say little about how often a rank changes now. */
const historyMs = 120 * dayMs;
const resultsPerPage = 10;

/** The ranks of all searches on all simulated days. The same history and seed make the same world. */
export class SimulatedWorld {
  readonly #searches = new Map<string, SearchWorld>();
  readonly #span: WorldSpan;
  readonly #random: Random;

  constructor(span: WorldSpan) {
    this.#span = span;
    this.#random = seededRandom(span.seed);
  }

  /** Adds the searches of a project. Those that another project has too are shared. */
  add(store: Store, project: Project): void {
    const evidence = readEvidence(store, project, this.#span.start - historyMs);
    const volumes = store.sightings.volumes();
    const searches = project.keywords.flatMap((keyword) =>
      [...expandSearches(project, keyword)].map((search) => ({ search, depth: keyword.depth })),
    );
    const byMarket = Map.groupBy(
      searches,
      ({ search: { market } }) => `${market.country} ${market.language} ${market.device}`,
    );
    for (const members of byMarket.values()) {
      const depth = Math.max(...members.map((member) => member.depth));
      const known = members.map(({ search }) => {
        const searchId = store.names.knownSearchId(search);
        const targets = project.targets.map((target) => evidence(target, searchId));
        return { targets, volume: searchId === null ? null : (volumes.get(searchId) ?? null) };
      });
      const group: WalkGroup = {
        priors: groupPriors(known),
        depth,
        knownRanks: known.flatMap(({ targets }) =>
          targets.filter((each) => each.lookedAt !== null).map((each) => each.rank),
        ),
      };
      const moves: MoveCache = new Map();
      for (const { search } of members) {
        const key = searchKey(search);
        if (this.#searches.has(key)) continue;
        const searchId = store.names.knownSearchId(search);
        const sites = sitesOf(project).map(({ link, targets }) => ({
          link,
          ranks: walkRanks(
            bestEvidence(targets.map((target) => evidence(target, searchId))),
            group,
            this.#span.days + 1,
            this.#random,
            moves,
          ),
        }));
        this.#searches.set(key, { number: this.#searches.size + 1, sites });
      }
    }
  }

  /** A service of the config that sells the pages of this world. */
  service(name: string, clock: Clock): SearchDataService {
    const serp: SerpSource = {
      name: 'simulation',
      kind: 'sandbox',
      fetchPage: async (request, { at }) => ({
        body: { contentType: 'text/html', text: JSON.stringify(this.#page(name, request, at)) },
        observedAt: at,
      }),
      // a body that this source made itself
      readPage: (body) => JSON.parse(body.text) as ReadPage,
    };
    return createSearchDataService({ source: { serp }, clock });
  }

  #page(service: string, request: PageRequest, at: number): ReadPage {
    const { keyword, country, language, mobile, page } = request;
    const market = { service, country, language, device: mobile ? 'mobile' : 'desktop' } as const;
    const { number, sites } = this.#searches.get(searchKey({ keyword, market })) ?? { number: 0, sites: [] };
    const day = Math.min(this.#span.days, Math.max(0, Math.floor((at - this.#span.start) / dayMs)));
    const taken = new Map<number, string>();
    for (const { link, ranks } of sites) {
      let rank = ranks[day] ?? null;
      if (rank === null) continue;
      // two sites cannot share a rank
      while (taken.has(rank)) rank += 1;
      taken.set(rank, link);
    }
    const organic = Array.from({ length: resultsPerPage }, (_, index) => {
      const rank = (page - 1) * resultsPerPage + index + 1;
      const link = taken.get(rank) ?? `https://result-${rank}.example/${number}`;
      return { rank: index + 1, global_rank: index + 1, title: keyword, link };
    });
    return { serp: { organic }, features: [] };
  }
}

function searchKey({ keyword, market: { service, country, language, device } }: Search): string {
  return `${keyword}\0${service}\0${country}\0${language}\0${device}`;
}

/** The sites of a project's targets: the most specific link of each, and all targets that it matches. */
function sitesOf({ targets, competitors }: Project): Site[] {
  const all = [...targets, ...competitors];
  const compiled = compileTargets(all);
  const specific = all.toSorted((a, b) => Number(isPage(b)) - Number(isPage(a)));
  const sites: Site[] = [];
  const covered = new Set<Target>();
  for (const target of specific) {
    if (covered.has(target)) continue;
    const link = isPage(target) && target.value.includes('://') ? target.value : `https://${target.value}`;
    const matched = compiled.matchingIndexes(link).flatMap((index) => all[index] ?? []);
    for (const each of matched) covered.add(each);
    sites.push({ link, targets: matched });
  }
  return sites;
}

function isPage({ match }: Target): boolean {
  return match === 'url' || match === 'prefix';
}

/** The evidence of the target that ranks best: the others are found with it, or below it. */
function bestEvidence(all: readonly TargetEvidence[]): TargetEvidence {
  const below = Number.POSITIVE_INFINITY;
  return all.toSorted((a, b) => (a.rank ?? below) - (b.rank ?? below))[0] ?? noEvidence;
}

type EvidenceReader = (target: Target, searchId: number | null) => TargetEvidence;

function readEvidence(store: Store, { targets, competitors }: Project, since: number): EvidenceReader {
  const byTarget = new Map<string, Map<number, TargetEvidence>>();
  for (const target of [...targets, ...competitors]) {
    const key = targetKey(target);
    const targetId = store.names.knownTargetId(key);
    const bySearch = new Map<number, TargetEvidence>();
    byTarget.set(key, bySearch);
    if (targetId === null) continue;
    for (const [searchId, sightings] of store.sightings.ofTarget(targetId, since))
      bySearch.set(searchId, evidenceOf(sightings));
  }
  return (target, searchId) =>
    (searchId === null ? undefined : byTarget.get(targetKey(target))?.get(searchId)) ?? noEvidence;
}
