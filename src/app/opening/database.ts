// Opens the database of a config.

import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { StoreError } from '../../../db/connection/errors.ts';
import { databaseExists } from '../../../db/connection/guards.ts';
import type { ServiceMove } from '../../../db/history/renames.ts';
import { openMissingStore, openStore, openStoreForReading, type Store } from '../../../db/store.ts';
import type { Log } from '../../../jobs/context.ts';
import { isAlive } from '../../../jobs/ownership.ts';
import { errorText } from '../../service/terms.ts';
import { sharedSpellings } from '../../tracker/searches.ts';
import { guardMissing, guardReplaced } from './loss.ts';

interface DatabaseUse {
  /** A missing database is read as an empty one, and not created; one that exists is never written or migrated. */
  readonly isReading?: boolean;
  /** The same, except that the caller may write: what it rolls back, or repairs of what a dead process left. */
  readonly keepsSchema?: boolean;
  /** The database may be lost. */
  readonly isScratch?: boolean;
  /** It is opened although its history is lost. */
  readonly allowsLoss?: boolean;
}

/**
 * `now` in UTC milliseconds. History of earlier names is first given to the present ones, also by readers, which write
 * nothing else. Throws StoreError if it cannot be used.
 */
export function openDatabase(
  config: ResolvedConfig,
  log: Log,
  now: number,
  { isScratch = false, allowsLoss = isScratch, ...use }: DatabaseUse,
): Store {
  if (allowsLoss) return openAnyway(config, log, now, { ...use, isScratch });
  guardMissing(config);
  const store = openAnyway(config, log, now, { ...use, isScratch });
  try {
    guardReplaced(store);
    return store;
  } catch (error) {
    store.close();
    throw error;
  }
}

function openAnyway(
  config: ResolvedConfig,
  log: Log,
  now: number,
  { keepsSchema = false, isReading = keepsSchema, isScratch = false }: DatabaseUse,
): Store {
  const { databaseFile, budget, formerly } = config;
  const caps = { serp_credit: budget.serpCredits, micro_usd: budget.microUsd };
  const { firstServiceNames } = formerly;
  if (isReading && !databaseExists(databaseFile)) return openMissingStore(databaseFile, caps);
  const openToRead = (): Store => {
    const store = openStoreForReading(databaseFile, { isCurrent: true, firstServiceNames }, caps);
    shareSpellings(store, config);
    return store;
  };
  const openToWrite = (): Store => {
    const store = openStore(databaseFile, caps, {
      isScratch,
      firstServiceNames,
      onMigrated: (facts) => log.info(facts, 'database migrated to a newer schema; a copy of the old one is kept'),
    });
    settleNames(store, config, now, log);
    shareSpellings(store, config);
    return store;
  };
  if (!isReading) return openToWrite();
  const reader = openToRead();
  const isSettled = !hasNamesToSettle(reader, config, now);
  if (isSettled && !keepsSchema) return reader;
  reader.close();
  if (keepsSchema) return openToWrite();
  try {
    openToWrite().close();
  } catch (error) {
    log.warn({ error: errorText(error) }, 'history keeps its earlier names until a run');
  }
  return openToRead();
}

/** What the database has under other names than the config. */
interface PastNames {
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  readonly moved: readonly ServiceMove[];
}

/** Reads only. */
export function pastNames({ renames }: Store, { projects, formerly }: ResolvedConfig): PastNames {
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
function hasNamesToSettle(store: Store, config: ResolvedConfig, now: number): boolean {
  const { renamed, moved } = pastNames(store, config);
  return renamed.length + moved.length > 0 && !isRunning(store, now);
}

/** A run under way has planned its checks under the earlier names: they stay until it ends. */
function isRunning({ runs }: Store, now: number): boolean {
  return [...runs.openRuns(), ...runs.unreportedRuns()].some(({ owner, heartbeatAt }) =>
    isAlive(owner, heartbeatAt, now),
  );
}

/**
 * Gives the history of earlier names to the present ones, in one transaction, and moves the reports with it. False: a
 * run under way still has the earlier names, so that no run of the present ones may begin.
 */
function settleNames(store: Store, config: ResolvedConfig, now: number, log: Log): boolean {
  const { renamed, moved } = pastNames(store, config);
  if (renamed.length + moved.length === 0) return true;
  if (isRunning(store, now)) return false;
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
  return true;
}

/** Before runs: the same, and for keywords that the config spells in another way than before. All must be loaded. */
export function settleBeforeRuns(store: Store, config: ResolvedConfig, now: number, log: Log): boolean {
  if (!settleNames(store, config, now, log)) return false;
  if (isRunning(store, now)) return true;
  shareSpellings(store, config);
  const tracked = config.projects.flatMap(({ keywords }) =>
    keywords.map(({ keyword }) => store.names.storedKeyword(keyword)),
  );
  const prompts = config.projects.flatMap((project) => project.prompts?.list.map(({ prompt }) => prompt) ?? []);
  store.transaction(() => store.renames.respell(tracked, prompts));
  return true;
}

/** Keywords that several projects spell differently are one search. */
function shareSpellings(store: Store, { projects }: ResolvedConfig): void {
  store.names.shareSpellings(sharedSpellings(projects));
}

/** The refusal of a run whose names wait for another run. */
export function namesInUse(): StoreError {
  return new StoreError(
    'RUN_IN_PROGRESS',
    'a run of projects or services under their earlier names is under way',
    'Wait until it ends; `rankledger status` shows it.',
  );
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
