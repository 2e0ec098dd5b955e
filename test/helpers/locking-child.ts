// Holds the write lock of a database repeatedly: node locking-child.ts DATABASE TIMES HELD_MS, then a line on stdin.
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';

process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();
const [file = '', times = '', heldMs = ''] = process.argv.slice(2);
const db = new Database(file, { timeout: 60_000 });
for (let n = 0; n < Number(times); n += 1) {
  db.exec('BEGIN IMMEDIATE');
  process.stdout.write('locked\n');
  await setTimeout(Number(heldMs));
  db.exec('COMMIT');
  await setTimeout(60);
}
db.close();
