// The pages of one check: at hand, read, lost and next, and how a received one is judged by the past.
import type { PlannedCheck } from '../../db/history/checks/checks.ts';
import type { DoubtedPurchase, PageContents } from '../../db/history/checks/pages.ts';
import type { PageRequest, ReadPage, SearchDataService } from '../../src/service/index.ts';
import { mayStopEarly, nextPage } from '../../src/tracker/paging.ts';
import type { TargetOutcome } from '../../src/tracker/targets/match.ts';
import { placeUrl } from '../../src/tracker/targets/target.ts';
import {
  type Doubt,
  type DoubtReason,
  findDoubt,
  isPlainWords,
  isProven,
  linkKey,
  type RunPages,
  shareMostLinks,
} from '../../src/tracker/trust/page-trust.ts';
import type { JobContext } from '../context.ts';
import { type CheckTargets, type EvidencePage, endOfResults, proveOutcomes, toContents } from './evidence.ts';

/** A page of a check as it is stored. */
export interface KeptPage extends EvidencePage {
  readonly id: number;
  readonly source: string;
}

/** A page that the check lacks, and what to do about it. */
export interface LostPage {
  readonly page: number;
  readonly reason: string;
  readonly remedy: string | null;
  /** Its source failed: another one may have the page. */
  readonly isOfSource?: true;
}

export interface CheckPages {
  /** Pages that need not be bought, by number. */
  readonly atHand: ReadonlyMap<number, KeptPage>;
  /** In the order of reading. */
  readonly read: readonly KeptPage[];
  readonly lost: readonly LostPage[];
  /** How many of the pages read were not bought for this check. */
  readonly taken: number;
  /** One an own target; only `anchored` paging uses it. */
  readonly lastKnown: readonly (number | null)[];
}

export const noPages: CheckPages = { atHand: new Map(), read: [], lost: [], taken: 0, lastKnown: [] };

/** From when on a page is fresh enough to be at hand, UTC milliseconds; null where only the slot's own pages are. */
export function freshSince(freshForMs: number, now: number): number | null {
  return freshForMs === 0 ? null : now - freshForMs;
}

/** Reads a page that is at hand, or loses it if it repeats another one; null if it is not at hand. */
export function takePage(pages: CheckPages, page: number): CheckPages | null {
  const found = pages.atHand.get(page);
  if (found === undefined) return null;
  const links = linkKeys(found);
  for (const [before, others] of linksByPage(pages)) {
    if (links.length === 0 || !shareMostLinks(links, others)) continue;
    const lost = { page, reason: `it repeats page ${before}`, remedy: doubtRemedy('repeated_page') };
    return { ...pages, lost: [...pages.lost, lost] };
  }
  return { ...pages, read: [...pages.read, found], taken: pages.taken + 1 };
}

/** The page that the paging strategy reads next; null where the check has all it can get. */
export function findNextPage(check: PlannedCheck, targets: CheckTargets, pages: CheckPages): number | null {
  return nextPage({
    strategy: check.paging,
    depth: check.depth,
    lastKnownPages: pages.lastKnown,
    read: pages.read.map((page) => page.page),
    failed: pages.lost.map((lost) => lost.page),
    endsAfterPage: endOfResults(pages.read),
    allFound: isAllFound(check, targets, pages.read),
  });
}

/** The numbers of the pages that need not be bought: read, lost, or at hand. */
export function knownPages({ read, lost, atHand }: CheckPages): Set<number> {
  return new Set([...[...read, ...lost].map(({ page }) => page), ...atHand.keys()]);
}

/** The links of the pages that were read, in the form in which they are compared. */
export function linksByPage({ read }: CheckPages): ReadonlyMap<number, readonly string[]> {
  return new Map(read.map((page) => [page.page, linkKeys(page)] as const));
}

function isAllFound({ paging, depth }: PlannedCheck, targets: CheckTargets, read: readonly KeptPage[]): boolean {
  if (read.length === 0 || !mayStopEarly(paging)) return false;
  const { outcomes } = proveOutcomes(read, targets, depth, false);
  const followedCount = paging === 'until-all-found' ? outcomes.length : targets.ownCount;
  const isDecided = ({ kind }: TargetOutcome, index: number): boolean =>
    kind === 'ranked' || kind === 'seen' || targets.list[index]?.match === 'place';
  return outcomes.slice(0, followedCount).every(isDecided);
}

/** A page as it was received, by any purchase. */
interface JudgedPage {
  readonly purchaseId: number;
  readonly request: PageRequest;
  readonly contents: PageContents;
  readonly doubts: ReadPage['doubts'];
  /** The page itself, as an engine sends it to browsers, and not a vendor's or provider's list. */
  readonly isOfEngine: boolean;
}

/**
 * `doubt`: why one answer is not enough; null where it is. `isBelieved`: there is no doubt, or earlier answers prove
 * what the page says.
 */
export interface Judgement {
  readonly doubt: Doubt | null;
  readonly isBelieved: boolean;
}

const believed: Judgement = { doubt: null, isBelieved: true };

const reasons: readonly DoubtReason[] = [
  'empty_unproven',
  'decoy_page',
  'results_lost',
  'results_replaced',
  'repeated_page',
  'shared_results',
];

/** How a purchase is marked whose answer was doubted. */
export function doubtCode(reason: DoubtReason): string {
  return reason.toUpperCase();
}

/** What to do about a page that stays in doubt. */
export function doubtRemedy(reason: DoubtReason): string {
  if (reason === 'repeated_page') return 'The provider ignores the page number: use a depth of 1 there.';
  return 'The next run retries. If it persists, compare the page with a browser, and ask the provider.';
}

export class PageJudge {
  readonly #context: JobContext;
  readonly #check: PlannedCheck;
  readonly #service: SearchDataService;
  readonly #runPages: RunPages;
  /** The label of comparable checks. */
  readonly #source: string;
  #before: ReadonlyMap<number, readonly string[]> | null | undefined;

  constructor(
    context: JobContext,
    check: PlannedCheck,
    service: SearchDataService,
    source: string,
    runPages: RunPages,
  ) {
    this.#context = context;
    this.#check = check;
    this.#service = service;
    this.#source = source;
    this.#runPages = runPages;
  }

  /** `ofCheck`: the pages that the check has read, each with its links. */
  judge(page: JudgedPage, ofCheck: ReadonlyMap<number, readonly string[]>): Judgement {
    const { keyword } = this.#check;
    const { page: number } = page.request;
    const links = linkKeys(page.contents);
    // related keywords show the same places: twins are compared by organic results only
    const shown = shownKeys(page.contents);
    const received = { page: number, links: shown, doubts: page.doubts ?? [] };
    // a simulated page says nothing about the world, and a second purchase shows the same
    const isLive = this.#service.kind === 'live';
    const twins = isLive ? this.#runPages.twinsOf(keyword, number, links) : [];
    const before = isLive || received.doubts.length > 0 ? this.#pagesBefore() : null;
    // a page that is added again replaces itself, so a repeated transaction changes nothing
    if (isLive) this.#runPages.add(keyword, number, links);
    const isNew = isLive && page.isOfEngine && before === null && isPlainWords(keyword);
    const doubt = findDoubt(received, { before, ofCheck, twins, isNew });
    if (doubt === null) return believed;
    const code = doubtCode(doubt.reason);
    const errorRate = this.#context.store.pageHistory.errorRate(this.#check.seller, code, this.#check.searchId);
    const agreeing = 1 + this.#agreeingBefore(page, code, shown);
    return { doubt, isBelieved: isProven(doubt.reason, { agreeing, errorRate }) };
  }

  #pagesBefore(): ReadonlyMap<number, readonly string[]> | null {
    if (this.#before === undefined) {
      const { searchId, id } = this.#check;
      const pages = this.#context.store.pageHistory.lastComplete(searchId, this.#source, id);
      this.#before =
        pages === null ? null : new Map([...pages].map(([page, links]) => [page, links.map(linkKey)] as const));
    }
    return this.#before;
  }

  /** How many answers in a row before this one were doubted for the same reason and show the same. */
  #agreeingBefore({ purchaseId, request }: JudgedPage, code: string, links: readonly string[]): number {
    const codes = reasons.map(doubtCode);
    const earlier = this.#context.store.pageHistory.doubtedAnswers(
      this.#check.searchId,
      request.page,
      codes,
      purchaseId,
    );
    const different = earlier.findIndex(
      (answer) => answer.errorCode !== code || (links.length > 0 && !this.#shows(answer, request, links)),
    );
    return different === -1 ? earlier.length : different;
  }

  /** Whether the answer of an earlier purchase lists the same results. */
  #shows({ purchaseId, at }: DoubtedPurchase, request: PageRequest, links: readonly string[]): boolean {
    const body = this.#context.store.pages.body(purchaseId);
    if (body === null) return false;
    try {
      const read = this.#service.readPage(body, request, at);
      return shareMostLinks(links, shownKeys(toContents(read)));
    } catch {
      return false;
    }
  }
}

/** What identifies a page: its organic links, or the addresses of its places where it has places alone. */
function shownKeys({ organic, places = [] }: Pick<PageContents, 'organic' | 'places'>): string[] {
  if (organic.length > 0) return linkKeys({ organic });
  return places.map((place) => linkKey(placeUrl(place) ?? place.name));
}

/** The organic links of a page, in the form in which they are compared. */
function linkKeys({ organic }: Pick<PageContents, 'organic'>): string[] {
  return organic.map(({ url }) => linkKey(url));
}
