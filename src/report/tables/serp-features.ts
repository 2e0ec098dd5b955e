// serp-features.csv: the features of each keyword, which targets they show, and what was gained and lost.

import { commonPages, type Serp, type SerpRow, type SerpSites } from '../../read/serp.ts';
import { columnsOf, searchTable } from '../formats/columns.ts';

type FeatureChange = 'gained' | 'lost' | 'kept' | 'first_check' | 'not_comparable';
type OwnershipChange = 'won' | 'lost' | 'kept';

/** A SERP feature and the targets in it. */
interface Presence {
  /** Number of links on all pages that show it. */
  readonly links: number;
  /** The first page that shows it. */
  readonly page: number;
  /** 1-based positions of own links among them. */
  readonly ownPositions: readonly number[];
  readonly ownUrlIds: readonly number[];
  /** Indexes of all targets in it, ascending. */
  readonly targets: readonly number[];
}

/** One line of the table. */
interface FeatureRow {
  readonly of: SerpRow;
  /** Null: the search has no complete check, or shows no feature now or at the baseline. */
  readonly feature: string | null;
  /** Null: the pages read do not prove it. */
  readonly present: boolean | null;
  readonly change: FeatureChange;
  readonly now: Presence | null;
  readonly before: Presence | null;
  readonly ownChange: OwnershipChange | null;
  readonly ownUrls: readonly string[];
  readonly ownTargets: readonly string[];
  readonly competitors: readonly string[];
  readonly note?: string;
}

const { text, number, boolean, list } = columnsOf<FeatureRow>();

export const featureTable = searchTable<FeatureRow>([
  text('feature', 'SERP feature; empty for a search without a complete check', (row) => row.feature),
  boolean('present', 'Whether the pages show it; empty if the pages read do not prove it', (row) => row.present),
  text(
    'change',
    'gained, lost, kept, first_check or not_comparable, over the pages that both checks read',
    (row) => row.change,
  ),
  boolean('owned', 'Whether it links to an own target; empty if it is not present or shows no links', ({ now }) =>
    isOwned(now),
  ),
  text(
    'own_change',
    'won, lost or kept by own targets, such as a featured snippet; empty if they were in it on neither date',
    (row) => row.ownChange,
  ),
  list(
    'own_places',
    'Positions of own links among its links, in its order; for an AI Overview, among its citations',
    ({ now }) => (now?.ownPositions ?? []).map(String),
  ),
  list('own_urls', 'Own links at these positions', (row) => row.ownUrls),
  list('previous_own_places', 'Positions of own links in the baseline', ({ before }) =>
    (before?.ownPositions ?? []).map(String),
  ),
  number(
    'links',
    'Number of its links; for an AI Overview, of its references; empty if the pages show none',
    ({ now }) => now?.links || null,
  ),
  list('own_targets', 'Own targets that it links to, as configured', (row) => row.ownTargets),
  list('competitors', 'Competitors that it links to, as configured', (row) => row.competitors),
  number('page', 'First results page that shows it', ({ now }) => now?.page ?? null),
]);

export function featureRows(row: SerpRow, sites: SerpSites): Iterable<FeatureRow> {
  return row.now === null ? [withoutFeature(row)] : listFeatures(row, row.now, sites);
}

/**
 * In order of appearance, lost ones last. A feature that both checks show, on any page, was neither gained nor lost.
 */
function* listFeatures(of: SerpRow, now: Serp, sites: SerpSites): Generator<FeatureRow> {
  const { before } = of;
  const shown = presences(now, Number.POSITIVE_INFINITY, sites);
  if (before === null) {
    const change = of.incomparable ?? 'not_comparable';
    for (const [feature, presence] of shown) yield line(of, feature, change, presence, null, sites);
    return;
  }
  const common = commonPages(now, before);
  const shownBefore = presences(before, Number.POSITIVE_INFINITY, sites);
  const comparable = now.pages <= common ? shown : presences(now, common, sites);
  const comparableBefore = before.pages <= common ? shownBefore : presences(before, common, sites);
  for (const [feature, presence] of shown) {
    const earlier = comparableBefore.get(feature) ?? shownBefore.get(feature) ?? null;
    if (comparable.has(feature)) {
      yield line(of, feature, earlier === null ? 'gained' : 'kept', presence, earlier, sites);
    } else if (earlier !== null) {
      yield line(of, feature, 'kept', presence, earlier, sites);
    } else {
      const note = `on page ${presence.page}; the earlier check read ${before.pages}`;
      yield { ...line(of, feature, 'not_comparable', presence, null, sites), note };
    }
  }
  for (const [feature, presence] of shownBefore) {
    if (shown.has(feature)) continue;
    if (comparableBefore.has(feature)) {
      yield line(of, feature, 'lost', null, presence, sites);
    } else {
      const note = `it was on page ${presence.page}; this check read ${now.pages}`;
      yield { ...line(of, feature, 'not_comparable', null, presence, sites), present: null, note };
    }
  }
}

/** The features of the first pages, each type once. */
function presences({ features }: Serp, pages: number, sites: SerpSites): Map<string, Presence> {
  const found = new Map<string, { page: number; urlIds: readonly number[] }>();
  for (const { type, page, urlIds } of features) {
    if (page > pages) continue;
    const known = found.get(type);
    if (known === undefined) found.set(type, { page, urlIds });
    else if (urlIds.length > 0) known.urlIds = [...known.urlIds, ...urlIds];
  }
  const shown = new Map<string, Presence>();
  for (const [type, { page, urlIds }] of found) shown.set(type, findPresence(page, urlIds, sites));
  return shown;
}

function findPresence(page: number, urlIds: readonly number[], sites: SerpSites): Presence {
  if (urlIds.length === 0) return { links: 0, page, ownPositions: none, ownUrlIds: none, targets: none };
  const ownPositions: number[] = [];
  const ownUrlIds: number[] = [];
  const targets: number[] = [];
  for (let index = 0; index < urlIds.length; index += 1) {
    const urlId = urlIds[index] ?? 0;
    let isOwn = false;
    for (const target of sites.targetsOf(urlId)) {
      if (!targets.includes(target)) targets.push(target);
      if (sites.targets[target]?.role === 'own') isOwn = true;
    }
    if (!isOwn) continue;
    ownPositions.push(index + 1);
    ownUrlIds.push(urlId);
  }
  return { links: urlIds.length, page, ownPositions, ownUrlIds, targets: targets.sort((a, b) => a - b) };
}

const none: readonly number[] = Object.freeze([]);

function line(
  of: SerpRow,
  feature: string,
  change: FeatureChange,
  now: Presence | null,
  before: Presence | null,
  sites: SerpSites,
): FeatureRow {
  const inIt = (role: string): string[] =>
    (now?.targets ?? []).flatMap((index) => {
      const target = sites.targets[index];
      return target?.role === role ? [target.value] : [];
    });
  const ownChange = compareOwnership(change, now, before);
  const hasChanged = isChange(change) || isChange(ownChange);
  return {
    of,
    feature,
    present: now !== null,
    change,
    now,
    before,
    ownChange,
    ownUrls: (now?.ownUrlIds ?? []).map((urlId) => sites.url(urlId)),
    ownTargets: inIt('own'),
    competitors: inIt('competitor'),
    ...(hasChanged && of.happened !== undefined ? { note: of.happened } : {}),
  };
}

function isChange(change: FeatureChange | OwnershipChange | null): boolean {
  return change === 'gained' || change === 'lost' || change === 'won';
}

/** A feature without links does not show whether it is owned. */
function isOwned(presence: Presence | null): boolean | null {
  return presence === null || presence.links === 0 ? null : presence.ownPositions.length > 0;
}

function compareOwnership(
  change: FeatureChange,
  now: Presence | null,
  before: Presence | null,
): OwnershipChange | null {
  if (change === 'first_check' || change === 'not_comparable') return null;
  const [owned, ownedBefore] = [isOwned(now), isOwned(before)];
  const isUnknown = (now !== null && owned === null) || (before !== null && ownedBefore === null);
  if (isUnknown || (owned !== true && ownedBefore !== true)) return null;
  if (owned === ownedBefore) return 'kept';
  return owned === true ? 'won' : 'lost';
}

function withoutFeature(of: SerpRow): FeatureRow {
  return {
    of,
    feature: null,
    present: null,
    change: 'not_comparable',
    now: null,
    before: null,
    ownChange: null,
    ownUrls: [],
    ownTargets: [],
    competitors: [],
  };
}
