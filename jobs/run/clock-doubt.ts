// Decides whether the clock of this machine may be trusted to claim slots, and asks services for the date.
import type { RunRow } from '../../db/history/runs/runs.ts';
import { type SearchDataService, skewText, spanText } from '../../src/service/terms.ts';
import type { Project } from '../../src/tracker/project.ts';
import { dayMs } from '../../src/tracker/schedule/time-units.ts';
import type { JobContext } from '../context.ts';
import { isLive } from '../slot-day.ts';

/** A run that was opened so much later than now belongs to a clock that ran ahead. */
export const aheadMsMin = dayMs;
/** After so long without a run the clock is checked before slots are claimed. A weekend is shorter. */
const silenceMsMin = 3 * dayMs;
/** Of all free requests together. */
const probeTimeoutMs = 10_000;

/** No slot may be claimed by this clock. */
export class ClockError extends Error {
  override readonly name = 'ClockError';
  readonly code = 'CLOCK_IN_DOUBT';
  readonly hint =
    'Set the clock, then run again; the slots stay due. If the clock is right, check the `Date` headers of your provider.';

  constructor(doubt: string) {
    super(`${doubt}; no slot was claimed.`);
  }
}

/**
 * Why no slot may be claimed now; null where slots may be. Where all sources are simulated, a jump is no doubt: nothing
 * could confirm it.
 */
export function clockDoubt({ clock, projects, services }: Pick<JobContext, 'clock' | 'projects' | 'services'>) {
  const { skewMs = null, jumpMs = null } = clock;
  if (skewMs !== null) return skewText(skewMs);
  if (jumpMs === null || ![...projects.values()].some((project) => isLive({ services }, project))) return null;
  return `the clock of this machine jumped ${jumpMs > 0 ? 'ahead' : 'back'} by ${spanText(jumpMs)}, and no answer has confirmed it yet`;
}

/**
 * Whether the database speaks against the clock: its newest run is days away, and no answer has confirmed the clock
 * yet.
 */
export function isFarFromHistory({ clock, store }: JobContext): boolean {
  if (clock.isSimulated === true || clock.witness === undefined || clock.isConfirmed === true) return false;
  const now = clock.now();
  const last = store.runs.lastMoment();
  return (last !== null && now - last > silenceMsMin) || store.runs.hasRunsAfter(now + aheadMsMin);
}

/**
 * Why no slot may be claimed, once the services of the projects were asked for the date where the clock is in doubt or
 * far from the newest run.
 */
export async function doubtAfterAsking(
  context: JobContext,
  projects: Iterable<Project>,
  stop: AbortSignal,
): Promise<string | null> {
  if (clockDoubt(context) !== null || isFarFromHistory(context)) await askForDates(context, projects, stop);
  return clockDoubt(context);
}

/**
 * Sends each live service of the projects its free request, where it has one: the clock learns from the dates of the
 * answers. Never rejects.
 */
async function askForDates(
  { services, log }: JobContext,
  projects: Iterable<Project>,
  stop: AbortSignal,
): Promise<void> {
  const named = new Set([...projects].map(({ service }) => services.get(service)));
  const asked = [...named].filter((service) => service?.kind === 'live' && service.probe !== undefined);
  if (asked.length === 0) return;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(probeTimeoutMs)]);
  const probe = async (service: SearchDataService | undefined): Promise<void> => {
    await service?.probe?.(signal).catch((error: unknown) => {
      log.debug({ source: service.source, error: String(error) }, 'date request failed');
    });
  };
  await Promise.all(asked.map(probe));
}

/**
 * Judges the clock after the answers of a run. `doubt`: the answers contradict it. `remark`: a note for the operator.
 */
export function clockRemark(
  context: JobContext,
  run: RunRow,
): { readonly doubt: string | null; readonly remark: string | null } {
  const { clock, store, log } = context;
  const doubt = clockDoubt(context);
  if (doubt !== null) {
    log.warn({ runId: run.id, skewMs: clock.skewMs, jumpMs: clock.jumpMs }, 'clock of this machine is in doubt');
    return { doubt, remark: `${doubt}; set it, and check the dates of this run` };
  }
  if (clock.isSimulated === true || clock.witness === undefined || clock.isConfirmed === true)
    return { doubt, remark: null };
  const before = store.runs.lastMoment(run.id);
  const isAsked = store.runs.slotsOf(run.id).some(({ project: id }) => {
    const project = context.projects.get(id);
    return project !== undefined && isLive(context, project);
  });
  if (before === null || !isAsked || Math.abs(run.openedAt - before) <= silenceMsMin) return { doubt, remark: null };
  log.warn({ runId: run.id }, 'clock of this machine is unconfirmed');
  const span = `${spanText(run.openedAt - before)} ${run.openedAt > before ? 'after' : 'before'} the run before it`;
  return { doubt, remark: `no answer confirmed the clock of this machine, ${span}; check the dates of this run` };
}
