// Updates of the search engine: those that its operator announced, and days on which more keywords moved than usual.
import type { RunShare } from '../../../db/history/signals.ts';
import type { Store } from '../../../db/store.ts';
import { goesOn, type Note, notesOf } from '../../../src/tracker/changes/note.ts';
import { localDate } from '../../../src/tracker/schedule/local-time.ts';
import { detectUpdates, type Update } from '../../../src/tracker/signal/update-detector.ts';
import type { JobContext } from '../../context.ts';

type SuspectedUpdate = RunShare & Update;

/** Of a project, its markets and its tags, oldest first; of the same run the project first. */
export function suspectedUpdates(store: Store, project: string): SuspectedUpdate[] {
  const series = Map.groupBy(store.movedShares.of(project), ({ scope, name }) => `${scope} ${name}`);
  return [...series.values()]
    .flatMap((days) => detectUpdates(days))
    .sort((a, b) => a.runId - b.runId || scopeOrder[a.scope] - scopeOrder[b.scope] || b.score - a.score);
}

const scopeOrder = { project: 0, market: 1, tag: 2 } as const;

/** One note a run: of its project, or else of the market or tag that moved most. */
export function updateNotes(store: Store, project: string): Note[] {
  const byRun = Map.groupBy(suspectedUpdates(store, project), ({ runId }) => runId);
  return [...byRun.values()].flatMap(([first]) =>
    first === undefined ? [] : [{ date: first.date, ...updateTexts(first), project }],
  );
}

/** Announced updates, with their dates in the time zone. */
export function confirmedUpdates(store: Store, timezone: string): Note[] {
  return store.engineUpdates.list().map(({ name, beginAt, endAt }) => {
    const date = localDate(beginAt, timezone);
    const until = endAt === null ? goesOn : localDate(endAt, timezone);
    const days = endAt === null ? 'goes on' : `until ${until}`;
    return { date, until, text: `update confirmed: ${name} (${days})`, project: null, isConfirmed: true };
  });
}

/** Notes of the config, stored notes and updates: of a project and of all, or of every project. */
export function allNotes(
  { store, projects, timezone }: Pick<JobContext, 'store' | 'projects' | 'timezone'>,
  ofConfig: readonly Note[],
  project: string | undefined,
): Note[] {
  const updates = [...projects.keys()].flatMap((id) => updateNotes(store, id));
  const notes = [...ofConfig, ...store.notes.list(), ...confirmedUpdates(store, timezone), ...updates];
  const of = project === undefined ? undefined : projects.get(project);
  return of === undefined ? notes : [...notesOf(notes, of)];
}

const updateSuspected = 'update suspected';

/** `update suspected: 34 of 120 keywords outside their noise bands, usually 5 % (US, en, mobile)` */
function updateTexts({ scope, name, compared, outside, usualShare }: SuspectedUpdate): Pick<Note, 'text' | 'rowText'> {
  const where = scope === 'project' ? '' : ` (${scope} ${name.slice(0, 60)})`;
  const usual = Math.round(100 * usualShare);
  const share = `${outside} of ${compared} keywords outside their noise bands, usually ${usual} %`;
  return { text: `${updateSuspected}: ${share}${where}`, rowText: updateSuspected };
}
