// Buys a check of a few keywords now, for an assistant: its price first, then the purchase.

import { checksNow, onlyKeywords } from '../../../jobs/backfill/backfill.ts';
import { estimatePrice } from '../../../jobs/query/planning.ts';
import { sumOf } from '../../tracker/figures.ts';
import type { Allowance, CheckNowAnswer, CheckNowRequest } from '../../workspace/mcp/check-now.ts';
import type { App } from '../app.ts';
import { UsageError } from '../opening/failures.ts';
import { projectsNamed, rejectUnknownKeywords } from '../opening/named-projects.ts';
import { executeRuns } from '../runs/run.ts';

/**
 * Throws UsageError for an unknown project or keyword, while another run is unfinished (executing runs resumes it, at a
 * cost that this price does not include), and where the worst case fits neither the budget nor the allowance.
 */
export async function checkNow(
  app: App,
  request: CheckNowRequest,
  signal: AbortSignal,
  allowance: Allowance,
): Promise<CheckNowAnswer> {
  const projects = projectsNamed(app.config, [request.project]);
  rejectUnknownKeywords(request.keywords, projects);
  await app.openServicesOf(projects);
  const { context } = app;
  const [project] = projects.map((each) => onlyKeywords(each, request.keywords));
  if (project === undefined) throw new UsageError('name a project');
  const { searches, creditsExpected, creditsWorstCase, creditsOfSecondLooks, pagesFresh, budget, deferred } =
    estimatePrice(context, [project], [], () => context.clock.now());
  const price = {
    searches,
    creditsExpected,
    creditsAtMost: creditsWorstCase,
    creditsOfSecondLooks,
    pagesFresh,
    budget,
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
  if (!request.buy) return { price, bought: null };
  const [unfinished] = context.store.runs.openRuns();
  if (unfinished !== undefined)
    throw new UsageError(
      `Run ${unfinished.id} is not finished. Nothing was bought. Try again when it has ended; \`rankledger run\` finishes one that was interrupted.`,
    );
  allowance.creditsLeft -= creditsWorstCase; // so much is gone if this fails half way
  const runs = await executeRuns(app, checksNow(context, project), { signal });
  const creditsSpent = sumOf(runs, ({ serpCredits }) => serpCredits.spent);
  const creditsUnknown = sumOf(runs, ({ serpCredits }) => serpCredits.unknown);
  allowance.creditsLeft = creditsLeft - creditsSpent - creditsUnknown;
  return {
    price,
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
