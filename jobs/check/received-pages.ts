// Judges the pages that a check receives, keeps the valid ones and reuses bought ones. Call inside transactions.
import { type AnsweredPage, errorText, type ReadPage } from '../../src/service/index.ts';
import type { Doubt } from '../../src/tracker/trust/page-trust.ts';
import { pageLabel } from '../context.ts';
import { mayBuyAgain, type NextPurchase } from '../purchase/page-purchases.ts';
import type { KeptPage, LostPage } from './check-end.ts';
import { type CheckPages, linksByPage } from './check-pages.ts';
import type { CheckJob } from './check-state.ts';
import { toContents } from './evidence.ts';
import { doubtRemedy, type Judgement } from './page-judge.ts';

export function judgeAnswer(
  { buyer, judge }: CheckJob,
  pages: CheckPages,
  page: number,
  purchaseId: number,
  answer: AnsweredPage,
): Judgement {
  const { doubts } = answer;
  const judged = { purchaseId, request: buyer.request(page), contents: toContents(answer), doubts };
  return judge.judge(judged, linksByPage(pages));
}

export function keepPage(job: CheckJob, page: number, purchaseId: number, answer: AnsweredPage): KeptPage {
  const { context, check, run, source } = job;
  const stored = {
    ...toContents(answer),
    searchId: check.searchId,
    moment: run.moment,
    page,
    purchaseId,
    observedAt: Math.min(answer.observedAt, context.clock.now()),
    source: pageLabel(source, answer),
  };
  return { ...stored, id: context.store.pages.insert(stored) };
}

/**
 * The result of reading an answer that was bought before. Null: there is none, or it is unusable and another may be
 * bought.
 */
export type ReadAgain =
  | { readonly kind: 'kept'; readonly page: KeptPage }
  | { readonly kind: 'lost'; readonly page: LostPage }
  | null;

/** Reads an unused answer again before more is bought: a later version may read it, a later purchase may prove it. */
export function readAgain(job: CheckJob, pages: CheckPages, purchase: NextPurchase): ReadAgain {
  const { context, buyer, service } = job;
  const { page } = purchase;
  const unread = buyer.purchases.unread(purchase);
  if (unread === null) return null;
  const { purchaseId, body, receivedAt } = unread;
  let read: ReadPage;
  try {
    read = service.readPage(body, buyer.request(page), receivedAt);
  } catch (error) {
    if (mayBuyAgain(purchase)) return null;
    const reason = `the paid answer is unreadable: ${errorText(error)}`;
    return { kind: 'lost', page: { page, reason, remedy: 'It is kept, so that a later version can read it.' } };
  }
  const answer = { ...read, page, body, observedAt: receivedAt };
  const { doubt, isBelieved } = judgeAnswer(job, pages, page, purchaseId, answer);
  if (isBelieved) {
    const kept = keepPage(job, page, purchaseId, answer);
    context.store.pages.markReadable(purchaseId);
    return { kind: 'kept', page: kept };
  }
  if (doubt === null || mayBuyAgain(purchase)) return null;
  return { kind: 'lost', page: doubtedPage(page, doubt) };
}

/** A page that is lost because it is not believed. */
export function doubtedPage(page: number, { reason, message }: Doubt): LostPage {
  return { page, reason: `${reason}: ${message}`, remedy: doubtRemedy(reason) };
}
