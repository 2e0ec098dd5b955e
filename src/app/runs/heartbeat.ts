// Reports health to a file, a URL, or both, for external monitoring. A failing monitor is logged and stops nothing.
import { hostname } from 'node:os';
import type { HeartbeatConfig } from '../../../config/resolve.ts';
import { StoreError } from '../../../db/connection/errors.ts';
import { replaceFile } from '../../../db/connection/whole-file.ts';
import { isTakenOver } from '../../../db/ledger/run-fence.ts';
import type { JobContext } from '../../../jobs/context.ts';
import { duenessReport, unwrittenReports } from '../../../jobs/query/status.ts';
import { describeSuspicions } from '../../tracker/trust/suspect.ts';

/** A monitor that does not answer must not hold up the runs. */
const timeoutMs = 5000;
const runsLookedAt = 50;

/** The content of the file, and of the request to the URL. */
interface Heartbeat {
  /** ISO 8601. */
  readonly at: string;
  /** Of the newest run that has ended; `none` before the first, `failed` if the last attempt failed altogether. */
  readonly state: 'complete' | 'partial' | 'halted' | 'failed' | 'none';
  readonly runId: number | null;
  readonly kind: 'ranks' | 'volumes' | null;
  readonly projects: readonly string[];
  readonly closedAt: string | null;
  /** Why it was halted or is partial, or the failure. */
  readonly reason: string | null;
  readonly suspectReason: string | null;
  readonly runsUnderWay: number;
  /** Slots that have waited for more than an hour without a run: `acme ranks 2026-11-20T06:00 UTC`. */
  readonly overdue: readonly string[];
  /** Newest slots whose run read no results page: `acme 2026-11-20T06:00 UTC`. */
  readonly nothingChecked: readonly string[];
  /** Parts of reports that could not be written: `acme report, run 3`. */
  readonly unwritten: readonly string[];
  readonly host: string;
  readonly pid: number;
}

export interface HeartbeatSender {
  onRunEnded(): void;
  /** Nothing was due: the URL is called only if something is overdue, was not checked, or was not written. */
  onNothingDue(): void;
  /** A tick of the scheduler: only the file is written. */
  onTick(): void;
  /** A failure before a run could end. */
  onFailure(error: unknown): void;
  /** Waits for requests in flight. */
  close(): Promise<void>;
}

export function openHeartbeat({ file, url }: HeartbeatConfig, context: JobContext): HeartbeatSender {
  const inFlight = new Set<Promise<void>>();
  let failure: string | null = null;
  const write = (to: string, beat: Heartbeat): void => {
    try {
      replaceFile(to, `${JSON.stringify(beat)}\n`);
    } catch (error) {
      context.log.warn({ file: to, error: messageWithCause(error) }, 'the heartbeat file could not be written');
    }
  };
  const post = (to: string, beat: Heartbeat): void => {
    const isBad = beat.state === 'failed' || beat.state === 'halted' || isWaiting(beat);
    const task = send(heartbeatUrl(to, isBad), beat)
      .catch((error: unknown) =>
        // the URL is a secret: its holder could report that all is well
        context.log.warn(
          { host: new URL(to).host, error: messageWithCause(error) },
          'the heartbeat URL could not be called',
        ),
      )
      .finally(() => inFlight.delete(task));
    inFlight.add(task);
  };
  const beat = (isPosted: (beat: Heartbeat) => boolean): void => {
    if (file === undefined && url === undefined) return;
    const now = buildHeartbeat(context, failure);
    if (file !== undefined) write(file, now);
    if (url !== undefined && isPosted(now)) post(url.reveal(), now);
  };
  return {
    onRunEnded() {
      failure = null;
      beat(() => true);
    },
    onNothingDue: () => beat(isWaiting),
    onTick: () => beat(() => false),
    onFailure(error) {
      // another process executes the run, and sends the heartbeats
      if (error instanceof StoreError && (error.code === 'RUN_IN_PROGRESS' || isTakenOver(error))) return;
      failure = messageWithCause(error);
      beat(() => true);
    },
    async close() {
      await Promise.all(inFlight);
    },
  };
}

const isWaiting = ({ overdue, nothingChecked, unwritten }: Heartbeat): boolean =>
  overdue.length + nothingChecked.length + unwritten.length > 0;

function buildHeartbeat(context: JobContext, failure: string | null): Heartbeat {
  const { store, clock } = context;
  const facts = { at: new Date(clock.now()).toISOString(), host: hostname(), pid: process.pid };
  const nothing = { runId: null, kind: null, projects: [], closedAt: null, reason: null, suspectReason: null };
  try {
    const ended = store.runs
      .lastRuns(runsLookedAt)
      .filter(({ state, kind, discardedAt }) => state !== 'open' && kind !== 'adhoc' && discardedAt === null);
    const last = ended.toSorted((a, b) => (b.closedAt ?? 0) - (a.closedAt ?? 0))[0];
    const runsUnderWay = store.runs.openRuns().length;
    const dueness = duenessReport(context, [...context.projects.values()], { scheduler: true });
    const overdue = dueness.flatMap(({ project, kind, overdueSince }) =>
      overdueSince === null ? [] : [`${project} ${kind} ${overdueSince}`],
    );
    const nothingChecked = dueness.flatMap(({ project, nothingChecked: slot }) =>
      slot === null ? [] : [`${project} ${slot.slot}`],
    );
    const unwritten = unwrittenReports(context).map(
      ({ runId, part, project }) => `${project === null ? '' : `${project} `}${part}, run ${runId}`,
    );
    const waiting = { overdue, nothingChecked, unwritten };
    const state = failure === null ? 'none' : 'failed';
    if (last === undefined) return { ...facts, ...nothing, state, reason: failure, runsUnderWay, ...waiting };
    const slots = store.runs.slotsOf(last.id);
    return {
      ...facts,
      state: failure !== null || last.state === 'open' ? 'failed' : last.state,
      runId: last.id,
      kind: last.kind === 'volumes' ? 'volumes' : 'ranks',
      projects: slots.map(({ project }) => project),
      closedAt: last.closedAt === null ? null : new Date(last.closedAt).toISOString(),
      reason: failure ?? last.reason,
      suspectReason: describeSuspicions(slots),
      runsUnderWay,
      ...waiting,
    };
  } catch (error) {
    // raise an alarm if the database cannot be read
    return {
      ...facts,
      ...nothing,
      state: 'failed',
      reason: failure ?? messageWithCause(error),
      runsUnderWay: 0,
      overdue: [],
      nothingChecked: [],
      unwritten: [],
    };
  }
}

/** `/fail` goes to the end of the path: a query stays what it is. */
function heartbeatUrl(url: string, isBad: boolean): string {
  const address = new URL(url);
  if (isBad) address.pathname = `${address.pathname.replace(/\/$/, '')}/fail`;
  return address.href;
}

async function send(address: string, beat: Heartbeat): Promise<void> {
  const response = await fetch(address, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(beat),
    signal: AbortSignal.timeout(timeoutMs),
  });
  await response.body?.cancel();
  if (response.status >= 300 && response.status < 400)
    throw new Error(`it answered ${response.status}, a redirect, which is not followed`);
  if (!response.ok) throw new Error(`it answered ${response.status}`);
}

/** The message of an error and of its cause. */
function messageWithCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${error.message}${cause}`;
}
