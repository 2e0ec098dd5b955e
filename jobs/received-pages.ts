// What a check does with an answer for one of its pages: judges it, keeps it where it is believed, and reads again what was bought before and not used.
import type { PlannedCheck } from '../db/checks.ts';
import type { AnsweredPage, SearchDataService } from '../src/service/index.ts';
import type { Doubt } from '../src/tracker/page-trust.ts';
import type { RunPages } from '../src/tracker/run-pages.ts';
import type { LostPage } from './check-end.ts';
import type { CheckPages } from './check-pages.ts';
import { type JobContext, pageLabel } from './context.ts';
import { contentsOf } from './evidence.ts';
import type { PageBuyer } from './page-buyer.ts';
import { doubtRemedy, type Judgement, PageJudge } from './page-judge.ts';

/** What a check that is at work shares with those that do parts of it. */
export interface CheckParts {
  readonly check: PlannedCheck;
  readonly service: SearchDataService;
  /** How pages that are bought now are labelled. */
  readonly source: string;
  readonly moment: number;
  readonly pages: CheckPages;
  readonly buyer: PageBuyer;
}

/** What came of an answer that was bought before: `none` was there, or it is of no use and another may be bought. */
export type ReadAgain = { readonly kind: 'none' | 'kept' } | { readonly kind: 'lost'; readonly page: LostPage };

/** Its methods belong inside transactions. */
export class ReceivedPages {
  readonly #context: JobContext;
  readonly #parts: CheckParts;
  readonly #judge: PageJudge;

  constructor(context: JobContext, parts: CheckParts, runPages: RunPages) {
    this.#context = context;
    this.#parts = parts;
    this.#judge = new PageJudge(context, parts.check, parts.service, parts.source, runPages);
  }

  judge(page: number, purchaseId: number, answer: AnsweredPage): Judgement {
    const { buyer, pages } = this.#parts;
    const { doubts } = answer;
    const judged = { purchaseId, request: buyer.request(page), contents: contentsOf(answer), doubts };
    return this.#judge.judge(judged, pages.links());
  }

  keep(page: number, purchaseId: number, answer: AnsweredPage): void {
    const { check, moment, source, pages } = this.#parts;
    const stored = {
      ...contentsOf(answer),
      searchId: check.searchId,
      moment,
      page,
      purchaseId,
      observedAt: Math.min(answer.observedAt, this.#context.clock.now()),
      source: pageLabel(source, answer),
    };
    pages.add({ ...stored, id: this.#context.store.pages.insert(stored) });
  }

  /** An answer that was bought before and not used is read and judged again before more is bought: a later version may read it, a later look prove it. */
  readAgain(page: number): ReadAgain {
    const { buyer, service } = this.#parts;
    const unread = buyer.looks.unread(page);
    if (unread === null) return { kind: 'none' };
    const { purchaseId, body, receivedAt } = unread;
    let doubt: Doubt | null;
    try {
      const answer = { ...service.readPage(body, buyer.request(page), receivedAt), page, body, observedAt: receivedAt };
      const judgement = this.judge(page, purchaseId, answer);
      if (judgement.isBelieved) {
        this.keep(page, purchaseId, answer);
        this.#context.store.pages.markReadable(purchaseId);
        return { kind: 'kept' };
      }
      doubt = judgement.doubt;
    } catch (error) {
      if (buyer.looks.mayLookAgain(page)) return { kind: 'none' };
      const reason = `the answer that was bought cannot be read: ${error instanceof Error ? error.message : String(error)}`;
      return {
        kind: 'lost',
        page: { page, reason, remedy: 'It is kept, and read again by a later version.' },
      };
    }
    if (doubt === null || buyer.looks.mayLookAgain(page)) return { kind: 'none' };
    return { kind: 'lost', page: doubtedPage(page, doubt) };
  }
}

/** A page that is lost because it is not believed. */
export function doubtedPage(page: number, { reason, message }: Doubt): LostPage {
  return { page, reason: `${reason}: ${message}`, remedy: doubtRemedy(reason) };
}
