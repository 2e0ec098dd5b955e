// Why a rank changed: causes with their numbers, strongest first. Pure.

import { rounded, sumOf } from '../figures.ts';
import { addTo } from '../maps.ts';
import type { ChangeClass, SignificanceClass } from '../observation.ts';
import { isOtherPage } from '../targets/target.ts';
import { type Movements, type Mover, placesOf } from './places.ts';

/** What a cause is about, in the order in which causes of one strength are shown. */
export const causeKinds = [
  // not a real change
  'other_source',
  'other_depth',
  'suspect_run',
  'second_look',
  'noise',
  'gap',
  // our result
  'own_page_gone',
  'own_page',
  'own_title',
  'own_snippet',
  'own_sitelinks',
  'own_thumbnail',
  'own_move',
  // not ours alone
  'confirmed_update',
  'moved_alike',
  'competitors_alike',
  // above us
  'entered',
  'passed',
  'left',
  'overtaken',
  'others',
  // the page's form
  'feature_appeared',
  'feature_vanished',
  'feature_grew',
  // demand, and what we know ourselves
  'demand',
  'note',
] as const;
export type CauseKind = (typeof causeKinds)[number];

type Certainty = 'certain' | 'likely' | 'possible';

/** Measured impressions of two weeks: a week by its last day. */
export interface ImpressionChange {
  readonly impressions: number;
  readonly previousImpressions: number;
  readonly lastDay: string;
  readonly previousLastDay: string;
}

/** One fact. Absent: it does not belong to the kind. */
export interface Cause extends Partial<ImpressionChange> {
  readonly kind: CauseKind;
  /** 0 to 1, by the rule of its kind. */
  readonly strength: number;
  readonly certainty: Certainty;
  /** Ranks that it explains: positive is better. Over all causes of a change they add up to it; absent: 0. */
  readonly places?: number;
  /** The site, and its URL, of a result above or around ours; for our own result its URL. From the web: not trusted. */
  readonly site?: string;
  readonly url?: string;
  readonly previousUrl?: string;
  readonly rank?: number | null;
  readonly previousRank?: number | null;
  /** Of a result that is no longer ranked: a SERP feature of the later page that links to it. */
  readonly feature?: string;
  /** Of what a results page shows: how many links now and before; of an own result: its texts. From the web. */
  readonly before?: string;
  readonly after?: string;
  /** Keywords that moved beyond their noise, of those compared; of our own move, places. */
  readonly scope?: AlikeScope;
  readonly name?: string;
  readonly moved?: number;
  /** How often our URL changed in the checks before. */
  readonly turns?: number;
  readonly compared?: number;
  /** Standard deviations above the usual share of rows that move. */
  readonly score?: number;
  /** Ours to know: a note, its date. */
  readonly date?: string;
  readonly text?: string;
  /** Volumes a month, and the months. */
  readonly volume?: number;
  readonly previousVolume?: number;
  readonly month?: string;
  readonly previousMonth?: string;
  readonly days?: number;
}

/** The causes of one change. */
export interface Explanation {
  /** Local dates of the two checks; `from` null: there is none to compare with. */
  readonly from: string | null;
  readonly to: string;
  readonly rank: number | null;
  readonly previousRank: number | null;
  readonly changeClass: ChangeClass;
  readonly significance: SignificanceClass | null;
  /**
   * What `places` of all causes add up to: a target that is not found counts as the rank after the last one read. Null:
   * the stored pages do not show it.
   */
  readonly places: number | null;
  /** One of both ranks lies below what was read: `places` is the least that it moved. */
  readonly isAtLeast: boolean;
  /** Strongest first. */
  readonly causes: readonly Cause[];
  /** Facts that history does not hold, as sentences. */
  readonly unknown: readonly string[];
}

export type AlikeScope = 'project' | 'market' | 'device' | 'tag' | 'page';

/** Keywords that share something with this one, on the same day. */
export interface Alike {
  readonly scope: AlikeScope;
  readonly name: string;
  /** With a comparable change, and with one outside its noise band; this one is among them. */
  readonly compared: number;
  readonly moved: number;
  /** Standard deviations above what is usual: `compareWithPast` of the update detector. */
  readonly score: number;
}

/** A feature on the pages that both checks read. */
export interface FeatureChange {
  readonly feature: string;
  readonly change: 'appeared' | 'vanished' | 'grew';
  /** Its links. */
  readonly links: number;
  readonly previousLinks: number;
  /** It stands above the organic results, judged by its type. */
  readonly isAbove: boolean;
  /** Clicks with it / clicks without it, measured at equal ranks; null: not measured. */
  readonly ratio: number | null;
}

/** Everything that is known about a change of one target in one search. Null: not known, not kept, or not asked. */
export interface Evidence
  extends Pick<Explanation, 'from' | 'to' | 'rank' | 'previousRank' | 'changeClass' | 'significance'> {
  /** Why it is not comparable. */
  readonly incomparable: { readonly kind: 'other_source' | 'other_depth' | 'other'; readonly text: string } | null;
  /** The usual ranks. */
  readonly band: { readonly best: number; readonly worst: number } | null;
  readonly wasLookedAtAgain: boolean;
  readonly suspect: string | null;
  /** Days since the check before, and what is usual between two. */
  readonly days: number | null;
  readonly usualDays: number | null;
  readonly movements: Movements | null;
  readonly nameOf: (urlId: number) => { readonly url: string; readonly site: string };
  /** A SERP feature of the later page that links to the URL; null: none. */
  readonly featureWith: (urlId: number) => string | null;
  readonly features: readonly FeatureChange[];
  readonly url: string | null;
  readonly previousUrl: string | null;
  /** Our previous URL is still among the results that were read; null: they were not kept. */
  readonly isPreviousUrlThere: boolean | null;
  /** A SERP feature of the later page that links to it; null: none. */
  readonly previousUrlFeature: string | null;
  /** How often our URL changed in the checks before. */
  readonly turns: number;
  readonly shown: readonly {
    readonly field: 'title' | 'snippet' | 'sitelinks' | 'thumbnail';
    readonly before: string;
    readonly after: string;
  }[];
  readonly alike: readonly Alike[];
  /** Tracked competitors of this search that moved in the same direction, and how many are compared. */
  readonly competitors: { readonly names: readonly string[]; readonly compared: number };
  readonly demand: {
    readonly volume: number;
    readonly previousVolume: number;
    readonly month: string;
    readonly previousMonth: string;
  } | null;
  readonly impressions: ImpressionChange | null;
  readonly notes: readonly {
    readonly date: string;
    readonly text: string;
    readonly isNarrow: boolean;
    /** An update that the operator of the search engine has announced. */
    readonly isConfirmed?: boolean;
  }[];
  readonly unknown: readonly string[];
}

/** Movers that are causes of their own; the others are one. */
const moversMax = 8;
/** An opposite move explains nothing of the change, but belongs to its sum. */
const oppositeStrength = 0.05;
/** Below it, a cause is not shown; its places are among the others. */
const strengthMin = 0.03;

/** What many of the rows that moved share, each with the share of them, 0 to 1. */
export type CommonRoots = ReadonlyMap<string, number>;

/** The lead of a site that moved, rather than the target. */
const leadMin = 0.6;
const commonRowsMin = 3;

/** What may be the one cause of many changes: a site, a feature, or something of ours. */
function rootsOf({ movements, features, shown, url, previousUrl, isPreviousUrlThere }: Evidence): ReadonlySet<string> {
  const roots = new Set<string>(features.map(({ feature, change }) => `${change} ${feature}`));
  for (const mover of movements?.movers ?? [])
    if (mover.lead >= leadMin && placesOf(mover) === Math.sign(movements?.places ?? 0))
      roots.add(`${mover.kind} ${mover.siteId}`);
  for (const { field } of shown) roots.add(field);
  if (url !== null && previousUrl !== null && isOtherPage(url, previousUrl) === true)
    roots.add(isPreviousUrlThere === false ? 'own page gone' : 'own page');
  return roots;
}

/** Of the rows that moved outside their bands between the same dates. */
export function commonRoots(changes: readonly Evidence[]): CommonRoots {
  const counts = new Map<string, number>();
  for (const evidence of changes) for (const root of rootsOf(evidence)) addTo(counts, root);
  return new Map(
    [...counts].flatMap(([root, count]) => (count < commonRowsMin ? [] : [[root, count / changes.length]])),
  );
}

/** `roots`: of the day, `commonRoots`. */
export function explain(evidence: Evidence, roots: CommonRoots): Explanation {
  const { movements, previousRank, rank, from, to, changeClass, significance } = evidence;
  const hasMoved = changeClass !== 'unchanged';
  const unreal = unrealCauses(evidence);
  const real = 1 - strongest(unreal);
  const ownShare = movements === null || movements.ownShare === 0 ? 0.5 : movements.ownShare;
  const own = ownCauses(evidence, hasMoved ? real * Math.max(0.3, ownShare) : 0.5);
  const alike = hasMoved ? alikeCauses(evidence, real * (1 - commonShare(evidence, roots))) : [];
  const explained = Math.max(strongest(own), strongest(alike));
  if (movements !== null && hasMoved && ownPlaces(movements) > 0)
    own.push({
      kind: 'own_move',
      strength: ownMoveStrength * real * movements.ownShare * (1 - explained),
      moved: ownPlaces(movements),
      compared: Math.abs(movements.places),
    });
  const above = movements === null ? [] : aboveCauses(movements, evidence, real, explained);
  const rest = [
    ...featureCauses(evidence, hasMoved, real),
    ...demandCauses(evidence, hasMoved),
    ...noteCauses(evidence, hasMoved, strongest(alike)),
  ];
  const found = [...unreal, ...own, ...alike, ...above, ...rest].filter(
    ({ strength, places = 0 }) => strength >= strengthMin || places !== 0,
  );
  return {
    from,
    to,
    rank,
    previousRank,
    changeClass,
    significance,
    places: movements?.places ?? null,
    isAtLeast: (previousRank === null) !== (rank === null),
    causes: found
      .toSorted((a, b) => b.strength - a.strength || causeKinds.indexOf(a.kind) - causeKinds.indexOf(b.kind))
      .map((cause) => ({
        ...cause,
        strength: rounded(cause.strength, 2),
        certainty: certaintyOf(cause, evidence),
      })),
    unknown: evidence.unknown,
  };
}

/** Less is no common cause: rows of a project share sites and features anyway. */
const commonShareMin = 0.5;

/** How much of the other changes of the day has a cause of this one as well: then that moved them, and no update. */
function commonShare(evidence: Evidence, roots: CommonRoots): number {
  const most = Math.max(0, ...[...rootsOf(evidence)].map((root) => roots.get(root) ?? 0));
  return most < commonShareMin ? 0 : most;
}

/** A cause before it is judged against the change. */
type Found = Omit<Cause, 'certainty'>;

function strongest(causes: readonly Found[]): number {
  return causes.reduce((most, { strength }) => Math.max(most, strength), 0);
}

/** A cause is never surer than the change itself; what makes it no change is as sure as it says. */
function certaintyOf({ kind, strength }: Found, { significance }: Evidence): Certainty {
  const isUnreal = kind === 'other_source' || kind === 'other_depth' || kind === 'suspect_run';
  if (strength >= 0.8 && (isUnreal || significance === 'certain')) return 'certain';
  return strength >= 0.5 && significance !== 'noise' ? 'likely' : 'possible';
}

function unrealCauses(evidence: Evidence): Found[] {
  const { incomparable, suspect, significance, wasLookedAtAgain, days, usualDays, changeClass } = evidence;
  const found: Found[] = [];
  if (incomparable !== null && incomparable.kind !== 'other')
    found.push({ kind: incomparable.kind, strength: 1, text: incomparable.text });
  if (suspect !== null) found.push({ kind: 'suspect_run', strength: 0.95, text: suspect });
  if (changeClass === 'unchanged') return found;
  if (significance === 'noise' && wasLookedAtAgain) found.push({ kind: 'second_look', strength: 0.95 });
  else found.push({ kind: 'noise', strength: chanceOfJitter(evidence) });
  if (days !== null && usualDays !== null && days > usualDays && days >= 2 * usualDays)
    found.push({ kind: 'gap', strength: 0.3 * (1 - usualDays / days), days });
  return found;
}

/** The limit of `likely`, in standard deviations: src/tracker/signal/significance.ts. */
const bandDeviations = 2.5;
const chances: Readonly<Record<SignificanceClass, number>> = { noise: 0.5, likely: 0.02, certain: 0.001 };

/**
 * How often jitter alone is as far from the middle of the band: the two-sided tail of a normal distribution whose
 * standard deviation is the half band / 2.5. A change outside the band has at most the chance of its class.
 */
function chanceOfJitter({ rank, band, significance, movements, previousRank }: Evidence): number {
  if (significance === null) return 0;
  const most = significance === 'noise' ? 1 : chances[significance];
  const seen = rank ?? (movements === null || previousRank === null ? null : previousRank - movements.places);
  if (band === null || seen === null) return chances[significance];
  const half = (band.worst - band.best) / 2 + 0.5;
  const distance = Math.abs(seen - (band.worst + band.best) / 2);
  return Math.min(most, 2 * upperTail((bandDeviations * distance) / half));
}

/** Of the standard normal distribution: Abramowitz and Stegun 1964, 26.2.16, error below 1e-5. */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.33267 * z);
  const density = Math.exp(-(z ** 2) / 2) / Math.sqrt(2 * Math.PI);
  return density * (0.4361836 * t - 0.1201676 * t ** 2 + 0.937298 * t ** 3);
}

/** Our result moved against results that kept their order: a fact about us, not yet its reason. */
const ownMoveStrength = 0.6;

/** Whole places of a change that are our own move. All of them only if no other result moved. */
function ownPlaces({ ownShare, places }: Movements): number {
  const all = Math.abs(places);
  return ownShare === 1 ? all : Math.min(all - 1, Math.round(ownShare * all));
}

const shownStrengths = { title: 0.85, snippet: 0.4, sitelinks: 0.3, thumbnail: 0.25 } as const;

/** `share`: of the movement that is our result's own. */
function ownCauses(evidence: Evidence, share: number): Found[] {
  const { url, previousUrl, isPreviousUrlThere, turns, shown, changeClass, rank, previousRank } = evidence;
  const found: Found[] = [];
  const feature = isPreviousUrlThere === false ? evidence.previousUrlFeature : null;
  const isOther = url !== null && previousUrl !== null && isOtherPage(url, previousUrl) === true;
  if (isOther)
    found.push({
      kind: isPreviousUrlThere === false ? 'own_page_gone' : 'own_page',
      strength: 0.95 * Math.max(share, turns > 1 ? 0.4 : 0.6),
      url,
      previousUrl,
      rank,
      previousRank,
      turns,
      ...(feature !== null && { feature }),
    });
  else if (changeClass === 'dropped' && previousUrl !== null)
    found.push({
      kind: 'own_page_gone',
      strength: 0.9 * share,
      previousUrl,
      previousRank,
      rank,
      ...(feature !== null && { feature }),
    });
  // another page has another title
  if (!isOther)
    for (const { field, before, after } of shown)
      found.push({
        kind: `own_${field}`,
        strength: shownStrengths[field] * share,
        before,
        after,
        ...(url !== null && { url }),
      });
  return found;
}

/** Fewer rows that moved say nothing about a common cause. */
const alikeMin = 3;
/** Scores of the update detector that count as nothing and as everything. */
const [scoreFrom, scoreTo] = [2, 5];
/** The share of keywords from which a common cause may explain each of them. */
const shareTo = 0.25;

function alikeCauses({ alike, competitors }: Evidence, real: number): Found[] {
  const found: Found[] = [];
  const best = alike
    .filter(({ moved }) => moved >= alikeMin)
    .toSorted((a, b) => b.score - a.score || a.compared - b.compared)[0];
  if (best !== undefined) {
    const excess = Math.max(0, Math.min(1, (best.score - scoreFrom) / (scoreTo - scoreFrom)));
    const share = Math.min(1, best.moved / best.compared / shareTo);
    found.push({
      kind: 'moved_alike',
      strength: 0.95 * real * excess * share,
      ...best,
      score: rounded(best.score, 1),
    });
  }
  if (competitors.names.length > 1)
    found.push({
      kind: 'competitors_alike',
      strength: (0.3 * real * competitors.names.length) / competitors.compared,
      text: competitors.names.join(', '),
      moved: competitors.names.length,
      compared: competitors.compared,
    });
  return found;
}

/** `explained`: what a root cause explains of what happened above us. */
function aboveCauses(
  { movers, places }: Movements,
  { nameOf, featureWith }: Pick<Evidence, 'nameOf' | 'featureWith'>,
  real: number,
  explained: number,
): Found[] {
  const direction = Math.sign(places);
  const alike = movers.filter((mover) => placesOf(mover) === direction).length;
  const strengthOf = (mover: Mover): number =>
    placesOf(mover) === direction
      ? (real * (1 - 0.7 * explained) * (0.25 + 0.75 * mover.lead)) / Math.sqrt(alike)
      : oppositeStrength;
  const judged = movers
    .map((mover) => ({ mover, strength: strengthOf(mover) }))
    .toSorted((a, b) => b.strength - a.strength || bestRank(a.mover) - bestRank(b.mover));
  const others = judged.slice(moversMax);
  const causes = judged.slice(0, moversMax).map(({ mover, strength }): Found => {
    const { kind, rank, previousRank, urlId } = mover;
    const feature = rank === null ? featureWith(urlId) : null;
    return {
      kind,
      strength,
      places: placesOf(mover),
      ...nameOf(urlId),
      rank,
      previousRank,
      ...(feature !== null && { feature }),
    };
  });
  const restPlaces = sumOf(others, ({ mover }) => placesOf(mover));
  if (others.length > 0)
    causes.push({
      kind: 'others',
      strength: Math.max(...others.map(({ strength }) => strength)),
      places: restPlaces,
      moved: others.length,
    });
  return causes;
}

function bestRank({ rank, previousRank }: Mover): number {
  return Math.min(rank ?? Number.POSITIVE_INFINITY, previousRank ?? Number.POSITIVE_INFINITY);
}

function featureCauses({ features, significance }: Evidence, hasMoved: boolean, real: number): Found[] {
  // a feature takes clicks, not ranks: where the rank moved beyond its noise, the reason lies elsewhere
  const room = hasMoved && significance !== 'noise' ? 1 - 0.75 * real : 1;
  return features.map(({ feature, change, links, previousLinks, isAbove, ratio }): Found => {
    const weight = ratio === null ? (isAbove ? 0.75 : 0.35) : Math.min(0.9, Math.abs(1 - ratio) + 0.3);
    return {
      kind: `feature_${change}`,
      strength: weight * room * (change === 'grew' ? 0.5 : 1),
      feature,
      before: `${previousLinks}`,
      after: `${links}`,
    };
  });
}

/** Demand that doubles or halves. */
const demandStrength = 0.6;
/** Of both weeks together: with fewer, a doubling may be chance (20 to 40 are 2.6 standard deviations). */
const impressionsMin = 60;

/** Impressions are dated and our own: where they are enough, bought volumes of months add nothing. */
function demandCauses({ demand, impressions: measured }: Evidence, hasMoved: boolean): Found[] {
  const strengthOf = (now: number, then: number): number => {
    const times = Math.abs(Math.log2(Math.max(1, now) / Math.max(1, then)));
    return demandStrength * Math.min(1, times) * (hasMoved ? 0.25 : 1);
  };
  if (measured !== null && measured.impressions + measured.previousImpressions >= impressionsMin) {
    const { impressions: now, previousImpressions: then } = measured;
    // two Poisson counts (Przyborowski and Wilenski 1940), as a normal distribution
    if (Math.abs(now - then) / Math.sqrt(now + then) < bandDeviations) return [];
    return [{ kind: 'demand', strength: strengthOf(now, then), ...measured }];
  }
  if (demand === null) return [];
  return [{ kind: 'demand', strength: strengthOf(demand.volume, demand.previousVolume), ...demand }];
}

/** `alike`: how far many keywords moved with this one. An announced update then gives the reason for it. */
function noteCauses({ notes }: Evidence, hasMoved: boolean, alike: number): Found[] {
  return notes.map(({ date, text, isNarrow, isConfirmed = false }): Found => {
    const own = (isNarrow ? 0.5 : 0.4) * (hasMoved ? 1 : 0.6);
    if (!isConfirmed) return { kind: 'note', strength: own, date, text };
    return { kind: 'confirmed_update', strength: Math.max(own, alike), date, text };
  });
}
