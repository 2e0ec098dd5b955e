// Retention: removes raw pages past their age, and expired idempotency records, in batches.
import type { Prunable, Pruned } from '../../db/integrity/prune.ts';

interface PruneRequest {
  /** UTC milliseconds: bodies received before this moment go. */
  readonly before: number;
  /** UTC milliseconds of now. */
  readonly at: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

interface PruneResult {
  readonly bodies: Pruned;
  readonly expiredRecords: Pruned;
  /** Old bodies that stay, because they were never read. */
  readonly unreadBodies: number;
}

const rowsABatch = 500;

/** What `pruneHistory` would remove. Nothing is changed. */
export function pruneReport(prunable: Prunable, { before, at }: PruneRequest): PruneResult {
  return {
    bodies: prunable.bodies(before),
    expiredRecords: prunable.expiredRecords(at),
    unreadBodies: prunable.unreadBodies(before),
  };
}

/**
 * Removes it in batches of one transaction each, so that other writers get their turn. `signal` ends it after the
 * current batch.
 */
export async function pruneHistory(prunable: Prunable, request: PruneRequest): Promise<PruneResult> {
  const { before, at, signal, onProgress } = request;
  const due = pruneReport(prunable, request);
  const total = due.bodies.rows + due.expiredRecords.rows;
  let bodies: Pruned = { rows: 0, bytes: 0 };
  let records = 0;
  const yieldToOthers = async (): Promise<void> => {
    onProgress?.(bodies.rows + records, total);
    await new Promise((next) => setImmediate(next));
    signal?.throwIfAborted();
  };
  for (let from: number | null = 0; from !== null; ) {
    const batch = prunable.removeBodies(before, from, rowsABatch);
    bodies = { rows: bodies.rows + batch.rows, bytes: bodies.bytes + batch.bytes };
    from = batch.next;
    await yieldToOthers();
  }
  for (let removed = rowsABatch; removed === rowsABatch; ) {
    removed = prunable.removeExpiredRecords(at, rowsABatch);
    records += removed;
    await yieldToOthers();
  }
  return { bodies, expiredRecords: { ...due.expiredRecords, rows: records }, unreadBodies: due.unreadBodies };
}
