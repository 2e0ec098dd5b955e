// The store of accounts over a database in memory.
import { SqliteAccountStore } from '../../db/accounts/accounts.ts';
import { openConnection } from '../../db/connection/client.ts';
import { GroupCommit } from '../../db/connection/group-commit.ts';

export class MemoryAccounts extends SqliteAccountStore {
  constructor() {
    const db = openConnection(':memory:');
    super(db, new GroupCommit(db, () => {}));
  }
}
