// Which source a check of `mode: best` buys from, and which checks are bought twice to compare sources.

import type { PlannedCheck } from '../../db/history/checks/checks.ts';
import type { DoubleCandidate, DoubledCheck } from '../../db/history/checks/joint-looks.ts';
import type { PageContents } from '../../db/history/checks/pages.ts';
import { sumOf } from '../../src/tracker/figures.ts';
import { getOrInsert } from '../../src/tracker/maps.ts';
import { doubleShareMax } from '../../src/tracker/page-price.ts';
import { mayStopEarly } from '../../src/tracker/paging.ts';
import { type Market, marketName, type Project, type Target } from '../../src/tracker/project.ts';
import { wilsonInterval } from '../../src/tracker/proportions.ts';
import { dayMs, daysBetween } from '../../src/tracker/schedule/time-units.ts';
import { compileTargets, targetKey } from '../../src/tracker/targets/target.ts';
import {
  cheapestBelieved,
  looksMin,
  type Offer,
  SourceJudge,
  type Standing,
} from '../../src/tracker/trust/agreement.ts';
import {
  agreementOf,
  isSiteField,
  type JointLook,
  type SeenPage,
  type SiteField,
  type SmallDifferences,
  type SourceLook,
  siteFields,
  smallDifferences,
} from '../../src/tracker/trust/looks.ts';
import { linkKey } from '../../src/tracker/trust/page-trust.ts';
import { type BestSources, checkLabel, type JobContext, memberLabel } from '../context.ts';

/** Of the pages of a service; a third of `doubleShareMax` decides what others left open. */
const plannedShare = 0.02;
/** More doubles in a run say nothing that these do not. */
const doublesMax = 60;
/** While a source is doubted, a run has so many: what they show decides about those of the next run. */
const doubtDoublesMax = 12;
/** Of the searches of a run, so many are considered for its doubles. */
const candidatesMax = 200;
/** So many of the doubles are searches in which a tracked site was found the last time; each site has its turn. */
const trackedShare = 0.75;
/** Over so many days pages and doubles are counted, so that a small project has its doubles as well. */
const sharedDays = 28;
/** While a source is doubted, those of days to come count, too, within `sharedDays`: two dozen pages decide a doubt. */
const borrowedDays = 14;
const borrowedMax = 24;
/** So many more for third looks where one of two sources probably lies a little. */
const decidingMax = 8;
/** Until they are paid back, a run still has some: a source that was cleared of the doubt may begin to differ more. */
const leastShare = 0.01;
/** Searches of a run that all sources look at which have not earned belief: two runs are enough. */
const learningDoubles = 3;
/** Least agreement, in results and in their order, with the last page of a search. Honest pages rarely have less. */
const strangeBelow = 0.7;
/**
 * So many pages of a run show a tracked site better than the last page of their search, or worse, or not at all, or
 * alone, in a share that is this much larger than that of other results: then some of them are looked at, and more
 * where these bear it out.
 */
const changedMin = 4;
const changedShare = 0.05;
const changedDoublesMax = 2;
/** Joint looks that beliefs are made of. */
const looksMax = 500;
/** A source that was named is looked at again after so many days. */
const probeDays = 2;

/** One service of `mode: best`, with its sources and how far they are believed. */
class BestService {
  readonly sources: BestSources;
  readonly judge: SourceJudge;
  readonly #labels: ReadonlyMap<string, string>;
  readonly offers: readonly Offer[];
  readonly #lastLooks = new Map<string, number>();
  /** Sources that differed in this run, and no page was left to ask which is right. */
  readonly #unsettled = new Set<string>();

  constructor(context: JobContext, sources: BestSources, looks: readonly JointLook[]) {
    this.sources = sources;
    this.#labels = new Map(sources.of.map((each) => [memberLabel(context, each), each]));
    this.judge = new SourceJudge(sources.of, sources.agreement);
    const sold = new Map(context.store.jointLooks.soldLately().map((row) => [row.service, row]));
    this.offers = sources.of.map((source) => {
      const { charged = 0, believed = 0 } = sold.get(source) ?? {};
      // one page more of each: a source whose pages were all useless is dear, and has a price
      return { source, microUsd: ((sources.microUsd.get(source) ?? 0) * (charged + 1)) / (believed + 1) };
    });
    for (const look of looks) this.add(look);
  }

  /** The look with the names of sources; null: it concerns others. */
  named(look: JointLook): JointLook | null {
    const looks = look.looks.flatMap((each) => {
      const source = this.#labels.get(memberOf(each.source));
      return source === undefined ? [] : [{ ...each, source }];
    });
    return looks.length < 2 ? null : { ...look, looks };
  }

  add(look: JointLook): void {
    const named = this.named(look);
    if (named === null) return;
    this.judge.add(named);
    for (const { source } of named.looks) this.#lastLooks.set(source, named.at);
  }

  /** Null: none of them is usable. */
  choose(group: string, depth: number, isUsable: (source: string) => boolean): string | null {
    const usable = this.offers.filter(({ source }) => isUsable(source));
    const settled = usable.filter(({ source }) => !this.#unsettled.has(source));
    const offers = settled.length > 0 ? settled : usable;
    const [first] = this.sources.of;
    // without the first, the next in the list is no better known than the others
    const standings = new Map(
      this.sources.of.map((source) => [source, this.judge.standing(source, { group, depth }).belief]),
    );
    const inOrder = offers.toSorted((one, other) => Number(other.source === first) - Number(one.source === first));
    return cheapestBelieved(inOrder, (source) => standings.get(source) ?? 'learning')?.source ?? null;
  }

  /** Sources that differ are left out of the run: not the first of the list, nor the only one that is believed. */
  leaveOpen(sources: readonly string[]): void {
    const isSound = (source: string): boolean =>
      source === this.sources.of[0] || this.judge.standing(source).belief === 'believed';
    const areAllSound = sources.every(isSound);
    for (const source of sources)
      if (source !== this.sources.of[0] && (areAllSound || !isSound(source))) this.#unsettled.add(source);
  }

  /** Sources that would save money if a doubt ended. */
  get doubted(): string[] {
    const priceOf = (source: string | null): number =>
      this.offers.find((offer) => offer.source === source)?.microUsd ?? Number.POSITIVE_INFINITY;
    const used = priceOf(this.choose('', 1, () => true));
    return this.sources.of.filter((source) => {
      const { belief, looks } = this.judge.standing(source);
      return priceOf(source) < used && belief === 'doubted' && looks >= looksMin;
    });
  }

  /** Sources that have not earned belief in page 1. */
  get learning(): string[] {
    return this.sources.of.slice(1).filter((source) => {
      const { belief, looks } = this.judge.standing(source, { depth: 1 });
      return belief !== 'named' && looks < looksMin;
    });
  }

  /** How many of so many checks are doubled. In doubt, a page is left for each third that decides. */
  doublesOf(checks: number, left: number): number {
    const { doubted } = this;
    const planned = Math.ceil(checks * plannedShare);
    if (doubted.length === 0) return Math.min(planned, left);
    const most = Math.max(planned, doubtDoublesMax);
    return Math.min(most, doubted.some((source) => this.judge.isConfirmed(source)) ? left : Math.ceil(left / 2));
  }

  /**
   * The source that each of so many doubles looks at: the first at the one that is bought from, the others in turn,
   * from run to run. Empty: there is none to look at.
   */
  toLookAt(now: number, runId: number, count: number): string[] {
    if (count < 1) return [];
    const standings = this.sources.of.map((source) => this.judge.standing(source));
    const of = (belief: Standing['belief']): string[] =>
      this.offers
        .toSorted((one, other) => one.microUsd - other.microUsd)
        .map(({ source }) => source)
        .filter((source) => standings.find((each) => each.source === source)?.belief === belief);
    const [first = ''] = this.sources.of;
    const learning = of('learning').filter((source) => source !== first);
    const probes = of('named').filter((source) => now - (this.#lastLooks.get(source) ?? 0) >= probeDays * dayMs);
    const used = this.choose('', 1, () => true);
    const { doubted } = this;
    const own = used === null || used === first ? [] : [used];
    const believed = of('believed').filter((source) => source !== used && source !== first);
    const others = [...learning, ...believed, ...of('doubted'), ...probes];
    const inTurn = doubted.length > 0 ? doubted : others.length > 0 ? others : own.length > 0 ? own : of('believed');
    // while others must still earn belief, a single double looks at them every other run
    const isOwnFirst = doubted.length === 0 && (count > 1 || learning.length === 0 || runId % 2 === 0);
    const chosen = isOwnFirst ? [...own] : [];
    // once all have, most looks are at the one that sells
    if (isOwnFirst && learning.length === 0 && runId % 3 > 0)
      while (chosen.length > 0 && chosen.length < count) chosen.push(...own);
    for (let at = 0; chosen.length < count && inTurn.length > 0; at += 1) {
      const next = inTurn[(runId + at) % inTurn.length];
      if (next !== undefined) chosen.push(next);
    }
    return chosen;
  }
}

/** A check that is to be looked at, and how many it stands for. */
interface Sought {
  readonly id: number;
  readonly standsFor: number;
}

const newChanges = () => ({
  changed: [] as (Pick<SmallDifferences, 'displaced' | 'absent'> & {
    readonly id: number;
    readonly change: SiteField | 'alike';
  })[],
  doubled: new Set<number>(),
});

/** The choices of one run; they follow what its doubles show. */
export class SourceChoice {
  readonly #context: JobContext;
  readonly #services = new Map<string, BestService>();
  /** By source and tracked site, how the pages of this run show it beside the last ones of their searches. */
  readonly #changed = new Map<string, ReturnType<typeof newChanges>>();
  /** Doubled checks of this run that were judged. */
  readonly #judged = new Set<number>();
  /** Pages that may still be bought to compare, by service, those of the days to come, and the least of this run. */
  readonly #left = new Map<string, { left: number; readonly coming: number; least: number }>();

  constructor(context: JobContext) {
    this.#context = context;
    const { best = new Map<string, BestSources>(), store } = context;
    if (best.size === 0) return;
    const looks = store.jointLooks.newest(looksMax).flatMap((doubled) => readLook(context, doubled) ?? []);
    for (const [name, sources] of best) this.#services.set(name, new BestService(context, sources, looks));
  }

  /** Names of services that choose. */
  get names(): readonly string[] {
    return [...this.#services.keys()];
  }

  sourcesOf(name: string): readonly string[] {
    return this.#services.get(name)?.sources.of ?? [];
  }

  /**
   * The check with the source that it buys from: one that is believed for the pages that it needs. One that has bought
   * goes on there. `wasMoved`: another source could not complete it. Null: no source is usable now.
   */
  withSeller(check: PlannedCheck, isUsable: (source: string) => boolean, wasMoved: boolean): PlannedCheck | null {
    const service = this.#services.get(check.market.service);
    if (service === undefined) return check;
    const { jointLooks } = this.#context.store;
    const bound = jointLooks.sellerOf(check.id);
    if (bound !== null && service.sources.of.includes(bound) && isUsable(bound)) return { ...check, seller: bound };
    const doubled = check.sequence < 0 ? jointLooks.of(check.id) : null;
    const looking = doubled === null ? [] : jointLooks.checks(doubled).map((each) => each.service);
    const group = groupOf(check.market);
    const depth = wasMoved || !mayStopEarly(check.paging) ? check.depth : this.#pagesExpected(check);
    const seller =
      service.choose(group, depth, (source) => isUsable(source) && !looking.includes(source)) ??
      service.choose(group, depth, isUsable);
    return seller === null ? null : { ...check, seller };
  }

  /** As many as the search needed the last time. */
  #pagesExpected(check: Pick<PlannedCheck, 'id' | 'searchId' | 'depth'>): number {
    return Math.max(1, Math.min(check.depth, this.#context.store.jointLooks.lastPages(check) ?? 1));
  }

  /** Pages for which the seller of a check is believed; it has no limit where it alone decides. */
  depthBelieved({ market, seller }: PlannedCheck): number {
    const service = this.#services.get(market.service);
    if (service === undefined || service.sources.of[0] === seller) return Number.POSITIVE_INFINITY;
    return service.judge.standing(seller, { group: groupOf(market) }).depth || Number.POSITIVE_INFINITY;
  }

  /** Plans the doubles of a run. Call inside the transaction that ends its planning. */
  planDoubles(runId: number): void {
    const { store, clock } = this.#context;
    for (const [name, service] of this.#services) {
      if (service.sources.of.length < 2) continue;
      const candidates = store.jointLooks.planned(runId, name);
      const draw = new DoubleDraw(this.#context, candidates);
      this.#planToLearn(name, runId, service.learning, draw);
      const left = this.#pagesLeft(name, runId);
      const count = Math.min(doublesMax, candidates.length, left, service.doublesOf(candidates.length, left));
      for (const source of service.toLookAt(clock.now(), runId, count)) {
        const { depth } = service.judge.standing(source);
        const drawn = draw.next(depth < draw.deepest, service.judge.suspectedSite(source));
        // a look at the deeper pages waits until there is room for it, and for a third
        const room = this.#pagesLeft(name, runId);
        if (drawn !== null && room > 0) this.#double(name, drawn.id, source, room > drawn.pages ? drawn.pages : 1);
      }
    }
  }

  /** All that have not earned belief look at one search: three looks say more than two and two. */
  #planToLearn(name: string, runId: number, sources: readonly string[], draw: DoubleDraw): void {
    if (sources.length === 0) return;
    for (let count = 0; count < learningDoubles; count += 1) {
      const room = Math.floor(this.#pagesLeft(name, runId, borrowedMax) / sources.length);
      const drawn = room < 1 ? null : draw.next(false, null);
      if (drawn === null) return;
      for (const source of sources) this.#double(name, drawn.id, source, 1);
    }
  }

  #double(name: string, checkId: number, source: string, depth: number, standsFor = 1): void {
    this.#context.store.jointLooks.double(checkId, source, depth, standsFor);
    const known = this.#left.get(name);
    if (known === undefined) return;
    known.left -= depth;
    known.least -= depth;
  }

  /**
   * Pages that may still be bought to compare, if each planned check of the run reads one. `borrowed`: so many of days
   * to come count, or more while a source is doubted.
   */
  #pagesLeft(name: string, runId: number, borrowed = 0): number {
    const { left, coming, least } = this.#left.get(name) ?? this.#countLeft(name, runId);
    const isDoubting = (this.#services.get(name)?.doubted ?? []).length > 0;
    const most = Math.max(borrowed, isDoubting ? borrowedMax : 0);
    if (most > 0) return left + Math.min(most, coming);
    return left < 0 ? Math.min(least, left + coming) : left;
  }

  #countLeft(name: string, runId: number) {
    const { store, clock } = this.#context;
    const planned = store.jointLooks.planned(runId, name).length;
    const { pages, doubles, firstAt } = store.jointLooks.pagesSince(name, clock.now() - sharedDays * dayMs);
    const days = firstAt === null ? 0 : daysBetween(firstAt, clock.now());
    const perDay = (pages + planned) / Math.max(1, days + 1);
    const coming = perDay * Math.max(0, Math.min(borrowedDays, sharedDays - days));
    const counted = {
      left: Math.floor((pages + planned) * doubleShareMax) - doubles,
      coming: Math.floor(coming * doubleShareMax),
      least: Math.ceil(planned * leastShare),
    };
    this.#left.set(name, counted);
    return counted;
  }

  /** A page that is unlike the last one of its search is looked at from another source, too: at once, not by chance. */
  #doubleIfStrange({ id, runId, searchId, seller, market, projects }: PlannedCheck): void {
    const { store } = this.#context;
    const service = this.#services.get(market.service);
    const [page] = store.pages.ofCheck(id);
    if (service === undefined || page?.page !== 1) return;
    const before = store.pageHistory.lastComplete(searchId, checkLabel(page.source), id)?.get(1);
    if (before === undefined) return;
    const tracked = sitesOf(projects.flatMap((name) => this.#context.projects.get(name) ?? []));
    const compiled = compileTargets(tracked);
    const seen = (urls: readonly string[]): SourceLook => lookOf(seller, urls, compiled, tracked);
    const [now, last] = [seen(page.organic.map(({ url }) => url)), seen(before)];
    const other = service.choose(groupOf(market), 1, (source) => source !== seller);
    if (other === null) return;
    const isSuspected = (site: string, field: SiteField) => service.judge.isSuspected(seller, site, field);
    const sought = this.#changedAtOnce(id, seller, now, last, isSuspected);
    for (const { id: each, standsFor } of sought)
      if (this.#pagesLeft(market.service, runId, borrowedMax) > 0)
        this.#double(market.service, each, other, 1, standsFor);
    const { urls = 1, order = 1 } = agreementOf(now, last) ?? {};
    const isStrange = sought.length === 0 && Math.min(urls, order) < strangeBelow;
    if (isStrange && this.#pagesLeft(market.service, runId) > 0) this.#double(market.service, id, other, 1);
  }

  /**
   * The checks of this run in which a tracked site has changed in one direction, and which are to be looked at for
   * that: none while they are no more than an engine changes overnight.
   */
  #changedAtOnce(
    id: number,
    seller: string,
    now: SourceLook,
    last: SourceLook,
    isSuspected: (site: string, field: SiteField) => boolean,
  ): Sought[] {
    const sites = [...new Set([now, last].flatMap((look) => [...(look.sites?.keys() ?? [])]))];
    const found = new Map<number, Sought>();
    const differences = smallDifferences(now, last, sites);
    if (differences === null) return [];
    const { displaced, absent } = differences;
    for (const [site, change] of differences.sites) {
      const { changed, doubled } = getOrInsert(this.#changed, `${seller} ${site}`, newChanges);
      changed.push({ id, change, displaced, absent });
      for (const field of siteFields) {
        const of = changed.filter((each) => each.change === field);
        const isRank = field === 'better' || field === 'worse';
        const others = sumOf(changed, (each) => (isRank ? each.displaced : each.absent) / 2); // one of two directions
        const least = changedShare + others / changed.length;
        if (of.length < changedMin || wilsonInterval({ count: of.length, of: changed.length }, 1).low < least) continue;
        const standsFor = Math.round(changed.length / of.length);
        const most = isSuspected(site, field) ? doubtDoublesMax : changedDoublesMax;
        for (const each of of.slice(0, most).filter((one) => !doubled.has(one.id))) {
          doubled.add(each.id);
          found.set(each.id, { id: each.id, standsFor });
        }
      }
    }
    return [...found.values()];
  }

  /**
   * A check has ended: if it completes a joint look, its sources are judged, or a further source is asked which is
   * right. Call inside a transaction.
   */
  onEnded(check: PlannedCheck): void {
    const { id: checkId, runId } = check;
    const { store } = this.#context;
    const doubled = store.jointLooks.of(checkId);
    if (doubled === null) this.#doubleIfStrange(check);
    if (doubled === null || this.#judged.has(doubled.checkId)) return;
    const checks = store.jointLooks.checks(doubled);
    if (checks.some(({ state }) => state === 'planned' || state === 'running')) return;
    const look = readLook(this.#context, doubled);
    if (look === null) return;
    let isOpen = false;
    for (const [name, service] of this.#services) {
      const named = service.named(look);
      if (named === null) continue;
      const asked = named.looks.map(({ source }) => source);
      const depth = Math.max(1, ...checks.slice(1).map((each) => each.depth));
      const third = service.choose(look.group, depth, (source) => !asked.includes(source));
      if (service.judge.isOpen(named)) {
        if (third !== null && this.#pagesLeft(name, runId, borrowedMax + decidingMax) >= depth) {
          this.#double(name, doubled.checkId, third, depth);
          isOpen = true;
          continue;
        }
        service.leaveOpen(asked);
      }
      service.add(look);
    }
    if (!isOpen) this.#judged.add(doubled.checkId);
  }

  /** How far each source is believed, in the order of the config. */
  standings(): SourceStanding[] {
    return [...this.#services].flatMap(([service, { sources, judge, offers }]) =>
      sources.of.map((source): SourceStanding => {
        const standing = judge.standing(source);
        const microUsd = offers.find((offer) => offer.source === source)?.microUsd ?? 0;
        const text = standing.because === null ? null : disbeliefText(source, standing.because);
        return { service, ...standing, microUsd, text };
      }),
    );
  }

  /** A sentence for each source that is named. */
  remarks(): string[] {
    return this.standings().flatMap(({ service, belief, text }) => (belief === 'named' ? [`${service}: ${text}`] : []));
  }
}

/** The searches that the doubles of a run look at. */
class DoubleDraw {
  readonly #random: () => number;
  readonly #candidates: (DoubleCandidate & { readonly sites: readonly string[] })[];
  /** The most pages that a search needs. */
  readonly deepest: number;
  #drawn = 0;

  constructor({ store, random, projects, clock }: JobContext, ids: readonly number[]) {
    this.#random = random;
    const left = [...ids];
    const some = Array.from({ length: Math.min(candidatesMax, left.length) }, () => this.#take(left));
    const candidates = store.jointLooks.candidates(some.filter((id) => id !== null));
    const found = new Map<number, string[]>();
    for (const [name, project] of projects) {
      const own = candidates.filter((each) => each.projects.includes(name));
      for (const target of sitesOf(own.length === 0 ? [] : [project])) {
        const ids = own.map(({ searchId }) => searchId);
        const identity = { identity: targetKey(target), match: target.match, value: target.value };
        // not only the last time: a source may leave it out since
        const since = clock.now() - sharedDays * dayMs;
        const ranked = new Set(store.rankings.rankedSince(store.names.targetId(identity), ids, since));
        for (const { id, searchId } of own)
          if (ranked.has(searchId)) getOrInsert(found, id, () => []).push(target.value);
      }
    }
    this.#candidates = candidates.map((each) => ({ ...each, sites: found.get(each.id) ?? [] }));
    this.deepest = Math.max(1, ...candidates.map(({ pages }) => pages ?? 1));
  }

  /**
   * Most doubles are searches that show a tracked site, one site after the other; of a site that is doubted, those that
   * show it. `isDeep`: every other double is a search that needs the most pages.
   */
  next(isDeep: boolean, doubted: string | null): { readonly id: number; readonly pages: number } | null {
    this.#drawn += 1;
    const sites = [...new Set(this.#candidates.flatMap((each) => each.sites))];
    const site = doubted ?? (this.#random() < trackedShare ? this.#take(sites) : null);
    const deep = this.#candidates.filter(({ pages }) => (pages ?? 1) === this.deepest);
    const ofSite = this.#candidates.filter(({ sites }) => site !== null && sites.includes(site));
    const drawn = this.#take(
      isDeep && this.#drawn % 2 === 0 ? deep : ofSite.length > 0 ? [...ofSite] : [...this.#candidates],
    );
    if (drawn === null) return null;
    this.#candidates.splice(this.#candidates.indexOf(drawn), 1);
    return { id: drawn.id, pages: drawn.pages ?? 1 };
  }

  /** Takes one out, by chance; null: there is none. */
  #take<Item>(from: Item[]): Item | null {
    return from.splice(Math.floor(this.#random() * from.length), 1)[0] ?? null;
  }
}

/** The targets of projects that results pages list. */
function sitesOf(projects: readonly Pick<Project, 'targets' | 'competitors'>[]): Target[] {
  return projects
    .flatMap(({ targets, competitors }) => [...targets, ...competitors])
    .filter(({ match }) => match !== 'place');
}

/** A source of a service of `mode: best`. */
export interface SourceStanding extends Standing {
  readonly service: string;
  /** Of a page that was believed, failures included. */
  readonly microUsd: number;
  /** Why it is not believed; null: nothing speaks against it. */
  readonly text: string | null;
}

const fieldWords = {
  urls: 'in which results it lists',
  order: 'in the order of results',
  results: 'in the results that it lists, or in their order',
  features: 'in the features that it shows',
  ai_overview: 'in whether there is an AI overview',
  ads: 'in whether there are ads',
  small_order: 'in the order of results',
  place: 'in the order of results',
} as const;

const siteWords: Readonly<Record<SiteField, (site: string) => string>> = {
  better: (site) => `in the rank of ${site}, which is better there`,
  worse: (site) => `in the rank of ${site}, which is worse there`,
  missing: (site) => `in results of ${site}, which it leaves out`,
  extra: (site) => `in results of ${site}, which only it lists`,
};

/** Why a source is not used. */
function disbeliefText(source: string, because: NonNullable<Standing['because']>): string {
  const { group, since, page } = because;
  const where = `${page === 1 ? '' : ` below page ${page - 1}`}${group === null ? '' : ` in ${group}`}`;
  const day = new Date(since).toISOString().slice(0, 10);
  return `nothing is bought from ${source}${where}: since ${day} it differs from the other sources ${differenceText(because)}`;
}

/** In what a source differs, as the end of a sentence. */
export function differenceText(because: NonNullable<Standing['because']>): string {
  const { field, site, odd, looks, keyword } = because;
  const what = isSiteField(field) ? siteWords[field](site ?? '') : fieldWords[field];
  return `${what}, in ${odd} of ${looks} searches that were compared, such as "${keyword}"`;
}

function groupOf({ country, language, device }: Pick<Market, 'country' | 'language' | 'device'>): string {
  return marketName({ country, language, device });
}

/** The source itself, of a label that begins with one that it agrees with. */
function memberOf(label: string): string {
  return label.slice(label.indexOf('=') + 1);
}

/** A page as sources are compared by it. */
export function seenPage({ organic, features }: Pick<PageContents, 'organic' | 'features'>): SeenPage {
  return { links: organic.map(({ url }) => linkKey(url)), features: features.map(({ type }) => type) };
}

/** History has links without a scheme. */
const linkUrl = (link: string): string => (/^https?:/.test(link) ? link : `https://${link}`);

/** Page 1 with these results. */
function lookOf(
  source: string,
  urls: readonly string[],
  compiled: ReturnType<typeof compileTargets>,
  tracked: readonly Target[],
): SourceLook {
  const sites = new Map<string, string>();
  for (const url of urls)
    for (const index of compiled.matchingIndexes(linkUrl(url)))
      getOrInsert(sites, tracked[index]?.value ?? '', () => linkKey(url));
  return { source, pages: new Map([[1, { links: urls.map(linkKey), features: [] }]]), sites };
}

/** What the sources of a doubled check showed; null: fewer than two showed anything. */
function readLook(
  { store, projects }: Pick<JobContext, 'store' | 'projects'>,
  doubled: DoubledCheck,
): JointLook | null {
  const checks = store.jointLooks.checks(doubled);
  const [first] = checks;
  if (first === undefined) return null;
  const tracked = sitesOf(first.projects.flatMap((name) => projects.get(name) ?? []));
  const compiled = compileTargets(tracked);
  const looks = checks.flatMap(({ id, state, source }): SourceLook[] => {
    if (source === null || (state !== 'ok' && state !== 'incomplete')) return [];
    // a check that one source could not complete has pages of two
    const pages = store.pages.ofCheck(id).filter((page) => memberOf(checkLabel(page.source)) === memberOf(source));
    const urls = pages.flatMap(({ organic }) => organic.map(({ url }) => url));
    const { sites } = lookOf(source, urls, compiled, tracked);
    return [{ source, pages: new Map(pages.map((page) => [page.page, seenPage(page)])), sites }];
  });
  if (looks.length < 2) return null;
  const { keyword, moment: at } = first;
  const sites = [...new Set(tracked.map(({ value }) => value))];
  return { group: groupOf(first), keyword, at, looks, sites, standsFor: doubled.standsFor };
}
