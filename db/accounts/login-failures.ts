// Failed logins per minute. Hot path during a password attack: prepared SQL.

import type { FailureRetention, LoginFailures } from '../../src/service/index.ts';
import type { Connection } from '../connection/client.ts';
import { insertInto } from '../connection/insert.ts';

const insertFailures = insertInto(
  'account_log',
  ['at', 'last_at', 'event', 'minute', 'account', 'username', 'address', 'reason', 'count', 'facts'],
  `ON CONFLICT (minute, username, address, reason)
   DO UPDATE SET count = count + excluded.count, last_at = max(last_at, excluded.last_at)`,
);

/** Call inside a transaction. */
export function addLoginFailures(db: Connection, failures: readonly LoginFailures[], keep?: FailureRetention): void {
  for (const { minute, lastAt, username, account, address, reason, count } of failures) {
    db.insert(insertFailures, {
      at: minute,
      last_at: lastAt,
      event: 'login-failed',
      minute,
      account: account ?? null,
      username,
      address,
      reason,
      count,
      facts: '{}',
    });
  }
  if (keep === undefined) return;
  db.sql('DELETE FROM account_log WHERE minute < ?').run(keep.since);
  db.sql(
    // in the order of an index that holds all it reads: at 100,000 rows the table would take ten times as long
    `DELETE FROM account_log WHERE id IN
         (SELECT id FROM account_log WHERE minute IS NOT NULL
          ORDER BY minute DESC, username DESC, address DESC, reason DESC LIMIT -1 OFFSET ?)`,
  ).run(keep.rowsMax);
}
