// The databases of several configs as one portfolio: their projects, and whom it lets in.
import { existsSync, realpathSync } from 'node:fs';
import type { StoredHistory } from '../../../jobs/read/history-reader.ts';
import type { HistoryReader } from '../../read/contract.ts';
import { CombinedHistory, type HistoryPart } from '../../workspace/combined-history.ts';
import type { App } from '../app.ts';
import { UsageError } from '../opening/failures.ts';
import { openDoor, readersOf } from './door.ts';
import { pricedReader } from './workspace.ts';

/** The first one has the readers of all. */
export type Apps = readonly [App, ...App[]];

/** `own`: of the first one. Throws UsageError if two of them have the same database, or a project of the same id. */
export async function portfolioHistory(
  apps: Apps,
): Promise<{ readonly own: StoredHistory; readonly all: HistoryReader }> {
  const [first, ...others] = apps;
  rejectSame(apps, 'database', ({ config }) => [fileBehind(config.databaseFile)], 'Name one config for each database.');
  rejectSame(
    apps,
    'project',
    ({ config }) => config.projects.map(({ id }) => id),
    'Rename one of them, with `rankledger rename project OLD NEW --config FILE`.',
  );
  const own = await pricedReader(first);
  if (others.length === 0) return { own, all: own };
  const parts = [historyPart(first, own)];
  for (const app of others) parts.push(historyPart(app, await pricedReader(app)));
  return { own, all: new CombinedHistory(parts) };
}

/** Behind links. */
function fileBehind(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

function historyPart({ config: { projects, formerly } }: App, reader: StoredHistory): HistoryPart {
  return { reader, projects: projects.map(({ id }) => id), formerProjects: formerly.projects.keys() };
}

function rejectSame(apps: Apps, what: string, namesOf: (app: App) => readonly string[], hint: string): void {
  const files = new Map<string, string>();
  for (const app of apps) {
    const { file } = app.config;
    for (const name of namesOf(app)) {
      const other = files.get(name);
      if (other !== undefined) throw new UsageError(`${other} and ${file} have the same ${what}: ${name}`, hint);
      files.set(name, file);
    }
  }
}

/** As `openDoor`. Where any of the databases had readers, requests need the token of a reader of the first one. */
export async function openCommonDoor(
  [first, ...others]: Apps,
  host: string,
  options?: Parameters<typeof openDoor>[2],
): ReturnType<typeof openDoor> {
  const ofOthers = others.map((app) => ({ app, readers: readersOf(app) }));
  const guarded = () => ofOthers.find(({ readers }) => readers().hasHadAny())?.app;
  const { door, ...rest } = await openDoor(first, host, { ...options, notesUses: others.length === 0 });
  const other = door.needsToken() ? undefined : guarded();
  if (other !== undefined)
    throw new UsageError(
      `${other.config.file} has or had readers, and ${first.config.file} never had any: readers of the first config read all databases`,
      'Name the config with the readers first, or add a reader to the first one, with `rankledger reader add`.',
    );
  return { ...rest, door: { ...door, needsToken: () => door.needsToken() || guarded() !== undefined } };
}
