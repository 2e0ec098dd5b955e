// Buys a check of a few keywords now, for an assistant: its price first, then the purchase.

import { createHash } from 'node:crypto';
import { checksNow, onlyKeywords } from '../../../jobs/backfill/backfill.ts';
import { estimatePrice } from '../../../jobs/query/planning.ts';
import { sumOf } from '../../tracker/figures.ts';
import type { Project } from '../../tracker/project.ts';
import type { CheckAnswer } from '../../workspace/edit-records.ts';
import type { Allowance, CheckNowRequest } from '../../workspace/mcp/check-now.ts';
import type { App } from '../app.ts';
import { UsageError } from '../opening/failures.ts';
import { projectsNamed, rejectUnknownKeywords } from '../opening/named-projects.ts';
import { executeRuns } from '../runs/run.ts';

/** The price that a request confirms was used. */
export class PriceUsed extends UsageError {}

/** Prices that a process remembers. */
const confirmsMax = 1_000;
const confirmCharacters = 22;

/**
 * What is to be checked, and what confirms its price: until these keywords are bought, in any process. The audit trail
 * has what was bought.
 */
function toBeConfirmed({ context: { store } }: App, { id, keywords }: Project) {
  const texts = [...new Set(keywords.map(({ keyword }) => keyword))].sort();
  const what = JSON.stringify([id, texts]);
  const confirmOf = (newest: number) =>
    createHash('sha256').update(`${what} ${newest}`).digest('base64url').slice(0, confirmCharacters);
  const newest = () => store.newestCheck(id, texts);
  return {
    what,
    facts: { project: id, keywords: texts },
    now: () => confirmOf(newest()?.id ?? 0),
    /** Of a request before which no price was asked for. */
    first: confirmOf(0),
    assert(confirm: string): void {
      const bought = newest();
      if (confirm === confirmOf(bought?.id ?? 0)) return;
      const when = bought === null ? '' : `: these keywords were checked at ${new Date(bought.at).toISOString()}`;
      throw new PriceUsed(
        `This price is not confirmed, or was used${when}. Nothing was bought. Ask for the price again.`,
      );
    },
  };
}

/**
 * A price is bought once: a second request throws PriceUsed until the price is asked for again. Throws UsageError for
 * an unknown project or keyword, while another run is unfinished (executing runs resumes it, at a cost that this price
 * does not include), and where the worst case fits neither the budget nor the allowance.
 */
export async function checkNow(
  app: App,
  request: CheckNowRequest,
  signal: AbortSignal,
  allowance: Allowance,
): Promise<CheckAnswer> {
  const projects = projectsNamed(app.config, [request.project]);
  rejectUnknownKeywords(request.keywords, projects);
  await app.openServicesOf(projects);
  const { context } = app;
  const [project] = projects.map((each) => onlyKeywords(each, request.keywords));
  if (project === undefined) throw new UsageError('name a project');
  const confirmed = toBeConfirmed(app, project);
  const { confirms, by } = allowance;
  const asked = `${by} ${confirmed.what}`;
  const confirm = request.confirm ?? confirms.get(asked) ?? confirmed.first;
  if (request.buy) confirmed.assert(confirm);
  const { searches, creditsExpected, creditsWorstCase, creditsOfSecondLooks, pagesFresh, budget, deferred } =
    estimatePrice(context, [project], [], () => context.clock.now());
  const price = {
    searches,
    creditsExpected,
    creditsAtMost: creditsWorstCase,
    creditsOfSecondLooks,
    pagesFresh,
    budget: budget.map((window) => ({ ...window })),
  };
  if (deferred.checks > 0) {
    const cost = `Checking them may cost ${creditsWorstCase} SERP credits, which the budget does not allow`;
    throw new UsageError(`${cost}: ${deferred.reason ?? 'no credits are left'}. Nothing was bought.`);
  }
  const { creditsLeft } = allowance;
  if (creditsWorstCase > creditsLeft)
    throw new UsageError(
      `Checking them may cost ${creditsWorstCase} SERP credits, and no more than ${creditsLeft} are allowed. Nothing was bought.`,
    );
  if (!request.buy) {
    const now = confirmed.now();
    confirms.delete(asked);
    confirms.set(asked, now);
    for (const oldest of confirms.keys()) if (confirms.size > confirmsMax) confirms.delete(oldest);
    return { price, confirm: now, bought: null };
  }
  const [unfinished] = context.store.runs.openRuns();
  if (unfinished !== undefined)
    throw new UsageError(
      `Run ${unfinished.id} is not finished. Nothing was bought. Try again when it has ended; \`rankledger run\` finishes one that was interrupted.`,
    );
  const { store, clock } = context;
  store.transaction(() => {
    confirmed.assert(confirm);
    const facts = { ...confirmed.facts, creditsAtMost: Math.min(creditsWorstCase, creditsLeft) };
    const buyer = { account: undefined, username: undefined, by };
    store.recordAction({ action: 'check-now', ...buyer, facts, at: clock.now() });
  });
  allowance.creditsLeft -= creditsWorstCase; // so much is gone if this fails half way
  const runs = await executeRuns(app, checksNow(context, project), { signal });
  const creditsSpent = sumOf(runs, ({ serpCredits }) => serpCredits.spent);
  const creditsUnknown = sumOf(runs, ({ serpCredits }) => serpCredits.unknown);
  allowance.creditsLeft = creditsLeft - creditsSpent - creditsUnknown;
  return {
    price,
    confirm: null,
    bought: {
      creditsSpent,
      creditsUnknown,
      pagesReused: sumOf(runs, ({ pagesReused }) => pagesReused),
      runs: runs.map(({ runId, state, checks, haltReason, problems }) => ({
        runId,
        state,
        checks,
        haltReason,
        problems: problems.map(({ keyword, reason }) => ({ keyword, reason })),
      })),
    },
  };
}
