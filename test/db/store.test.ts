// Transactions of the store: all or nothing, alone or in a group.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Connection, openConnection } from '../../db/connection/client.ts';
import { Store } from '../../db/store.ts';
import { temporaryFolder } from '../helpers/closing.ts';
import { noCaps } from '../helpers/jobs.ts';

let file: string;
let store: Store;
let connection: Connection;
let reader: Database.Database;
beforeEach(() => {
  file = join(temporaryFolder(), 'db.sqlite');
  connection = openConnection(file, { busyTimeoutMs: 20 });
  store = new Store(connection, noCaps);
  reader = new Database(file);
});
afterEach(() => {
  reader.close();
  store.close();
});

const kept = (): unknown[] => reader.prepare('SELECT text FROM keywords ORDER BY id').pluck().all();
const add = (text: string) => () => store.names.keywordId(text);

describe('a transaction', () => {
  it('is visible to others when it returns, and leaves nothing if it throws', () => {
    store.transaction(add('one'));
    expect(() =>
      store.transaction(() => {
        add('two')();
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(kept()).toEqual(['one']);
    expect(store.transaction(add('two'))).toBe(2);
    expect(kept()).toEqual(['one', 'two']);
  });

  it('inside another one is part of it', () => {
    expect(() =>
      store.transaction(() => {
        store.transaction(add('inner'));
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(kept()).toEqual([]);
  });
});

describe('grouped work', () => {
  it('of one turn becomes durable together, each part with its own result', async () => {
    const first = store.grouped(add('one'));
    const second = store.grouped(add('two'));
    expect(kept()).toEqual([]);
    expect(await Promise.all([first, second])).toEqual([1, 2]);
    expect(kept()).toEqual(['one', 'two']);
    expect(await store.grouped(add('three'))).toBe(3);
  });

  it('that fails does not undo another part', async () => {
    const results = await Promise.allSettled([
      store.grouped(add('one')),
      store.grouped(() => {
        add('lost')();
        throw new Error('no');
      }),
      store.grouped(add('lost')),
      store.grouped(add('two')),
    ]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    // the id of the failed part was released and assigned again
    expect(kept()).toEqual(['one', 'lost', 'two']);
    expect(results[2]).toMatchObject({ value: 2 });
  });

  it('settles only when it is durable', async () => {
    const seen: unknown[][] = [];
    await Promise.all([
      store.grouped(add('one')).then(() => seen.push(kept())),
      store.grouped(add('two')).then(() => seen.push(kept())),
    ]);
    expect(seen).toEqual([
      ['one', 'two'],
      ['one', 'two'],
    ]);
  });

  it('that cannot begin while another program writes is done once that program has ended', async () => {
    let tries = 0;
    const transaction = connection.transaction.bind(connection);
    connection.transaction = (work) => {
      tries += 1;
      if (tries === 3) reader.exec('ROLLBACK'); // the other program ends
      return transaction(work);
    };
    reader.exec('BEGIN IMMEDIATE');
    expect(await Promise.all([store.grouped(add('one')), store.grouped(add('two'))])).toEqual([1, 2]);
    expect(tries).toBeGreaterThanOrEqual(3);
    expect(kept()).toEqual(['one', 'two']);
  });

  it('on a full disk keeps the data that it reports as kept, and nothing else', async () => {
    const db = limited();
    const big = 'x'.repeat(3_000_000);
    const results = await Promise.allSettled([
      db.grouped(() => db.names.keywordId('small')),
      db.grouped(() => db.names.keywordId(big)),
      db.grouped(() => db.names.keywordId('after')),
    ]);
    const lost = results.filter((result) => result.status === 'rejected');
    expect(lost.length).toBeGreaterThanOrEqual(1);
    expect(lost[0]).toMatchObject({ reason: { code: 'DISK_FULL' } });
    // data reported as kept is there, and data reported as lost is not
    const keptNow = db.transaction(() =>
      results.map(
        (result, index) =>
          result.status === 'fulfilled' && db.names.keywordId(['small', big, 'after'][index] ?? '') === result.value,
      ),
    );
    expect(keptNow).toEqual(results.map((result) => result.status === 'fulfilled'));
    db.close();
  });

  it('whose transaction SQLite rolls back is rejected as a whole', async () => {
    const results = await Promise.allSettled([
      store.grouped(add('one')),
      store.grouped(() => {
        connection.sql('ROLLBACK').run(); // as a failing disk makes SQLite do
        throw new Error('disk I/O error');
      }),
      store.grouped(add('two')),
    ]);
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(kept()).toEqual([]);
    expect(await store.grouped(add('one'))).toBe(1);
  });
});

it('opens every part that it names', () => {
  const parts = Object.entries(Object.getOwnPropertyDescriptors(Store.prototype)).filter(
    ([, { get, set }]) => get && set === undefined,
  );
  for (const [name] of parts) expect(Reflect.get(store, name), name).toBeTruthy();
  expect(parts.length).toBeGreaterThan(40);
});

/** A store that may grow by no more than a few pages. */
function limited(): Store {
  const connection = openConnection(join(temporaryFolder(), 'db.sqlite'));
  connection.pragma(`max_page_count = ${Number(connection.pragma('page_count')) + 4}`);
  return new Store(connection, noCaps);
}
