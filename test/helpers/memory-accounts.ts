// The store of accounts over a database in memory.
import type BetterSqlite from 'better-sqlite3';
import { SqliteAccountStore } from '../../db/accounts/accounts.ts';
import { Connection } from '../../db/connection/client.ts';
import { GroupCommit } from '../../db/connection/group-commit.ts';
import { newInMemory } from '../../db/connection/migrate.ts';
import { closeLater } from './closing.ts';

/** Of ended tests, the last few: work that a test left behind ends before they are closed. */
const ended: BetterSqlite.Database[] = [];
const endedMax = 20;

export class MemoryAccounts extends SqliteAccountStore {
  constructor() {
    // not opened as a file is: nothing reads the sums of its rows, whose triggers take half of that time
    const sqlite = newInMemory();
    sqlite.pragma('foreign_keys = ON');
    closeLater({
      close() {
        ended.push(sqlite);
        if (ended.length > endedMax) ended.shift()?.close();
      },
    });
    const db = new Connection(sqlite, ':memory:');
    super(db, new GroupCommit(db));
  }
}
