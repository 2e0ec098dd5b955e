// What is to be run: the slots that are due, named or asked for, grouped by moment. Claims nothing.
import type { RunKind, SlotClaim } from '../db/runs.ts';
import type { Store } from '../db/store.ts';
import { localDate, localDateTimeKey } from '../src/tracker/local-time.ts';
import type { Project } from '../src/tracker/project.ts';
import { type DueSlots, dueSlots, type Slot } from '../src/tracker/schedule.ts';

type ScheduledKind = Exclude<RunKind, 'adhoc'>;

/** The slots of one moment: one run. */
export interface RunGroup {
  readonly kind: ScheduledKind;
  readonly moment: number;
  readonly slots: readonly SlotClaim[];
}

/** Why a project is, or is not, due. */
export interface Dueness {
  readonly project: Project;
  readonly kind: ScheduledKind;
  readonly question: DueSlots;
}

/** Every schedule of every project; volumes first, so that a report on the same slot has them. */
export function duenessOf(store: Store, projects: readonly Project[], now: number): Dueness[] {
  const kinds = [
    ['volumes', (project: Project) => project.volumes?.schedule],
    ['ranks', (project: Project) => project.schedule],
  ] as const;
  return kinds.flatMap(([kind, scheduleOf]) =>
    projects
      .filter((project) => kind === 'ranks' || project.volumes !== undefined)
      .map((project) => {
        const last = store.runs.lastSlot(project.id, kind);
        const lastSlot = last === null ? null : { key: last.slot, at: last.at };
        // metrics are bought once a month at most: a missed slot is as good as the latest
        const catchUp = kind === 'ranks' ? project.catchUp : 'latest';
        const schedule = scheduleOf(project);
        const question = dueSlots({ schedule, timezone: project.timezone, catchUp, lastSlot, now });
        return {
          project,
          kind,
          question: kind === 'volumes' ? withWhatIsMissing(store, project, question, now) : question,
        };
      }),
  );
}

/** Metrics that the last run could not buy (a short budget, a halt) are asked for again once a day: a month is long to wait. */
function withWhatIsMissing(store: Store, project: Project, question: DueSlots, now: number): DueSlots {
  const last = store.runs.lastClosedRun(project.id, 'volumes');
  const isUnfinished = last !== null && (last.state === 'partial' || last.state === 'halted');
  if (question.due.length > 0 || !isUnfinished) return question;
  const today = localDate(now, project.timezone);
  if (localDate(last.closedAt ?? now, project.timezone) >= today) return question;
  const { slot } = presentSlot(project, now);
  return { ...question, due: [{ key: slot, at: now }], reason: 'metrics of this month are still missing' };
}

export function slotClaim(project: Project, slot: Slot): SlotClaim {
  return {
    project: project.id,
    slot: slot.key,
    at: slot.at,
    timezone: project.timezone,
    localDate: localDate(slot.at, project.timezone),
  };
}

/** The slot of a moment that an operator names, to the minute. */
export function namedSlot(project: Project, at: number): SlotClaim {
  return slotClaim(project, { key: localDateTimeKey(at, project.timezone), at });
}

/** The slot of a run that is asked for now. It is keyed to the millisecond: asking twice in a minute means two runs. */
export function presentSlot(project: Project, now: number): SlotClaim {
  const claim = namedSlot(project, now);
  const milliseconds = String(((now % 60_000) / 1000).toFixed(3)).padStart(6, '0');
  return { ...claim, slot: `${claim.slot}:${milliseconds}` };
}

/** Slots of one kind and instant make one run, oldest first and volumes before ranks: projects then share its searches. */
export function groupByMoment(kind: ScheduledKind, claims: readonly SlotClaim[]): RunGroup[] {
  const groups = Map.groupBy(claims, (claim) => claim.at);
  return [...groups].map(([moment, slots]) => ({ kind, moment, slots })).sort((a, b) => a.moment - b.moment);
}
