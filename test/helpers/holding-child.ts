// Holds the write lock of a database until a line on stdin: node holding-child.ts DATABASE.
import { once } from 'node:events';
import Database from 'better-sqlite3';

const db = new Database(process.argv[2] ?? '', { timeout: 60_000 });
db.exec('BEGIN IMMEDIATE');
process.stdout.write('locked\n');
await once(process.stdin, 'data');
process.stdin.destroy();
db.exec('COMMIT');
db.close();
