// The store of accounts over a database in memory.
import type BetterSqlite from 'better-sqlite3';
import { SqliteAccountStore } from '../../db/accounts/accounts.ts';
import { Connection } from '../../db/connection/client.ts';
import { GroupCommit } from '../../db/connection/group-commit.ts';
import { newInMemory } from '../../db/connection/migrate.ts';

let open: BetterSqlite.Database[] = [];
/** Of the test file before: work that a test left has ended by now. */
let left: BetterSqlite.Database[] = [];

export class MemoryAccounts extends SqliteAccountStore {
  constructor() {
    // not opened as a file is: nothing reads the sums of its rows, whose triggers take half of that time
    const sqlite = newInMemory();
    sqlite.pragma('foreign_keys = ON');
    open.push(sqlite);
    const db = new Connection(sqlite, ':memory:');
    super(db, new GroupCommit(db));
  }
}

/** After each test file: the garbage collector does not see their memory. */
export function closeMemoryAccounts(): void {
  for (const sqlite of left) sqlite.close();
  left = open;
  open = [];
}
