// Keeps what the adaptive plan of a run saved and may have missed, for spend.csv and `status`.

import { expectedPages, followedTargets } from '../../../src/tracker/paging.ts';
import { expandSearches, marketName, type Project } from '../../../src/tracker/project.ts';
import { evidenceOf, historyMs, noEvidence, type TargetEvidence } from '../../../src/tracker/signal/evidence.ts';
import { planOutcome, type SearchOutcome } from '../../../src/tracker/signal/plan-outcome.ts';
import { pageOfRank, type Sighting, seenDownTo } from '../../../src/tracker/signal/sighting.ts';
import { targetKey } from '../../../src/tracker/targets/target.ts';
import type { JobContext } from '../../context.ts';

/** A target in a search: what was known before the run, and whether the run saw it. */
interface TargetOutcome {
  readonly evidence: TargetEvidence;
  readonly isSeen: boolean;
}

const unknownTarget: TargetOutcome = { evidence: noEvidence, isSeen: false };

/** Of each project with an adaptive cadence in a scheduled run. Repeating it changes nothing. */
export function keepPlanOutcomes({ store, projects }: JobContext, runId: number): void {
  const run = store.runs.run(runId);
  if (run === null || run.kind !== 'ranks' || run.origin !== 'schedule') return;
  for (const slot of store.runs.slotsOf(runId)) {
    const project = projects.get(slot.project);
    if (project?.adaptive?.cadence !== true) continue;
    const depths = store.planOutcomes.depths(runId, project.id);
    const before = store.planOutcomes.runBefore(project.id, run.moment);
    const outcome = planOutcome(outcomesOf({ store }, project, run.moment, depths), { now: run.moment, before });
    store.transaction(() => store.planOutcomes.keep(runId, project.id, outcome));
  }
}

function outcomesOf(
  { store }: Pick<JobContext, 'store'>,
  project: Project,
  moment: number,
  depths: ReadonlyMap<number, number>,
): SearchOutcome[] {
  const followed = followedTargets(project);
  const ownCount = followed.filter((target) => project.targets.includes(target)).length;
  const byTarget = followed.map((target) => {
    const targetId = store.names.knownTargetId(targetKey(target));
    const outcomes = new Map<number, TargetOutcome>();
    if (targetId === null) return outcomes;
    for (const [searchId, sightings] of store.sightings.ofTarget(targetId, moment - historyMs))
      outcomes.set(searchId, targetOutcome(sightings, moment));
    return outcomes;
  });
  return project.keywords.flatMap((keyword) =>
    [...expandSearches(project, keyword)].map((search): SearchOutcome => {
      const searchId = store.names.knownSearchId(search);
      const targets = byTarget.map((outcomes) => outcomes.get(searchId ?? -1) ?? unknownTarget);
      const pages = targets.map(({ evidence: { rank } }) => (rank === null ? null : pageOfRank(rank)));
      return {
        group: marketName(search.market),
        dailyPages: expectedPages(project.paging, keyword.depth, pages),
        depth: searchId === null ? null : (depths.get(searchId) ?? null),
        targets: targets.slice(0, ownCount),
      };
    }),
  );
}

/** `sightings`: oldest first. A shallow absence does not show where a target with a deep rank is. */
function targetOutcome(sightings: readonly Sighting[], moment: number): TargetOutcome {
  const evidence = evidenceOf(sightings.filter(({ checkedAt }) => checkedAt < moment));
  const isSeen = sightings.some(
    ({ checkedAt, ...sighting }) =>
      checkedAt >= moment &&
      (sighting.rank !== null || evidence.rank === null || evidence.rank <= seenDownTo(sighting)),
  );
  return { evidence, isSeen };
}
