// The keys that hash API users' passwords. A copy of the database contains them.
import type { LoginKey } from '../../src/service/index.ts';
import type { Connection } from '../connection/client.ts';
import type { TableRow } from '../schema/rows.ts';

/** Every key, newest first; where there is none, `first` is kept. Call inside a transaction. */
export function readLoginKeys(db: Connection, first: LoginKey): LoginKey[] {
  db.sql(
    'INSERT INTO login_keys (key_id, secret, created_at) SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM login_keys)',
  ).run(first.id, Buffer.from(first.secret), first.createdAt);
  return db
    .sql<TableRow<'login_keys', 'key_id' | 'secret' | 'created_at'>>(
      'SELECT key_id, secret, created_at FROM login_keys ORDER BY id DESC',
    )
    .all()
    .map((row) => ({
      id: row.key_id,
      secret: row.secret,
      createdAt: row.created_at,
    }));
}
