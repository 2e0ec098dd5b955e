// Records the end of a check: state, pages, and the proven ranking of each target. Call inside a transaction.
import type { PlannedCheck } from '../../db/history/checks/checks.ts';
import type { SecondLookRank } from '../../db/history/checks/second-looks.ts';
import type { CheckStatus } from '../../src/tracker/observation.ts';
import type { TargetOutcome } from '../../src/tracker/targets/match.ts';
import { checkLabel, type JobContext } from '../context.ts';
import { type EvidencePage, proveOutcomes } from './evidence.ts';
import type { CheckTargets } from './targets.ts';

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
}

export interface EndFacts {
  readonly check: PlannedCheck;
  readonly targets: CheckTargets;
  readonly moment: number;
  readonly status: CheckStatus;
  readonly pages: readonly KeptPage[];
  /** How many of the pages were at hand; an earlier attempt may have bought them for the same check. */
  readonly pagesAtHand: number;
  readonly lost: readonly LostPage[];
  /** How the check is labelled where no page was read. */
  readonly source: string;
  /** It looks a second time at a change: the first look keeps the ranking of its slot. */
  readonly isSecondLook: boolean;
}

export function recordEnd({ store, clock }: JobContext, facts: EndFacts): void {
  const { check, targets, moment, pages, lost } = facts;
  const evidence = pages.length === 0 ? null : proveOutcomes(pages, targets, check.depth, lost.length > 0);
  store.checks.end(check.id, {
    state: facts.status,
    pagesRead: pages.length,
    pagesReused:
      facts.pagesAtHand === 0
        ? 0
        : store.pages.countBoughtElsewhere(
            check.id,
            pages.map(({ id }) => id),
          ),
    checkedAt: pages.length === 0 ? null : Math.min(...pages.map((page) => page.observedAt)),
    source: checkLabel(pages[0]?.source ?? facts.source),
    features: evidence?.features ?? [],
    reason: lost.length === 0 ? null : lost.map(({ page, reason }) => `page ${page}: ${reason}`).join('; '),
    remedy: lost[0]?.remedy ?? null,
    at: clock.now(),
  });
  for (const page of pages) store.pages.attach(check.id, page.page, page.id);
  if (facts.isSecondLook) {
    if (facts.status === 'ok') store.secondLooks.record(check.id, ownOutcomes(targets, evidence?.outcomes ?? []));
    return;
  }
  evidence?.outcomes.forEach((outcome, index) => {
    const targetId = targets.ids[index];
    if (targetId === undefined) return;
    store.rankings.insert({
      targetId,
      searchId: check.searchId,
      moment,
      checkId: check.id,
      depth: check.depth,
      outcome,
      ownedFeatures: evidence.owned[index] ?? [],
    });
  });
}

/** What a second look proves about the own targets. */
function ownOutcomes({ ids, ownCount }: CheckTargets, outcomes: readonly TargetOutcome[]): SecondLookRank[] {
  return outcomes.slice(0, ownCount).flatMap((outcome, index): SecondLookRank[] => {
    const targetId = ids[index];
    if (targetId === undefined) return [];
    if (outcome.kind === 'ranked') return [{ targetId, rank: outcome.organicRank, depth: outcome.page }];
    return outcome.kind === 'notFound' ? [{ targetId, rank: null, depth: outcome.depth }] : [];
  });
}

/** The end of a check that is not bought. The default remedy is for a budget without room. */
export function deferredEnd(
  reason: string,
  at: number,
  remedy = 'It is first in line next time. Raise the budget to check it sooner.',
) {
  return {
    state: 'deferred',
    pagesRead: 0,
    pagesReused: 0,
    checkedAt: null,
    source: null,
    features: [],
    reason,
    remedy,
    at,
  } as const;
}
