// The fence around runs: a process writes only while it holds the run's newest epoch. Bench: `throughput`.
import type { Connection } from '../connection/client.ts';
import { StoreError } from '../connection/errors.ts';
import type { TableRow } from '../schema/rows.ts';

export class RunFence {
  readonly #db: Connection;
  /** Epochs that this process was given, by run. */
  readonly #held = new Map<number, number>();
  /** Runs that were checked in this transaction. */
  readonly #checked = new Set<number>();
  #transactionVersion = -1;

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

  /**
   * Throws StoreError RUN_TAKEN_OVER if another process raised the epoch. Call in each transaction that writes for the
   * run.
   */
  check(runId: number): void {
    if (this.#transactionVersion !== this.#db.transactionVersion || !this.#db.inTransaction) this.#checked.clear();
    this.#transactionVersion = this.#db.transactionVersion;
    if (this.#checked.has(runId)) return;
    const row = this.#db
      .sql<TableRow<'runs', 'ownerEpoch' | 'owner'>>('SELECT owner_epoch AS ownerEpoch, owner FROM runs WHERE id = ?')
      .get(runId);
    if (row?.ownerEpoch !== this.#held.get(runId)) throw takenOver(runId, row?.owner);
    this.#checked.add(runId);
  }

  /** The same for the run of a reservation. */
  checkReservation(id: number): void {
    this.check(
      Number(
        this.#db.sql<TableRow<'reservations', 'runId'>>('SELECT run_id AS runId FROM reservations WHERE id = ?').get(id)
          ?.runId,
      ),
    );
  }

  /** The same for the run of a purchase. */
  checkPurchase(id: number): void {
    // no join: SQLite plans one anew for each id, for four times the price
    const sql =
      'SELECT run_id AS runId FROM reservations WHERE id = (SELECT reservation_id FROM purchases WHERE id = ?)';
    this.check(Number(this.#db.sql<TableRow<'reservations', 'runId'>>(sql).get(id)?.runId));
  }
}

export function isTakenOver(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'RUN_TAKEN_OVER';
}

/** The error of a process whose run another process took over. */
function takenOver(runId: number, owner: string | null | undefined): StoreError {
  const [, , pid] = owner?.split('|') ?? [];
  return new StoreError(
    'RUN_TAKEN_OVER',
    `run ${runId} was taken over by another process${pid === undefined ? '' : ` (${pid})`}: this one gave no heartbeat for too long and stops working on it`,
    'The other process goes on with the run. `rankledger status` shows it.',
  );
}
