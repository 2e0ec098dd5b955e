// Sources that were measured to agree, by their labels: checks of one compare with those of the other.
import type { Connection } from '../connection/client.ts';
import type { TableRow } from '../schema/rows.ts';

type Bridge = TableRow<'bridges'>;

export class Bridges {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** The label that checks of this source compare with: its own, unless a bridge leads to another one. */
  firstOf(source: string): string {
    const seen = new Set([source]);
    let label = source;
    for (;;) {
      const row = this.#db
        .sql<Pick<Bridge, 'comparesWith'>>('SELECT compares_with AS comparesWith FROM bridges WHERE source = ?')
        .get(label);
      if (row === undefined || seen.has(row.comparesWith)) return label;
      label = row.comparesWith;
      seen.add(label);
    }
  }

  /** A newer measurement replaces the former. Call inside a transaction. */
  keep({ source, comparesWith, searches, measuredAt }: Bridge): void {
    this.#db.insert(
      'bridges',
      { source, comparesWith, searches, measuredAt },
      'ON CONFLICT DO UPDATE SET compares_with = excluded.compares_with, searches = excluded.searches, measured_at = excluded.measured_at',
    );
  }

  /** The sources were measured not to agree, or no longer. Call inside a transaction. */
  remove(source: string): void {
    this.#db.sql('DELETE FROM bridges WHERE source = ?').run(source);
  }

  /** The label of the newest complete check in markets of a service; null: none. */
  newestLabel(service: string): string | null {
    const row = this.#db
      .sql<{ source: string | null }>(
        `SELECT c.source FROM checks c JOIN searches s ON s.id = c.search_id JOIN markets m ON m.id = s.market_id
         WHERE m.service = ? AND c.state = 'ok' ORDER BY c.id DESC LIMIT 1`,
      )
      .get(service);
    return row?.source ?? null;
  }
}
