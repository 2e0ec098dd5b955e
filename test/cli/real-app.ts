// The real app in the folder of a test: command lines at a moment, and the app that reads what they wrote.
import { join } from 'node:path';
import { loadConfig } from '../../config/load.ts';
import { App, openApp } from '../../src/app/app.ts';
import { run } from '../../src/app/runs/run.ts';
import { SimulatedClock } from '../../src/app/runs/simulation.ts';
import { namedSlot, slotMoment } from '../../src/cli/parsed-command.ts';
import { invoke, type Outcome } from './fake-host.ts';
import type { ProjectFolder } from './project-folder.ts';

const hourMs = 3_600_000;

/** Runs a command line with the real app, on a clock that starts at `now`. */
export function commandAt(
  { path, isTerminal }: Pick<ProjectFolder, 'path'> & { readonly isTerminal?: boolean },
  now: number,
  ...argv: readonly string[]
): Promise<Outcome> {
  return invoke(argv, {
    cwd: path,
    now,
    isTerminal,
  });
}

/** Runs the projects, or all, for each slot, an hour after it. Throws if a check is not complete. */
export async function runSlots(
  { path }: ProjectFolder,
  slots: readonly string[],
  projects?: readonly string[],
): Promise<void> {
  const config = await loadConfig({ file: join(path, 'rankledger.yaml'), env: {}, cwd: path });
  const clock = new SimulatedClock(0);
  const app = await openApp(config, { clock });
  try {
    for (const slot of slots) {
      clock.goTo(Date.parse(slot) + hourMs);
      const at = await slotMoment(namedSlot(slot), config.timezone);
      const { runs } = await run(app, { ...(projects === undefined ? { all: true } : { projects }), slot: at });
      if (runs.some(({ state }) => state !== 'complete')) throw new Error(`${slot}: ${JSON.stringify(runs)}`);
    }
  } finally {
    await app.close();
  }
}

/** The app that reads the database of a folder, as `view` opens it. */
export async function readingApp(path: string, now: number, env: Record<string, string> = {}): Promise<App> {
  const config = await loadConfig({ file: join(path, 'rankledger.yaml'), env, cwd: path });
  return new App(config, { clock: new SimulatedClock(now), isReading: true });
}
