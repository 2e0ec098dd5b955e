// Keeps history with the projects and services of a config: what `formerly` says, and projects that change service.
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { StoreError } from '../../../db/connection/errors.ts';
import { databaseExists } from '../../../db/connection/opening/guards.ts';
import type { ServiceMove } from '../../../db/history/renames.ts';
import { openStoreForReading, type Store } from '../../../db/store.ts';
import type { Log } from '../../../jobs/context.ts';
import { isAlive } from '../../../jobs/ownership.ts';
import { errorText } from '../../service/index.ts';

/** What the database has under other names than the config. */
interface PastNames {
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  readonly moved: readonly ServiceMove[];
}

/** Reads only. */
function pastNames({ renames }: Store, { projects, formerly }: ResolvedConfig): PastNames {
  const ids = new Set(projects.map(({ id }) => id));
  const renamed = [...formerly.projects].flatMap(([from, to]) =>
    ids.has(to) && renames.has(from) && !renames.ranSideBySide(from, to) ? [{ from, to }] : [],
  );
  const moved = projects.flatMap(({ id, service }) => {
    const names = [id, ...renamed.flatMap(({ from, to }) => (to === id ? [from] : []))];
    const from = names.map((name) => renames.newestService(name)).find((found) => found !== null) ?? null;
    return from === null || from === service ? [] : [{ project: id, from, to: service }];
  });
  return { renamed, moved };
}

/** Whether the database has history under names that `settleNames` would change. Reads only. */
export function hasNamesToSettle(store: Store, config: ResolvedConfig, now: number): boolean {
  const { renamed, moved } = pastNames(store, config);
  return renamed.length + moved.length > 0 && !isRunning(store, now);
}

/** A run under way has planned its checks under the earlier names: they stay until it ends. */
function isRunning({ runs }: Store, now: number): boolean {
  return [...runs.openRuns(), ...runs.unreportedRuns()].some(({ owner, heartbeatAt }) =>
    isAlive(owner, heartbeatAt, now),
  );
}

/** Gives the history of earlier names to the present ones, in one transaction, and moves the reports with it. */
export function settleNames(store: Store, config: ResolvedConfig, now: number, log: Log): void {
  if (!hasNamesToSettle(store, config, now)) return;
  const { renamed, moved } = pastNames(store, config);
  store.transaction(() => {
    for (const { from, to } of renamed) {
      store.renames.renameProject(from, to);
      moveReports(config, from, to, log);
    }
    for (const move of moved) {
      const elsewhere = config.projects.filter(({ service }) => service !== move.from).map(({ id }) => id);
      const there = config.projects.filter(({ service }) => service === move.from).map(({ id }) => id);
      const counts = store.renames.moveSearches(move, elsewhere, there);
      if (counts.moved > 0) log.info({ ...move, ...counts }, 'history moved to another service');
    }
  });
}

/** The same for keywords that the config spells in another way than before. All keywords must be loaded. */
export function settleSpellings(store: Store, { projects }: ResolvedConfig, now: number): void {
  if (isRunning(store, now)) return;
  const tracked = projects.flatMap(({ keywords }) => keywords.map(({ keyword }) => keyword));
  const prompts = projects.flatMap((project) => project.prompts?.list.map(({ prompt }) => prompt) ?? []);
  store.transaction(() => store.renames.respell(tracked, prompts));
}

function moveReports({ reports }: ResolvedConfig, from: string, to: string, log: Log): void {
  const [before, after] = [join(reports.directory, from), join(reports.directory, to)];
  if (!existsSync(before) || existsSync(after)) return;
  try {
    renameSync(before, after);
  } catch (error) {
    log.warn({ from: before, to: after, error: errorText(error) }, 'reports not moved');
  }
}

/**
 * Warnings for people: histories that end or go on elsewhere with this config, and how to keep them. Empty where the
 * database cannot be read: other checks say why.
 */
export function nameWarnings(config: ResolvedConfig): string[] {
  if (!databaseExists(config.databaseFile)) return [];
  try {
    const store = openStoreForReading(config.databaseFile, { isCurrent: true });
    try {
      return [...endingHistories(store, config)];
    } finally {
      store.close();
    }
  } catch (error) {
    if (error instanceof StoreError) return [];
    throw error;
  }
}

function* endingHistories(store: Store, config: ResolvedConfig): Generator<string> {
  const { renames } = store;
  const { formerly, projects, services } = config;
  const { renamed, moved } = pastNames(store, config);
  const known = new Set([...projects.map(({ id }) => id), ...config.broken.projects, ...formerly.projects.keys()]);
  const fresh = projects
    .map(({ id }) => id)
    .filter((id) => renames.runs(id) === 0 && !renamed.some(({ to }) => to === id));
  const [first] = fresh;
  if (first !== undefined) {
    const quoted = fresh.map((id) => `"${id}"`).join(', ');
    for (const id of renames.tracked().filter((name) => !known.has(name)))
      yield `project "${id}" has ${renames.runs(id)} runs in the database and is not in the config, in which ${quoted} ${fresh.length === 1 ? 'is' : 'are'} new. If it was renamed, keep its history: write \`formerly: [${id}]\` into the project, or run \`rankledger rename project ${id} ${first}\`. If not, its history stays in the database, and ends.`;
  }
  for (const [from, to] of formerly.projects)
    if (renames.ranSideBySide(from, to))
      yield `project "${to}" was formerly "${from}", but both ran at the same slots: their histories stay apart.`;
  for (const { project, from, to } of moved) {
    if (formerly.services.get(from) === to) continue;
    const gone = services.has(from) ? '' : ', which the config no longer has';
    yield `project "${project}" was checked with service "${from}"${gone}. Its history goes on with "${to}": the next checks are not compared with those before, and keyword metrics are bought again. If "${to}" is a new name of the same service, write \`formerly: [${from}]\` into it, or run \`rankledger rename service ${from} ${to}\`: then nothing changes.`;
  }
}
