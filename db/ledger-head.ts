// What names a ledger and its newest state: its identity, its last entry, and what each day has spent. Reads only.
import { hash } from 'node:crypto';
import type { Connection } from './client.ts';

/**
 * A name for this ledger among others, kept wherever its file is moved: its first entry, and the first project it paid for. Null without an entry.
 * Two that share it would count what one of them paid twice, never too little.
 */
export function ledgerIdentity(db: Connection): string | null {
  const first = db.sql('SELECT hash FROM ledger ORDER BY id LIMIT 1').get();
  if (first === undefined) return null;
  const project = db.sql('SELECT name FROM projects ORDER BY id LIMIT 1').get();
  return `${(first['hash'] as Buffer).toString('hex').slice(0, 24)}-${hash('sha256', String(project?.['name'])).slice(0, 8)}`;
}
