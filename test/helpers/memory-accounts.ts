// The store of accounts over a database in memory.
import { SqliteAccountStore } from '../../db/accounts/accounts.ts';
import { Connection } from '../../db/connection/client.ts';
import { GroupCommit } from '../../db/connection/group-commit.ts';
import { newInMemory } from '../../db/connection/opening/new-database.ts';

export class MemoryAccounts extends SqliteAccountStore {
  constructor() {
    // not opened as a file is: nothing reads the sums of its rows, whose triggers take half of that time
    const sqlite = newInMemory();
    sqlite.pragma('foreign_keys = ON');
    const db = new Connection(sqlite, ':memory:');
    super(db, new GroupCommit(db, () => {}));
  }
}
