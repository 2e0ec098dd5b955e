// The pages of one check: at hand, read, lost, and which one comes next. Buying them is left to others.
import type { PlannedCheck } from '../db/checks.ts';
import { areMostlyTheSame } from '../src/tracker/link-key.ts';
import { followedTargets, mayStopEarly, nextPage } from '../src/tracker/paging.ts';
import type { KeptPage, LostPage } from './check-end.ts';
import { endOfResults, evidenceOf } from './evidence.ts';
import { doubtRemedy, keysOf } from './page-judge.ts';
import type { CheckTargets } from './targets.ts';

export class CheckPages {
  readonly #check: PlannedCheck;
  readonly #targets: CheckTargets;
  readonly #read = new Map<number, KeptPage>();
  readonly #lost: LostPage[] = [];
  /** Pages that need not be bought. */
  atHand: ReadonlyMap<number, KeptPage> = new Map();
  /** One an own target; only `anchored` paging asks. */
  lastKnown: readonly (number | null)[] = [];
  /** How many of those read were at hand. */
  taken = 0;

  constructor(check: PlannedCheck, targets: CheckTargets) {
    this.#check = check;
    this.#targets = targets;
  }

  /** The way back to this moment. */
  mark(): () => void {
    const read = [...this.#read];
    const lost = this.#lost.length;
    const { atHand, lastKnown, taken } = this;
    return () => {
      this.#read.clear();
      for (const [number, page] of read) this.#read.set(number, page);
      this.#lost.length = lost;
      Object.assign(this, { atHand, lastKnown, taken });
    };
  }

  get read(): readonly KeptPage[] {
    return [...this.#read.values()];
  }

  get lost(): readonly LostPage[] {
    return this.#lost;
  }

  add(page: KeptPage): void {
    this.#read.set(page.page, page);
  }

  lose(page: LostPage): void {
    this.#lost.push(page);
  }

  /** Takes a page that is at hand, or loses it where it proves nothing beside those that were read; false where it is not at hand. */
  take(page: number): boolean {
    const found = this.atHand.get(page);
    if (found === undefined) return false;
    const before = this.#repeatedBy(found);
    if (before !== null) {
      this.lose({ page, reason: `it repeats page ${before}`, remedy: doubtRemedy('repeated_page') });
      return true;
    }
    this.add(found);
    this.taken += 1;
    return true;
  }

  /** The page that the strategy asks for next; null where it has all it can get. */
  next(): number | null {
    const read = this.read;
    return nextPage({
      strategy: this.#check.paging,
      depth: this.#check.depth,
      lastKnownPages: this.lastKnown,
      read: read.map((page) => page.page),
      failed: this.#lost.map((lost) => lost.page),
      endsAfterPage: endOfResults(read),
      allFound: this.#allFound(read),
    });
  }

  /** The worst case: every page down to the depth that is neither at hand nor lost. */
  toBuyAtMost(): number {
    const lost = new Set(this.#lost.map(({ page }) => page));
    let count = 0;
    for (let page = 1; page <= this.#check.depth; page += 1) {
      if (!this.#read.has(page) && !this.atHand.has(page) && !lost.has(page)) count += 1;
    }
    return Math.max(1, count);
  }

  /** The links of the pages that were read, in the form in which they are compared. */
  links(): ReadonlyMap<number, readonly string[]> {
    return new Map([...this.#read].map(([page, kept]) => [page, keysOf(kept)] as const));
  }

  #repeatedBy(found: KeptPage): number | null {
    const links = keysOf(found);
    for (const [page, others] of this.links()) if (links.length > 0 && areMostlyTheSame(links, others)) return page;
    return null;
  }

  #allFound(pages: readonly KeptPage[]): boolean {
    if (pages.length === 0 || !mayStopEarly(this.#check.paging)) return false;
    const { outcomes } = evidenceOf(pages, this.#targets, this.#check.depth, false);
    const followed = followedTargets(this.#check.paging, this.#targets.ownCount, outcomes.length);
    return outcomes.slice(0, followed).every(({ kind }) => kind === 'ranked' || kind === 'seen');
  }
}
