// One search with its pages now and at its baseline: domains, targets, features. URLs are ids.

import type { NamedMarket } from '../tracker/project.ts';
import type { Destination } from '../tracker/targets/target.ts';

/** A feature of one page. */
interface ShownFeature {
  readonly type: string;
  /** 1-based. */
  readonly page: number;
  /** Its links, in order. */
  readonly urlIds: readonly number[];
}

/** The pages of a complete check from page 1 to the first that is missing. */
export interface Serp {
  /** UTC milliseconds. */
  readonly checkedAt: number;
  /** `service/source` */
  readonly source: string;
  /** Requested pages. */
  readonly depth: number;
  /** Pages read. */
  readonly pages: number;
  /** The engine said that nothing follows: other URLs have no rank at any depth. */
  readonly ended: boolean;
  /** The organic results by rank. */
  readonly urlIds: readonly number[];
  /** The domain id of each result. */
  readonly domains: readonly number[];
  /** The best rank of each domain on these pages, ascending. */
  readonly bestRanks: readonly number[];
  /** How many results the pages have in total down to each page, first page first. */
  readonly pageEnds: readonly number[];
  /** All ranks of each target, ascending. */
  readonly targets: readonly (readonly number[])[];
  /**
   * Targets whose rank or absence these pages do not prove, because a result with a hidden destination may be theirs.
   */
  readonly unproven: ReadonlySet<number>;
  /** Targets missing from these pages, which do not reach the depth. They have no clicks here, and may rank below. */
  readonly notFollowed: ReadonlySet<number>;
  /** In page order. */
  readonly features: readonly ShownFeature[];
}

/** A stored page, with URL ids. */
export interface SerpPage {
  readonly page: number;
  /** The engine said that nothing follows. */
  readonly last: boolean;
  /** In order. */
  readonly urlIds: readonly number[];
  readonly features: readonly { readonly type: string; readonly urlIds: readonly number[] }[];
}

/** Maps URLs to domains and targets. Domain ids begin with 1; 0 is no domain. */
export interface SerpSites {
  domainOf(urlId: number): number;
  domainName(domain: number): string;
  /** Indexes of the project's targets, ascending. */
  targetsOf(urlId: number): readonly number[];
  /** The other targets that a URL with a known site only may belong to. */
  possibleTargetsOf(urlId: number): readonly number[];
  destinationOf(urlId: number): Destination;
  /** Whether a URL belongs to no target, and hides nothing: most do. */
  isOther(urlId: number): boolean;
  /** Loads many URLs at once, before calls of `url`. */
  readUrls(urlIds: readonly number[]): void;
  url(urlId: number): string;
  readonly targets: readonly ReportTarget[];
}

/** A configured target. Own targets come first. */
export interface ReportTarget {
  readonly value: string;
  readonly role: 'own' | 'competitor';
}

/** A tracked keyword in a market. */
export interface SerpRow extends NamedMarket {
  readonly project: string;
  readonly keyword: string;
  readonly tags: readonly string[];
  readonly searchVolume: number | null;
  /** Null: the run has no complete check of this search; `note` gives the reason. */
  readonly now: Serp | null;
  /** The baseline check, complete; null: none is comparable. */
  readonly before: Serp | null;
  /** Why `before` is null. */
  readonly incomparable: 'first_check' | 'not_comparable' | null;
  /** Why a number is missing, and other remarks. */
  readonly note: string | null;
  /** Notes between baseline and check, printed in rows that report a change. */
  readonly happened?: string;
  /** The run of the check; null: not checked. */
  readonly runId: number | null;
}

/**
 * Finds targets that results prove nothing about, because some hide their destination. The same rule as in
 * `matchTargets`.
 */
export class HiddenResults {
  readonly #sites: SerpSites;
  readonly #possible = new Set<number>();
  #isSiteHidden = false;

  constructor(sites: SerpSites) {
    this.#sites = sites;
  }

  /** Results must come by rank. `isRanked`: whether an earlier result already ranks the target. */
  add(urlId: number, isRanked: (target: number) => boolean): void {
    const destination = this.#sites.destinationOf(urlId);
    if (destination === 'hidden') this.#isSiteHidden = true;
    if (destination !== 'host_only') return;
    for (const target of this.#sites.possibleTargetsOf(urlId)) if (!isRanked(target)) this.#possible.add(target);
  }

  unproven(isRanked: (target: number) => boolean): ReadonlySet<number> {
    if (!this.#isSiteHidden) return this.#possible;
    const absent = [...this.#sites.targets.keys()].filter((target) => !isRanked(target));
    return new Set([...this.#possible, ...absent]);
  }
}

const nowhere: readonly number[] = Object.freeze([]);

/** Builds a SERP from pages. A missing page ends it, because ranks beyond a gap are unknown. */
export function buildSerp(
  facts: Pick<Serp, 'checkedAt' | 'source' | 'depth'>,
  pages: readonly SerpPage[],
  sites: SerpSites,
): Serp {
  const urlIds: number[] = [];
  const domains: number[] = [];
  const bestRanks: number[] = [];
  const pageEnds: number[] = [];
  const targets: (readonly number[])[] = sites.targets.map(() => nowhere);
  const features: ShownFeature[] = [];
  const hidden = new HiddenResults(sites);
  const isRanked = (target: number): boolean => targets[target] !== nowhere;
  let ended = false;
  for (const { page, last, urlIds: ofPage, features: shown } of pages) {
    if (page !== pageEnds.length + 1) break;
    ended ||= last;
    for (const urlId of ofPage) {
      const domain = sites.domainOf(urlId);
      urlIds.push(urlId);
      // scanning a hundred numbers costs less than a set
      if (domain !== 0 && !domains.includes(domain)) bestRanks.push(urlIds.length);
      domains.push(domain);
      for (const target of sites.targetsOf(urlId)) targets[target] = [...(targets[target] ?? nowhere), urlIds.length];
      hidden.add(urlId, isRanked);
    }
    pageEnds.push(urlIds.length);
    for (const { type, urlIds: links } of shown) features.push({ type, page, urlIds: links });
  }
  const unproven = hidden.unproven(isRanked);
  const reach = { pages: pageEnds.length, ended, depth: facts.depth };
  const absent = provenDepth(reach) >= facts.depth ? [] : [...targets.keys()].filter((target) => !isRanked(target));
  const notFollowed = new Set(absent.filter((target) => !unproven.has(target)));
  return { ...facts, ...reach, urlIds, domains, bestRanks, pageEnds, targets, unproven, notFollowed, features };
}

/** The best rank of a domain; null: not on the pages. */
export function rankOfDomain({ domains }: Serp, domain: number): number | null {
  const index = domains.indexOf(domain);
  return index === -1 ? null : index + 1;
}

/** The page of a rank. */
export function pageOfRank({ pageEnds }: Serp, rank: number): number {
  return pageEnds.findIndex((end) => rank <= end) + 1;
}

/**
 * The depth to which an absence is proven: the full one if the engine said that nothing follows. The same rule as in
 * `matchTargets`.
 */
export function provenDepth({ pages, ended, depth }: Pick<Serp, 'pages' | 'ended' | 'depth'>): number {
  return ended ? Math.max(pages, depth) : pages;
}

/** Pages that both checks cover. */
export function commonPages(now: Serp, before: Serp): number {
  return Math.min(provenReach(now, now.pages), provenReach(before, before.pages));
}

/** Ranks that both checks cover. */
export function commonRanks(now: Serp, before: Serp): number {
  return Math.min(provenReach(now, now.urlIds.length), provenReach(before, before.urlIds.length));
}

function provenReach({ ended }: Serp, count: number): number {
  return ended ? Number.POSITIVE_INFINITY : count;
}
