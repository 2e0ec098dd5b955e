// Proves that a database or a backup is unchanged since it was written.
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { openForReading } from '../../../db/connection/client.ts';
import { asStoreError } from '../../../db/connection/errors.ts';
import type { AuditCheck } from '../../../db/integrity/audit.ts';
import { computeSha256, recordedSha256 } from '../../../db/integrity/backup.ts';
import { isSumCheck, verification } from '../../../db/integrity/verify.ts';
import { Witness } from '../../../db/integrity/witness.ts';
import type { App } from '../app.ts';
import { operatorName } from '../opening/operator.ts';
import { UsageError } from '../opening/usage-error.ts';

export interface VerifyReport {
  readonly ok: boolean;
  readonly file: string;
  readonly bytes: number;
  readonly checks: readonly AuditCheck[];
}

export interface VerifyRequest {
  /** Absolute. Default: the config's database. */
  readonly file?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number) => void;
}

/** Changes nothing. Throws StoreError if the file is no rankledger database, or is too damaged to open. */
export async function verifyDatabase(databaseFile: string, request: VerifyRequest): Promise<VerifyReport> {
  const { file = databaseFile, signal, onProgress } = request;
  const checks: AuditCheck[] = [];
  openForReading(file).close(); // refuses other files before reading all of it
  const sum = await sumCheck(file); // not while it is open: closing a second handle would drop SQLite's locks on it
  if (sum !== null) checks.push(sum);
  const db = openForReading(file);
  try {
    for (const check of verification(db)) {
      checks.push(check);
      onProgress?.(checks.length);
      await new Promise((next) => setImmediate(next)); // lets a signal in between two checks
      signal?.throwIfAborted();
    }
    const witness = new Witness(db);
    const shown = basename(witness.file);
    checks.push(witness.check(shown, `it lacks what ${shown} records: it is an older copy, or another database`));
  } catch (error) {
    throw asStoreError(error, file);
  } finally {
    db.close();
  }
  return { ok: checks.every(({ ok }) => ok), file, bytes: statSync(file).size, checks };
}

/**
 * Computes the sums of a database again and records who did so and why, after the proofs: they must find nothing but
 * sums that differ. Throws UsageError otherwise.
 */
export async function acceptDifferentSums(
  { config, context }: App,
  { reason, signal }: { readonly reason: string; readonly signal: AbortSignal },
): Promise<VerifyReport> {
  const { databaseFile } = config;
  const { checks } = await verifyDatabase(databaseFile, { signal });
  const broken = checks.filter(({ ok }) => !ok);
  const others = broken.filter((check) => !isSumCheck(check));
  if (broken.length === 0) throw new UsageError('every sum is as it was recorded: there is nothing to accept');
  if (others.length > 0)
    throw new UsageError(
      `more is broken than sums: ${others.map(({ name }) => name).join('; ')}`,
      'Put your newest intact backup in its place.',
    );
  const { store, clock } = context;
  const facts = { reason, differed: broken.map(({ name, detail }) => `${name}: ${detail}`) };
  const [account, username, by, at] = [undefined, undefined, operatorName(), clock.now()];
  store.acceptSums({ action: 'sums-accept', account, username, by, facts, at });
  return await verifyDatabase(databaseFile, { signal });
}

async function sumCheck(file: string): Promise<AuditCheck | null> {
  const sha256 = recordedSha256(file);
  if (sha256 === null) return null;
  const ok = (await computeSha256(file)) === sha256;
  const name = 'the file is byte for byte what was backed up (SHA-256)';
  return { name, ok, detail: ok ? '' : `it differs from ${basename(file)}.sha256` };
}
