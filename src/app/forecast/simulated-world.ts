// A world to simulate in: every target walks from its last rank, and result pages show it where it is on that day.

import type { Store } from '../../../db/store.ts';
import {
  type Clock,
  createSearchDataService,
  type PageRange,
  type PageRequest,
  type ReadPage,
  type SearchDataService,
  type SerpSource,
} from '../../service/index.ts';
import { expandSearches, marketName, type Project, type Target } from '../../tracker/project.ts';
import { daysBetween } from '../../tracker/schedule/time-units.ts';
import { searchKey } from '../../tracker/searches.ts';
import { groupPriors } from '../../tracker/signal/rates.ts';
import {
  evidenceOf,
  historyMs,
  noEvidence,
  type Sighting,
  seenDownTo,
  type TargetEvidence,
} from '../../tracker/signal/sightings.ts';
import {
  bestRank,
  type MoveCache,
  type Random,
  type SiteRanks,
  seededRandom,
  type WalkGroup,
  type WalkStart,
  walkRanks,
} from '../../tracker/signal/simulation.ts';
import {
  compileTargets,
  isPlace,
  type ListedPlace,
  matchesTarget,
  parsePlace,
  targetKey,
} from '../../tracker/targets/target.ts';

/** A site of the world: targets with results in common, such as a domain and its shop, each with its own link. */
interface Site {
  /** Pages before their site: a result that several targets match has the link of the page. */
  readonly targets: readonly { readonly target: Target; readonly link: string }[];
}

/** The sites and places of a search, each with its ranks on each day. */
interface SearchWorld {
  /** Makes the other links of this search unlike those of every other one. */
  readonly number: number;
  readonly sites: readonly { readonly links: readonly string[]; readonly walk: readonly SiteRanks[] }[];
  readonly places: readonly { readonly place: ListedPlace; readonly walk: readonly SiteRanks[] }[];
  /** Places that page 1 lists; 0: the project has none. */
  readonly listed: number;
}

interface WorldSpan {
  /** Local midnight before the first simulated day, UTC milliseconds. */
  readonly start: number;
  readonly days: number;
  readonly seed: number;
}

const resultsPerPage = 10;
/** Places in the local results of an ordinary page. Maps list more: as many as the history shows. */
const listedMin = 3;

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
    const starts = new Starts(store, project, this.#span.start - historyMs);
    const volumes = store.sightings.volumes();
    const places = project.targets.filter(isPlace);
    const listed = places.length === 0 ? 0 : Math.max(listedMin, ...places.map((target) => starts.deepestRank(target)));
    const searches = project.keywords.flatMap((keyword) =>
      [...expandSearches(project, keyword)].map((search) => ({ search, depth: keyword.depth })),
    );
    const byMarket = Map.groupBy(searches, ({ search: { market } }) => marketName(market));
    for (const members of byMarket.values()) {
      const depth = Math.max(...members.map((member) => member.depth));
      const known = members.map(({ search }) => {
        const searchId = store.names.knownSearchId(search);
        return {
          targets: project.targets.map((target) => starts.evidence(target, searchId)),
          volume: searchId === null ? null : (volumes.get(searchId) ?? null),
        };
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
        const walkOf = (targets: readonly Target[]): SiteRanks[] =>
          walkRanks(starts.read(targets, searchId), group, this.#span.days + 1, this.#random, moves);
        const sites = sitesOf(project).map(({ targets }) => ({
          links: targets.map(({ link }) => link),
          walk: walkOf(targets.map(({ target }) => target)),
        }));
        const places = project.targets
          .filter(isPlace)
          .map((target) => ({ place: listedAs(target), walk: walkOf([target]) }));
        this.#searches.set(key, { number: this.#searches.size + 1, sites, places, listed });
      }
    }
  }

  /** A service of the config that sells the pages of this world; `range`: what it sells besides single ones. */
  service(name: string, clock: Clock, range?: PageRange): SearchDataService {
    const serp: SerpSource = {
      name: 'simulation',
      kind: 'sandbox',
      range,
      fetchPage: async (request, { at }) => {
        const { page, through } = request;
        const numbers = through === undefined ? [page] : Array.from({ length: through }, (_, index) => index + 1);
        const pages = Object.fromEntries(numbers.map((page) => [page, this.#page(name, { ...request, page }, at)]));
        return {
          body: { contentType: 'text/html', text: JSON.stringify(pages) },
          observedAt: at,
          creditsStated: through === undefined ? undefined : range?.credits(through),
        };
      },
      // a body that this source made itself
      readPage: (body, { page }) => JSON.parse(body.text)[page] as ReadPage,
    };
    return createSearchDataService({ source: { serp }, clock });
  }

  #page(service: string, request: PageRequest, at: number): ReadPage {
    const { keyword, country, language, mobile, page, location } = request;
    const market = { service, country, language, device: mobile ? 'mobile' : 'desktop', location } as const;
    const { number, sites, places, listed } = this.#searches.get(searchKey({ keyword, market })) ?? unknownSearch;
    const day = Math.min(this.#span.days, Math.max(0, Math.floor(daysBetween(this.#span.start, at))));
    const taken = new Map<number, string>();
    for (const { links, walk } of sites) {
      for (const [index, link] of links.entries()) {
        const rank = walk[day]?.[index] ?? null;
        // one result has one link
        if (rank !== null && !taken.has(rank)) taken.set(rank, link);
      }
    }
    const organic = Array.from({ length: resultsPerPage }, (_, index) => {
      const rank = (page - 1) * resultsPerPage + index + 1;
      const link = taken.get(rank) ?? `https://result-${rank}.example/${number}`;
      return { rank: index + 1, global_rank: index + 1, title: keyword, link };
    });
    if (page > 1 || listed === 0) return { serp: { organic }, features: [] };
    const placeAt = (rank: number): ListedPlace =>
      places.find(({ walk }) => walk[day]?.[0] === rank)?.place ?? otherPlace(rank);
    const local = Array.from({ length: listed }, (_, index) => {
      const { name, cid = '', placeId = '', address = '' } = placeAt(index + 1);
      return { rank: index + 1, name, cid, place_id: placeId, address };
    });
    return { serp: { organic, local_results: local }, features: [] };
  }
}

const unknownSearch: SearchWorld = { number: 0, sites: [], places: [], listed: 0 };

function otherPlace(rank: number): ListedPlace {
  return { name: `place ${rank}`, cid: `simulated ${rank}`, placeId: `simulated ${rank}`, address: `${rank}` };
}

/** The place with what identifies it, as a list would show it. */
function listedAs({ value }: Target): ListedPlace {
  const place = parsePlace(value);
  const unknown = { ...otherPlace(0), name: value };
  if (place === null) return unknown;
  if (place.by === 'cid') return { ...unknown, cid: place.cid };
  return place.by === 'placeId' ? { ...unknown, placeId: place.placeId } : { ...unknown, ...place };
}

/** Targets in sites: those that match the link of another one belong to its site. */
function sitesOf({ targets, competitors }: Project): Site[] {
  const urls = [...targets, ...competitors].filter((target) => !isPlace(target));
  const all = urls.map((target) => ({ target, link: linkOf(target) }));
  const compiled = compileTargets(all.map(({ target }) => target));
  const sites: (typeof all)[] = [];
  for (const each of all.toSorted((a, b) => Number(isPage(b.target)) - Number(isPage(a.target)))) {
    const matched = new Set(compiled.matchingIndexes(each.link).flatMap((index) => all[index] ?? []));
    const site = sites.find((members) => members.some((member) => matched.has(member) || isMatchedBy(member, each)));
    if (site === undefined) sites.push([each]);
    else site.push(each);
  }
  return sites.map((members) => ({ targets: members }));
}

function isMatchedBy({ link }: { readonly link: string }, { target }: { readonly target: Target }): boolean {
  return matchesTarget(target, link);
}

function linkOf({ value }: Target): string {
  return value.includes('://') ? value : `https://${value}`;
}

function isPage({ match }: Target): boolean {
  return match === 'url' || match === 'prefix';
}

/** What history says about the targets of a project, by search. */
class Starts {
  readonly #sightings = new Map<string, Map<number, readonly Sighting[]>>();

  constructor(store: Store, { targets, competitors }: Project, since: number) {
    for (const target of [...targets, ...competitors]) {
      const key = targetKey(target);
      const targetId = store.names.knownTargetId(key);
      this.#sightings.set(key, new Map(targetId === null ? [] : store.sightings.ofTarget(targetId, since)));
    }
  }

  evidence(target: Target, searchId: number | null): TargetEvidence {
    return evidenceOf(this.#of(target, searchId));
  }

  /** The start of a site; ranks are in the order of its targets. */
  read(targets: readonly Target[], searchId: number | null): WalkStart {
    const histories = targets.map((target) => this.#of(target, searchId));
    const evidence = histories.map(evidenceOf);
    const last = evidence.map(({ rank }) => rank);
    const best = evidence.find(({ rank }) => rank !== null && rank === bestRank(last)) ?? evidence[0] ?? noEvidence;
    const deepest = Math.max(...histories.flat().map(seenDownTo));
    const moments = new Set(histories.flat().map(({ checkedAt }) => checkedAt));
    const past = [...moments].flatMap((at) => {
      const seen = histories.map((history) => history.find(({ checkedAt }) => checkedAt === at));
      // a shallow absence does not say where the target was
      const isProven = seen.every((each) => each !== undefined && (each.rank !== null || seenDownTo(each) === deepest));
      return isProven ? [seen.map((each) => each?.rank ?? null)] : [];
    });
    return { evidence: best, last, past };
  }

  /** In any search; 0: it never ranked. */
  deepestRank(target: Target): number {
    let deepest = 0;
    for (const sightings of this.#sightings.get(targetKey(target))?.values() ?? [])
      for (const { rank } of sightings) deepest = Math.max(deepest, rank ?? 0);
    return deepest;
  }

  #of(target: Target, searchId: number | null): readonly Sighting[] {
    return (searchId === null ? undefined : this.#sightings.get(targetKey(target))?.get(searchId)) ?? [];
  }
}
