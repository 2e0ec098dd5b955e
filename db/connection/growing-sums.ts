// Sums of rows that no longer change, for counters: each row is read once, however often the sums are asked for.
import { setImmediate } from 'node:timers/promises';
import type { Connection } from './client.ts';

/** Texts are the key of a sum, numbers are added. */
type SumRow = Readonly<Record<string, string | number>>;

/** Rows of one statement: a file of millions leaves room for other work between them. */
const rowsAtOnce = 20_000;

export class GrowingSums<Row extends SumRow> {
  readonly #db: Connection;
  readonly #sql: { readonly ends: string; readonly sums: string };
  readonly #sums = new Map<string, Row>();
  #through = 0;
  #turn: Promise<unknown> = Promise.resolve();

  /**
   * `ends` has `last`, the newest id, and `open`, the oldest of a row that may still change, or null. `sums` has the
   * sums of the finished rows with ids above its first value, up to its second.
   */
  constructor(db: Connection, sql: { readonly ends: string; readonly sums: string }) {
    this.#db = db;
    this.#sql = sql;
  }

  /** The sums of all finished rows. */
  async read(): Promise<Row[]> {
    const turn = this.#turn.then(() => this.#read());
    this.#turn = turn.catch(() => undefined);
    return await turn;
  }

  async #read(): Promise<Row[]> {
    const { last, open } = this.#ends();
    const settled = open === null ? last : open - 1;
    while (this.#through < settled) {
      const to = Math.min(settled, this.#through + rowsAtOnce);
      addSums(this.#sums, this.#between(this.#through, to));
      this.#through = to;
      await setImmediate();
    }
    const sums = new Map(this.#sums);
    addSums(sums, this.#between(settled, last));
    return [...sums.values()];
  }

  #ends(): { last: number; open: number | null } {
    const ends = this.#db.sql<{ last: number | null; open: number | null }>(this.#sql.ends).get();
    return { last: ends?.last ?? 0, open: ends?.open ?? null };
  }

  #between(after: number, through: number): Row[] {
    return this.#db.sql<Row>(this.#sql.sums).all(after, through);
  }
}

function addSums<Row extends SumRow>(sums: Map<string, Row>, rows: readonly Row[]): void {
  for (const row of rows) {
    const key = JSON.stringify(Object.values(row).filter((value) => typeof value === 'string'));
    const before = sums.get(key);
    const added = Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'number' ? value + Number(before?.[name] ?? 0) : value,
    ]);
    sums.set(key, Object.fromEntries(added));
  }
}
