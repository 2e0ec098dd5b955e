// Several processes that open a file at once all enter the write-ahead log, although SQLite does not wait for it.
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { keepLog } from '../../../db/connection/guards.ts';
import { temporaryFolder } from '../../helpers/closing.ts';

/** Takes a write lock, reports it, and releases it 100 ms after the request to do so. */
const holder = `
  const { parentPort, workerData } = require('node:worker_threads');
  const sqlite = new (require('better-sqlite3'))(workerData);
  sqlite.exec('BEGIN IMMEDIATE');
  parentPort.once('message', () => setTimeout(() => sqlite.close(), 100));
  parentPort.postMessage('held');
`;

async function heldDatabase(): Promise<{ readonly sqlite: Database.Database; readonly other: Worker }> {
  const file = join(temporaryFolder(), 'db.sqlite');
  new Database(file).exec('CREATE TABLE a (b)').close();
  const other = new Worker(holder, { eval: true, workerData: file });
  await once(other, 'message');
  // without a timeout each refusal comes at once, as for a reader that becomes a writer
  return { sqlite: new Database(file, { timeout: 0 }), other };
}

describe('the write-ahead log', () => {
  it('is opened as soon as another process releases it', async () => {
    const { sqlite, other } = await heldDatabase();
    other.postMessage('let go');
    keepLog(sqlite, 60_000);
    expect(sqlite.pragma('journal_mode', { simple: true })).toBe('wal');
    sqlite.close();
    await once(other, 'exit');
  });

  it('is not waited for beyond the timeout', async () => {
    const { sqlite, other } = await heldDatabase();
    expect(() => keepLog(sqlite, 20)).toThrow(/locked/);
    sqlite.close();
    await other.terminate();
  });
});
