// Reads what is known around changes of rows, and explains them: stored pages, titles, notes, demand, other rows.

import type { ShownSerp } from '../../../db/reads/search-records.ts';
import type { Row } from '../../../src/read/row.ts';
import { buildSerp, commonPages, type Serp } from '../../../src/read/serp.ts';
import type { AlikeCounts } from '../../../src/tracker/causes/alike.ts';
import {
  type CommonRoots,
  commonRoots,
  type Evidence,
  type Explanation,
  explain,
  type FeatureChange,
} from '../../../src/tracker/causes/causes.ts';
import { movementsAround, type ResultsRead } from '../../../src/tracker/causes/places.ts';
import { type Appearance, appearanceChanges } from '../../../src/tracker/changes/appearance.ts';
import { comparableSource, hasMoved } from '../../../src/tracker/changes/change.ts';
import { isNarrow, isNoteAbout, type Note, notesBetween } from '../../../src/tracker/changes/note.ts';
import { getOrInsert } from '../../../src/tracker/maps.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { addDays, monthWindowKey } from '../../../src/tracker/schedule/local-time.ts';
import { dayMs, daysBetween } from '../../../src/tracker/schedule/time-units.ts';
import type { MovedShare } from '../../../src/tracker/signal/update-detector.ts';
import { isOtherPage, pageIdentity, targetKey } from '../../../src/tracker/targets/target.ts';
import { weeklyImpressions } from '../../clicks/weekly-impressions.ts';
import type { JobContext } from '../../context.ts';
import { ProjectSites } from '../rows/serp-sites.ts';
import { searchIdOf } from '../rows/stored-serps.ts';

export interface ChangeScope {
  readonly context: Pick<JobContext, 'store'>;
  readonly project: Project;
  /** Of the config and stored, and announced updates: what people know. Suspected updates are counted from rows. */
  readonly notes: readonly Note[];
  /** Of all rows between the same dates. */
  readonly counts: AlikeCounts;
  /** Why the run is suspect; null: it is not. */
  readonly suspect: string | null;
  /** Clicks with a feature / without it, measured for the site; empty: not measured. */
  readonly featureRatios: ReadonlyMap<string, number>;
}

export interface ExplainedRow {
  readonly row: Row;
  readonly searchId: number | null;
  readonly explanation: Explanation;
}

/** Searches whose pages are decoded together. */
const rowsPerRead = 100;
/** Checks that say whether pages of ours take turns. */
const urlChecksMax = 12;
/** Checks that say how often a search is made. */
const checksOfGap = 16;
/** Runs that say how many keywords usually move, as the update detector has it. */
const pastRunsMax = 28;
/** A note of so many days before the first check may still act. */
const noteDaysBefore = 2;

/** In the order of the rows. `roots`: what the changes of the dates have in common; absent: these are all of them. */
export function explainChanges(scope: ChangeScope, rows: readonly Row[], roots?: CommonRoots): ExplainedRow[] {
  const read = readEvidence(scope, rows);
  const shared = roots ?? rootsAmong(read);
  return read.map(({ row, searchId, evidence }) => ({ row, searchId, explanation: explain(evidence, shared) }));
}

/** What changes beyond noise have in common. */
export function sharedRoots(scope: ChangeScope, rows: readonly Row[]): CommonRoots {
  return rootsAmong(readEvidence(scope, rows));
}

interface ReadRow {
  readonly row: Row;
  readonly searchId: number | null;
  readonly evidence: Evidence;
}

function rootsAmong(read: readonly ReadRow[]): CommonRoots {
  return commonRoots(read.filter(({ row }) => isBeyondNoise(row)).map(({ evidence }) => evidence));
}

function readEvidence(scope: ChangeScope, rows: readonly Row[]): ReadRow[] {
  const reader = new EvidenceReader(scope);
  const read: ReadRow[] = [];
  for (let at = 0; at < rows.length; at += rowsPerRead) read.push(...reader.read(rows.slice(at, at + rowsPerRead)));
  return read;
}

/** Whether a change is explained without being asked for. */
export function isBeyondNoise({ changeClass, significance }: Pick<Row, 'changeClass' | 'significance'>): boolean {
  return hasMoved(changeClass) && significance !== null && significance !== 'noise';
}

/** The stored pages of one row. */
interface Shown {
  readonly searchId: number | null;
  readonly before: ShownSerp | null;
  readonly after: ShownSerp | null;
  /** What our result shows otherwise. */
  readonly own: Evidence['shown'];
}

class EvidenceReader {
  readonly #scope: ChangeScope;
  readonly #sites: ProjectSites;
  readonly #past: ReadonlyMap<string, readonly MovedShare[]>;
  readonly #sharesBefore = new Map<string, readonly MovedShare[]>();
  /** Months with volumes, by market and the last one. */
  readonly #months = new Map<string, readonly string[]>();

  constructor(scope: ChangeScope) {
    const { store } = scope.context;
    this.#scope = scope;
    this.#sites = new ProjectSites(store.serpContents, scope.project);
    const { id, isPart } = scope.project;
    const shares = isPart ? [] : store.movedShares.of(id);
    this.#past = Map.groupBy(shares, (share) => `${share.scope} ${share.name}`);
  }

  read(rows: readonly Row[]): ReadRow[] {
    const { context, project } = this.#scope;
    const { store } = context;
    const searchIds = rows.map((row) => searchIdOf(context, project, row));
    const moments = rows.flatMap(({ previousCheckedAt, checkedAt }, index) =>
      [previousCheckedAt, checkedAt].map((moment) => ({ searchId: searchIds[index] ?? 0, moment: moment ?? -1 })),
    );
    const shown = store.searchRecords.shownAt(moments);
    // a page may have been seen before the moment of its run: a recording, or a vendor's copy
    const appearances = store.appearances.atEach(
      rows.flatMap(({ previousUrl, url, previousCheckedAt, checkedAt }, index) => {
        const searchId = searchIds[index] ?? 0;
        const [before, after] = [shown[2 * index]?.moment, shown[2 * index + 1]?.moment];
        return [
          { searchId, url: previousUrl ?? '', moment: before ?? previousCheckedAt ?? -1 },
          { searchId, url: url ?? '', moment: after ?? checkedAt ?? -1 },
        ];
      }),
    );
    this.#sites.prepare(shown.flatMap((serp) => serp?.pages.flatMap(({ urlIds }) => urlIds) ?? []));
    const impressions = weeklyImpressions(store.clicks, project, rows);
    return rows.map((row, index) => {
      const searchId = searchIds[index] ?? null;
      const [before, after] = [shown[2 * index] ?? null, shown[2 * index + 1] ?? null];
      const own = shownChanges(appearances[2 * index] ?? null, appearances[2 * index + 1] ?? null);
      const evidence = this.#evidenceOf(row, { searchId, before, after, own }, impressions[index] ?? null);
      return { row, searchId, evidence };
    });
  }

  #evidenceOf(row: Row, shown: Shown, impressions: Evidence['impressions']): Evidence {
    const sites = this.#sites;
    const { suspect, counts, notes, featureRatios } = this.#scope;
    const { previousRank, rank, changeClass, previousDate: from, date: to, url, previousUrl } = row;
    const [before, after] = [toSerp(shown.before, sites), toSerp(shown.after, sites)];
    const areRead = before !== null && after !== null;
    const isComparable = changeClass !== 'not_comparable' && changeClass !== 'first_check';
    const own = sites.keys.indexOf(targetKey(row.own));
    const gap = this.#gapBefore(row, shown);
    // a URL that is hidden, or of a target that changed since, ranks elsewhere than the stored pages say
    const isSame = (before?.targets[own]?.[0] ?? null) === previousRank && (after?.targets[own]?.[0] ?? null) === rank;
    const isOtherUrl = url !== null && previousUrl !== null && isOtherPage(url, previousUrl) === true;
    return {
      ...{ from, to, rank, previousRank, changeClass, url, previousUrl, suspect },
      ...gap,
      movements:
        areRead && isComparable && isSame
          ? movementsAround(resultsOf(before), previousRank, resultsOf(after), rank)
          : null,
      incomparable: incomparableOf(row, shown),
      significance: row.significance,
      band: row.judged?.band ?? null,
      wasLookedAtAgain: row.significance === 'noise' && this.#wasLookedAtAgain(row, shown),
      featureWith: (urlId) => (after === null ? null : featureWith(after, urlId)),
      nameOf: (urlId) => ({ url: sites.url(urlId), site: sites.domainName(sites.domainOf(urlId)) }),
      features: areRead && isComparable ? featureChanges(before, after, featureRatios) : [],
      ...previousResult(before, after, own, sites),
      turns: isOtherUrl ? this.#turnsOf(row, shown) : 0,
      shown: shown.own,
      alike: counts.of(row, (scope, name) => this.#before(to, scope, name), spansOf(row, gap.usualDays)),
      competitors: areRead && isComparable ? this.#competitorsAlike(before, after, row) : { names: [], compared: 0 },
      demand: this.#demandOf(row),
      impressions,
      notes: notesOf(notes, row, from, to),
      unknown: unknownOf(row, from, to, shown, areRead && !isSame),
    };
  }

  /** The shares of the newest dates before a change: later ones, and its own, say nothing of what was usual. */
  #before(date: string, scope: string, name: string): readonly MovedShare[] {
    const key = `${date} ${scope} ${name}`;
    return getOrInsert(this.#sharesBefore, key, () =>
      (this.#past.get(`${scope} ${name}`) ?? []).filter((share) => share.date < date).slice(-pastRunsMax),
    );
  }

  #wasLookedAtAgain({ own }: Row, { after }: Shown): boolean {
    const { store } = this.#scope.context;
    const targetId = store.names.knownTargetId(targetKey(own));
    const look = after === null || targetId === null ? null : store.secondLooks.of(after.checkId, targetId);
    return look !== null && !look.isAwaited;
  }

  /** The days since the check before, and what is usual for this search: some are made each day, others each week. */
  #gapBefore({ previousCheckedAt, checkedAt }: Row, { searchId }: Shown): Pick<Evidence, 'days' | 'usualDays'> {
    if (previousCheckedAt === null || checkedAt === null) return { days: null, usualDays: null };
    const distance = Math.round(daysBetween(previousCheckedAt, checkedAt));
    if (distance < 2 || searchId === null) return { days: distance, usualDays: distance };
    const times = this.#scope.context.store.searchRecords.serpTimes(searchId, checksOfGap);
    const before = times.find((at) => at < checkedAt) ?? previousCheckedAt;
    const days = Math.round(daysBetween(before, checkedAt));
    // projects that share a search look at it several times a day
    const dates = [...new Set(times.map((at) => Math.floor(at / dayMs)))];
    const distances = dates.slice(1).map((date, index) => (dates[index] ?? date) - date);
    distances.sort((a, b) => a - b);
    return { days, usualDays: distances[Math.floor(distances.length / 2)] ?? null };
  }

  /** Null: the volumes of both dates are of one month, or one is not known. */
  #demandOf({ keyword, country, language, previousCheckedAt, checkedAt }: Row): Evidence['demand'] {
    const { context, project } = this.#scope;
    if (previousCheckedAt === null || checkedAt === null) return null;
    const [from, to] = [previousCheckedAt, checkedAt].map((at) => monthWindowKey(at, project.timezone));
    if (from === undefined || to === undefined || from === to) return null;
    const market = { service: project.service, country, language };
    const key = `${country} ${language} ${to}`;
    const months = getOrInsert(this.#months, key, () => context.store.volumeSeries.months(market, '0000-00', to));
    const [found] = context.store.volumeSeries.of(market, [keyword], months);
    const known = found?.months.filter((volume) => volume !== null) ?? [];
    const [now, then] = [known[0], known.find(({ month }) => month <= from)];
    if (now?.searchVolume == null || then?.searchVolume == null || now.month === then.month) return null;
    const [volume, previousVolume] = [now.searchVolume, then.searchVolume];
    return { volume, previousVolume, month: now.month, previousMonth: then.month };
  }

  /** How often our URL changed in the checks up to this one. */
  #turnsOf({ own, checkedAt }: Row, { after }: Shown): number {
    if (after === null || checkedAt === null) return 1;
    const { serpContents } = this.#scope.context.store;
    const [urls = []] = serpContents.urlHistories([after.checkId], targetKey(own), checkedAt, urlChecksMax);
    const ranked = urls.flatMap((id) => (id === null ? [] : [pageIdentity(this.#sites.url(id))]));
    return ranked.filter((page, at) => at > 0 && page !== ranked[at - 1]).length;
  }

  /** Competitors in this search that moved as we did, by two ranks or more. */
  #competitorsAlike(before: Serp, after: Serp, { previousRank, rank }: Row): Evidence['competitors'] {
    const reach = (serp: Serp, of: number | undefined) => of ?? serp.urlIds.length + 1;
    const direction = Math.sign(reach(before, previousRank ?? undefined) - reach(after, rank ?? undefined));
    const names: string[] = [];
    let compared = 0;
    for (const [index, { value, role }] of this.#sites.targets.entries()) {
      const [then, now] = [before.targets[index]?.[0], after.targets[index]?.[0]];
      if (role === 'own' || (then === undefined && now === undefined)) continue;
      compared += 1;
      const moved = reach(before, then) - reach(after, now);
      if (Math.sign(moved) === direction && Math.abs(moved) > 1) names.push(value);
    }
    return { names, compared };
  }
}

/** Null: the pages were not kept. */
export function toSerp(shown: ShownSerp | null, sites: ProjectSites): Serp | null {
  if (shown === null) return null;
  const { source, depth, pages } = shown;
  const serp = buildSerp({ checkedAt: 0, source, depth }, pages, sites);
  return serp.pages === 0 ? null : serp;
}

export function resultsOf({ urlIds, domains }: Serp): ResultsRead {
  return { urlIds, siteIds: domains };
}

/** How many usual distances between checks lie between both dates. */
function spansOf({ previousCheckedAt, checkedAt }: Row, usualDays: number | null): number {
  if (previousCheckedAt === null || checkedAt === null) return 1;
  return daysBetween(previousCheckedAt, checkedAt) / Math.max(1, usualDays ?? 1);
}

/** What became of the result of a target that ranked before. */
function previousResult(
  before: Serp | null,
  after: Serp | null,
  target: number,
  sites: ProjectSites,
): Pick<Evidence, 'isPreviousUrlThere' | 'previousUrlFeature'> {
  const rank = before?.targets[target]?.[0];
  const urlId = rank === undefined ? undefined : before?.urlIds[rank - 1];
  if (urlId === undefined || after === null) return { isPreviousUrlThere: null, previousUrlFeature: null };
  const page = pageIdentity(sites.url(urlId));
  const isThere = after.urlIds.some((id) => id === urlId || pageIdentity(sites.url(id)) === page);
  return { isPreviousUrlThere: isThere, previousUrlFeature: featureWith(after, urlId) };
}

function featureWith({ features }: Serp, urlId: number): string | null {
  return features.find(({ urlIds }) => urlIds.includes(urlId))?.type ?? null;
}

function incomparableOf({ incomparable: text, previousCheckedAt }: Row, { before, after }: Shown) {
  if (text === null) return null;
  if (before !== null && after !== null && comparableSource(before.source) !== comparableSource(after.source))
    return { kind: 'other_source', text } as const;
  return { kind: previousCheckedAt === null ? 'other' : 'other_depth', text } as const;
}

/** Features that stand above the organic results, or answer the search themselves. */
const featuresAbove: ReadonlySet<string> = new Set([
  'ai_overview',
  'answer_box',
  'featured_snippet',
  'hotels',
  'knowledge_graph',
  'local_pack',
  'paid',
  'popular_products',
  'shopping',
  'top_stories',
]);

/** A feature grows where it has half as many links again, and two more. */
const [grownTimes, grownBy] = [1.5, 2];

/** Of the pages that both checks read. */
function featureChanges(before: Serp, after: Serp, ratios: ReadonlyMap<string, number>): FeatureChange[] {
  const pages = Math.min(before.pages, after.pages, commonPages(after, before));
  const linksOf = (serp: Serp): Map<string, number> => {
    const links = new Map<string, number>();
    for (const { type, page, urlIds } of serp.features)
      if (page <= pages) links.set(type, (links.get(type) ?? 0) + urlIds.length);
    return links;
  };
  const [then, now] = [linksOf(before), linksOf(after)];
  return [...new Set([...then.keys(), ...now.keys()])].flatMap((feature): FeatureChange[] => {
    const [previousLinks, links] = [then.get(feature), now.get(feature)];
    const facts = {
      ...{ feature, links: links ?? 0, previousLinks: previousLinks ?? 0 },
      ...{ isAbove: featuresAbove.has(feature), ratio: ratios.get(feature) ?? null },
    };
    if (previousLinks === undefined) return [{ ...facts, change: 'appeared' }];
    if (links === undefined) return [{ ...facts, change: 'vanished' }];
    const hasGrown = links >= previousLinks * grownTimes && links >= previousLinks + grownBy;
    return hasGrown ? [{ ...facts, change: 'grew' }] : [];
  });
}

function shownChanges(before: Appearance | null, after: Appearance | null): Evidence['shown'] {
  if (before === null || after === null) return [];
  return appearanceChanges(before, after).map((change) => {
    switch (change.field) {
      case 'sitelinks':
        return { field: change.field, before: change.before.join(', '), after: change.after.join(', ') };
      case 'thumbnail':
        return { field: change.field, before: change.before ? 'yes' : '', after: change.after ? 'yes' : '' };
      default:
        return change;
    }
  });
}

function notesOf(notes: readonly Note[], row: Row, from: string | null, to: string): Evidence['notes'] {
  return notesBetween(notes, addDays(from ?? to, -noteDaysBefore), to)
    .filter((note) => isNoteAbout(note, row))
    .map((note) => ({
      ...{ date: note.date, text: note.text, isNarrow: isNarrow(note) },
      isConfirmed: note.isConfirmed === true,
    }));
}

function unknownOf(row: Row, from: string | null, to: string, { before, after }: Shown, isOther: boolean): string[] {
  const { incomparable, changeClass, isPlace } = row;
  const kept = (date: string | null, serp: ShownSerp | null) =>
    date === null || serp !== null ? [] : [`The results page of ${date} was not kept.`];
  return [
    ...(changeClass === 'first_check' ? ['This is the first check: there is nothing to compare with.'] : []),
    ...(from === null && incomparable !== null ? [`Not comparable: ${incomparable}.`] : []),
    ...kept(from, before),
    ...kept(row.checkedAt === null ? null : to, after),
    ...(isPlace ? ['The local results around a place are not compared.'] : []),
    ...(isOther && !isPlace ? ['The stored pages do not show the rank that was counted: its URL is hidden.'] : []),
  ];
}
