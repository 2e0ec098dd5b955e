// The progress of a run as the line on a terminal shows it: its phase, and services that it waits for.
import type { RunProgress } from '../../app/runs/execute-runs.ts';
import type { ProgressState } from './progress.ts';

const phases: Readonly<Record<RunProgress['phase'], string>> = {
  planning: 'Planning',
  checking: 'Checking searches',
  volumes: 'Search volumes',
  answers: 'AI answers',
  reporting: 'Writing reports',
};

export function progressState({ phase, waits = [], ...state }: RunProgress): ProgressState {
  const note = waits.map(waitText).join(', ');
  const waitsUntil = Math.max(...waits.map(({ until }) => until));
  return { label: phases[phase], ...state, ...(note === '' ? {} : { note, waitsUntil }) };
}

/** Times are in the time zone of the terminal. */
function waitText({ service, until, why }: NonNullable<RunProgress['waits']>[number]): string {
  const clock = new Date(until).toTimeString().slice(0, 8);
  if (why === 'asked') return `service ${service} requires a wait until ${clock}`;
  const words = why === 'cut' ? 'requires a long wait' : 'is failing';
  return `service ${service} ${words}, next try at ${clock}`;
}
