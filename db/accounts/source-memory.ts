// What sources keep across restarts: small texts per service with an expiry. Only the source reads them.

import type { Clock, SourceMemory } from '../../src/service/index.ts';
import type { Connection } from '../connection/client.ts';
import type { GroupCommit } from '../connection/group-commit.ts';

import type { TableRow } from '../schema/rows.ts';

/** Expired entries are searched for once per this many writes, because the search reads all entries. */
const putsPerSweep = 1000;

export class SourceMemories {
  readonly #db: Connection;
  readonly #group: GroupCommit;
  #puts = 0;

  constructor(db: Connection, group: GroupCommit) {
    this.#db = db;
    this.#group = group;
  }

  /** The memory of one service of the config: sources of other services have other accounts, and never see it. */
  of(name: string, clock: Clock): SourceMemory {
    const service = this.#db.firstServiceName(name);
    return {
      get: async (key) => this.#get(service, key, clock.now()),
      put: (key, value, expiresAt) => this.#group.run(() => this.#put(service, key, value, expiresAt, clock.now())),
      delete: (key) => this.#group.run(() => this.#delete(service, key)),
    };
  }

  #get(service: string, key: string, now: number): string | undefined {
    const row = this.#db
      .sql<TableRow<'source_memory', 'value'>>(
        'SELECT value FROM source_memory WHERE service = ? AND key = ? AND expires_at > ?',
      )
      .get(service, key, now);
    return row === undefined ? undefined : row.value;
  }

  #put(service: string, key: string, value: string, expiresAt: number, now: number): void {
    if (this.#puts++ % putsPerSweep === 0) this.#db.sql('DELETE FROM source_memory WHERE expires_at <= ?').run(now);
    this.#db.insert(
      'source_memory',
      { service, key, value, expiresAt },
      'ON CONFLICT (service, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at',
    );
  }

  #delete(service: string, key: string): void {
    this.#db.sql('DELETE FROM source_memory WHERE service = ? AND key = ?').run(service, key);
  }
}
