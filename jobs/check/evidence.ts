// The targets of a check, and what its pages prove about them: outcomes, features, why something stays unproven.

import type { ShownResult } from '../../db/history/appearances.ts';
import type { PageContents, StoredPage } from '../../db/history/checks/pages.ts';
import { withoutControls } from '../../src/report/alerts/alert-text.ts';
import type { AnsweredPage, LocalResult, OrganicResult, ReadPage, SerpPage } from '../../src/service/index.ts';
import type { Target } from '../../src/tracker/project.ts';
import {
  absoluteRanks,
  matchTargets,
  ownedFeatures,
  type RankedPage,
  type TargetOutcome,
} from '../../src/tracker/targets/match.ts';
import {
  type CompiledTargets,
  compileTargets,
  siteAddress,
  targetKey,
  trackedTargets,
} from '../../src/tracker/targets/target.ts';
import type { JobContext } from '../context.ts';

/** Own targets first, then competitors; a target that is one project's own and another's competitor is own. */
export interface CheckTargets {
  readonly list: readonly Target[];
  readonly ids: readonly number[];
  readonly ownCount: number;
  readonly compiled: CompiledTargets;
}

/** Returns the targets of any set of projects. */
export class TargetSets {
  readonly #context: JobContext;
  readonly #sets = new Map<string, Omit<CheckTargets, 'ids'>>();

  constructor(context: JobContext) {
    this.#context = context;
  }

  /** Interns the targets: call inside a transaction, for each check anew, because a rollback takes ids back. */
  of(projectIds: readonly string[]): CheckTargets {
    const key = projectIds.join('\u001f');
    let set = this.#sets.get(key);
    if (set === undefined) {
      set = this.#compile(projectIds);
      this.#sets.set(key, set);
    }
    const ids = set.list.map((target) =>
      this.#context.store.names.targetId({ identity: targetKey(target), match: target.match, value: target.value }),
    );
    return { ...set, ids };
  }

  #compile(projectIds: readonly string[]): Omit<CheckTargets, 'ids'> {
    const projects = projectIds.flatMap((id) => this.#context.projects.get(id) ?? []);
    const tracked = trackedTargets({
      targets: projects.flatMap(({ targets }) => targets),
      competitors: projects.flatMap(({ competitors }) => competitors),
    });
    const list = tracked.map(({ target }) => target);
    const ownCount = tracked.filter(({ role }) => role === 'own').length;
    return { list, ownCount, compiled: compileTargets(list) };
  }
}

/** A page that a check was read from, bought now or before. */
export type EvidencePage = Pick<
  StoredPage,
  'page' | 'organic' | 'lastGlobalRank' | 'features' | 'places' | 'last' | 'observedAt'
>;

interface Evidence {
  readonly outcomes: readonly TargetOutcome[];
  /** Feature names, in order of appearance. */
  readonly features: readonly string[];
  /** One list a target. */
  readonly owned: readonly (readonly string[])[];
}

/** What the store keeps of an answered page. The engine's numbers are kept; ranks over pages are counted by us. */
export function toContents(answer: ReadPage | AnsweredPage): PageContents & { readonly last: boolean } {
  const { serp } = answer;
  const { organic = [] } = serp;
  return {
    organic: organic.map((result) => ({
      url: result.destination_state === 'host_only' ? siteAddress(result.link) : result.link,
      globalRank: toGlobalRank(result.global_rank),
    })),
    lastGlobalRank: findLastGlobalRank(serp),
    features: answer.features,
    places: serp.local_results?.map(toPlace),
    last: organic.length === 0,
  };
}

/** Longer texts are cut: they come from the web. */
const shownMax = { titleCharacters: 300, snippetCharacters: 500, sitelinks: 12, sitelinkCharacters: 100 };

/**
 * What the organic results of own targets show. A field that no result of the page has is unknown, because its source
 * may not pass it on; where another result has it, a result without it has none. Results of an unknown page are left
 * out.
 */
export function ownAppearances(
  { serp: { organic = [] } }: Pick<ReadPage, 'serp'>,
  { compiled, ownCount }: Pick<CheckTargets, 'compiled' | 'ownCount'>,
): ShownResult[] {
  const isOwn = ({ link }: OrganicResult) => (compiled.matchingIndexes(link)[0] ?? ownCount) < ownCount;
  const own = organic.filter((result) => result.destination_state === undefined && isOwn(result));
  if (own.length === 0) return [];
  const hasSnippets = organic.some(({ description }) => description !== undefined);
  const hasSitelinks = organic.some((result) => sitelinksOf(result).length > 0);
  const hasImages = organic.some(({ image }) => image !== undefined);
  return own.map((result) => ({
    url: result.link,
    title: shownText(result.title, shownMax.titleCharacters) || null,
    snippet: hasSnippets ? shownText(result.description ?? '', shownMax.snippetCharacters) : null,
    sitelinks: hasSitelinks ? sitelinksOf(result) : null,
    hasImage: hasImages ? result.image !== undefined : null,
  }));
}

function sitelinksOf({ extensions = [] }: OrganicResult): string[] {
  const links = extensions.filter(({ type }) => type === 'site_link').slice(0, shownMax.sitelinks);
  return links.map(({ text }) => shownText(text, shownMax.sitelinkCharacters)).filter((text) => text !== '');
}

function shownText(text: string, charactersMax: number): string {
  const line = withoutControls(text).replace(/\s+/gu, ' ').trim();
  return line.length <= charactersMax ? line : [...line].slice(0, charactersMax).join('').trim();
}

function toPlace({ name, place_id: placeId, cid, rating, reviews, category, address, phone, website }: LocalResult) {
  return { name, placeId, cid, rating, reviews, category, address, phone, website };
}

function toGlobalRank(rank: unknown): number | null {
  return typeof rank === 'number' && Number.isSafeInteger(rank) && rank >= 1 ? rank : null;
}

function findLastGlobalRank({ organic = [], people_also_ask = [], related = [] }: SerpPage): number | null {
  let last: number | null = null;
  for (const element of [...organic, ...people_also_ask, ...related]) {
    const globalRank = toGlobalRank(element.global_rank);
    if (globalRank !== null && (last === null || globalRank > last)) last = globalRank;
  }
  return last;
}

/** The page after which nothing follows: the one before an empty page, as far as the engine said so. */
export function endOfResults(pages: Iterable<EvidencePage>): number | null {
  let end: number | null = null;
  for (const { page, last } of pages) {
    if (last && (end === null || page < end)) end = page;
  }
  return end;
}

/**
 * Matches the targets against the pages. In a check that lost a page (`broken`), a target that was not followed to the
 * depth is `unproven`: the check says why.
 */
export function proveOutcomes(
  pages: readonly EvidencePage[],
  targets: { readonly list: readonly Target[]; readonly compiled: CompiledTargets },
  depth: number,
  broken: boolean,
): Evidence {
  const ordered = [...pages].sort((a, b) => a.page - b.page);
  const read = { pages: rankPages(ordered), endsAfterPage: endOfResults(ordered), depth };
  const outcomes = matchTargets(read, targets.compiled).map((outcome): TargetOutcome => {
    if (broken && outcome.kind === 'notFollowed') return { kind: 'unproven' };
    return outcome.kind === 'ranked' ? withPlausibleGlobalRank(outcome) : outcome;
  });
  const features = ordered.flatMap((page) => page.features);
  return {
    outcomes,
    features: [...new Set(features.map((feature) => feature.type))],
    owned: ownedFeatures(features, targets.list).map((types, index) => {
      const ownsPack = targets.list[index]?.match === 'place' && outcomes[index]?.kind === 'ranked';
      return ownsPack ? ['local_pack'] : types;
    }),
  };
}

/**
 * A place among all elements cannot be better than the one among organic results: then the service's numbers mean
 * something else.
 */
function withPlausibleGlobalRank(outcome: Extract<TargetOutcome, { kind: 'ranked' }>): TargetOutcome {
  const { absoluteRank, organicRank } = outcome;
  return absoluteRank !== null && absoluteRank < organicRank ? { ...outcome, absoluteRank: null } : outcome;
}

function rankPages(pages: readonly EvidencePage[]): RankedPage[] {
  const absolute = absoluteRanks(
    pages.map((page) => ({
      page: page.page,
      organic: page.organic.map((result) => result.globalRank),
      lowest: findLowestGlobalRank(page),
      highest: page.lastGlobalRank,
    })),
  );
  return pages.map((page, index) => ({
    page: page.page,
    organic: page.organic.map((result, at) => ({ url: result.url, absoluteRank: absolute[index]?.[at] ?? null })),
    // pages of older versions, and of sources that do not pass places on, have the feature alone
    places: page.places ?? (page.features.some(({ type }) => type === 'local_pack') ? null : []),
  }));
}

function findLowestGlobalRank(page: EvidencePage): number | null {
  const globalRanks = page.organic.flatMap((result) => (result.globalRank === null ? [] : [result.globalRank]));
  return globalRanks.length === 0 ? null : Math.min(...globalRanks);
}
