// The fence around runs: a process writes for a run only while it holds the run's newest ownership epoch.
import type { Connection } from './client.ts';
import { StoreError } from './errors.ts';

export class RunFence {
  readonly #db: Connection;
  /** Epochs that this process was given, by run. */
  readonly #held = new Map<number, number>();
  /** Runs that were checked in this transaction. */
  readonly #checked = new Set<number>();
  #era = -1;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Notes the epoch under which this process works on a run from now on. */
  hold(runId: number, epoch: number): void {
    this.#held.set(runId, epoch);
    this.#checked.delete(runId);
  }

  /** The epoch that this process was given; null where it never worked on the run. */
  epochOf(runId: number): number | null {
    return this.#held.get(runId) ?? null;
  }

  /** Throws StoreError RUN_TAKEN_OVER where another process has raised the epoch. Call inside each transaction that writes for the run. */
  check(runId: number): void {
    if (this.#era !== this.#db.era || !this.#db.inTransaction) this.#checked.clear();
    this.#era = this.#db.era;
    if (this.#checked.has(runId)) return;
    const row = this.#db.sql('SELECT owner_epoch, owner FROM runs WHERE id = ?').get(runId);
    if (row?.['owner_epoch'] !== this.#held.get(runId)) throw takenOver(runId, row?.['owner'] as string | null);
    this.#checked.add(runId);
  }

  /** The same for the run of a reservation. */
  checkReservation(id: number): void {
    this.check(Number(this.#db.sql('SELECT run_id FROM reservations WHERE id = ?').get(id)?.['run_id']));
  }

  /** The same for the run of a purchase. */
  checkPurchase(id: number): void {
    const sql = 'SELECT r.run_id FROM purchases p JOIN reservations r ON r.id = p.reservation_id WHERE p.id = ?';
    this.check(Number(this.#db.sql(sql).get(id)?.['run_id']));
  }
}

export function isTakenOver(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'RUN_TAKEN_OVER';
}

/** The error of a process whose run was taken over, whoever has it by now. */
function takenOver(runId: number, owner: string | null | undefined): StoreError {
  const [, , pid] = owner?.split('|') ?? [];
  return new StoreError(
    'RUN_TAKEN_OVER',
    `run ${runId} was taken over by another process${pid === undefined ? '' : ` (${pid})`}: this one gave no heartbeat for too long and stops working on it`,
    'The other process goes on with the run. `rankledger status` shows it.',
  );
}
