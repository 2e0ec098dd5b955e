// A history that was lost: the witness of its database, or its reports, prove purchases that the database lacks.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { StoreError } from '../../../db/connection/errors.ts';
import { databaseExists, guardStaleLog } from '../../../db/connection/guards.ts';
import { witnessFile } from '../../../db/integrity/witness.ts';
import { openStoreForReading, type Store } from '../../../db/store.ts';
import type { JobContext } from '../../../jobs/context.ts';
import type { countGap as CountGap } from '../../../jobs/run/run-lease.ts';
import { operatorName } from './machine.ts';

type Place = Pick<ResolvedConfig, 'databaseFile' | 'reports' | 'projects'>;

/** Refuses a missing database beside the witness of its ledger, or reports of paid pages. Throws StoreError. */
export function guardMissing(config: Place): void {
  const loss = missingLoss(config);
  if (loss !== null) throw lost(loss);
}

/** Refuses an open database of another ledger than its witness records. Throws StoreError. */
export function guardReplaced(store: Store): void {
  const loss = replacedLoss(store);
  if (loss !== null) throw lost(loss);
}

/**
 * Refuses, for a command that opens no database, one that is lost, empty, damaged or of another program. Throws
 * StoreError.
 */
export function guardHistory(config: Place): void {
  guardMissing(config);
  if (!databaseExists(config.databaseFile)) return;
  try {
    const store = openStoreForReading(config.databaseFile, { isCurrent: true });
    try {
      guardReplaced(store);
    } finally {
      store.close();
    }
  } catch (error) {
    if (!(error instanceof StoreError) || isLoss(error.code)) throw error;
  }
}

const isLoss = (code: string): boolean =>
  ['DATABASE_LOST', 'DATABASE_EMPTY_FILE', 'DATABASE_FOREIGN', 'DATABASE_CORRUPT'].includes(code);

/** Why the history of a config is lost; null where it is not, or `audit` says what else is wrong. */
export function findLoss(config: Place): string | null {
  const missing = missingLoss(config);
  if (missing !== null || !databaseExists(config.databaseFile)) return missing;
  const store = openStoreForReading(config.databaseFile, { isCurrent: true });
  try {
    return replacedLoss(store);
  } finally {
    store.close();
  }
}

/**
 * Goes on without the lost history, in a store that was opened in spite of it: what the witness recorded counts as
 * spent (unknown), and the audit trail has who accepted the loss, and why. Returns the days that were missing.
 */
export async function acceptLoss(
  context: JobContext,
  loss: string,
  reason: string,
): Promise<ReturnType<typeof CountGap>> {
  const { store, clock } = context;
  const { countGap } = await import('../../../jobs/run/run-lease.ts');
  const days = countGap(context);
  const [account, username, by, at] = [undefined, undefined, operatorName(), clock.now()];
  store.recordAction({ action: 'loss-accept', account, username, by, facts: { reason, loss, days }, at });
  store.witness.replace();
  return days;
}

function missingLoss(config: Place): string | null {
  const { databaseFile: file } = config;
  if (databaseExists(file)) return null;
  guardStaleLog(file);
  const witness = witnessFile(file);
  if (existsSync(witness))
    return `${file} does not exist, and ${witness} proves that it had bought something: the database was deleted, renamed or not mounted`;
  const report = paidReport(config);
  return report === null
    ? null
    : `${file} does not exist, and ${report} is a report of paid pages: its database was deleted, renamed or not mounted, or \`database:\` names another file`;
}

function replacedLoss({ file, witness }: Store): string | null {
  return witness.isOfAnotherLedger()
    ? `${file} has none of the purchases that ${witness.file} records: the database was emptied or replaced by another one`
    : null;
}

function lost(loss: string): StoreError {
  return new StoreError(
    'DATABASE_LOST',
    `${loss}. Nothing is bought`,
    'Put the database or a backup in its place. To go on without its history: rankledger audit --accept-loss "reason"',
  );
}

const reportFolder = /^\d{4}-\d{2}-\d{2}T\d{4}/;

/** A report of one of the projects that is made of results pages that cost something; null: there is none. */
function paidReport({ reports, projects }: Place): string | null {
  for (const { id } of projects) {
    const parent = join(reports.directory, id);
    const newest = namesIn(parent)
      .filter((name) => reportFolder.test(name))
      .sort()
      .at(-1);
    if (newest !== undefined && isPaid(join(parent, newest, 'manifest.json'))) return join(parent, newest);
  }
  return null;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isPaid(manifest: string): boolean {
  try {
    const { data } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly data?: { readonly simulated?: unknown } };
    return data?.simulated === false;
  } catch {
    return false;
  }
}

/** A warning for people where an older copy of the database was put in its place. */
export function olderCopyWarnings({ databaseFile }: Place): string[] {
  if (!databaseExists(databaseFile)) return [];
  try {
    const store = openStoreForReading(databaseFile, { isCurrent: true });
    try {
      if (store.witness.gap() === null || store.witness.isOfAnotherLedger()) return [];
      return [
        `${databaseFile} is an older copy than ${store.witness.file} records: the next run counts the missing purchases as spent, and buys their pages again where they are due.`,
      ];
    } finally {
      store.close();
    }
  } catch (error) {
    if (error instanceof StoreError) return [];
    throw error;
  }
}
