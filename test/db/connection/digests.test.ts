// Sums over history follow its rows, however a transaction ends.
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Connection, openConnection } from '../../../db/connection/client.ts';
import { historyCheck } from '../../../db/integrity/verify.ts';
import { Store } from '../../../db/store.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { noCaps } from '../../helpers/jobs.ts';

const market = { service: 'vendor', country: 'US', language: 'en' };
const volume = {
  month: '2026-01',
  observedAt: 1,
  source: 'vendor/remote',
  searchVolume: 90,
  cpcMicroUsd: null,
  competition: 3,
  competitionLevel: null,
  intent: 'commercial',
  relatedKeywords: ['boots'],
};

let file: string;
let db: Connection;
let store: Store;
beforeEach(() => {
  file = join(temporaryFolder(), 'db.sqlite');
  db = openConnection(file, { busyTimeoutMs: 500 });
  store = new Store(db, noCaps);
});
afterEach(() => store.close());

const record = (keyword: string, month = '2026-01'): void =>
  store.volumes.insert(keyword, market, { ...volume, month }, null);
const digests = () =>
  db
    .sql('SELECT subject, key, rows FROM history_digests ORDER BY key')
    .all()
    .map(({ subject, key, rows }) => `${subject} ${key} ${rows}`);

function expectWhole(...expected: string[]): void {
  expect(historyCheck(db)).toMatchObject({ ok: true });
  expect(digests()).toEqual(expected);
}

describe('a row of history', () => {
  it('is summed up with its transaction, in any order of rows', () => {
    store.transaction(() => {
      record('shoes');
      record('boots', '2026-02');
    });
    store.transaction(() => record('boots'));
    expectWhole('volumes 202601 2', 'volumes 202602 1');
  });

  it('is summed up outside of any transaction', () => {
    record('shoes');
    expectWhole('volumes 202601 1');
  });

  it('that existed already is not summed up again', () => {
    store.transaction(() => record('shoes'));
    store.transaction(() => record('shoes'));
    expectWhole('volumes 202601 1');
  });

  it('that is rolled back leaves no trace', () => {
    const fail = (): never => {
      throw new Error('undone');
    };
    expect(() =>
      store.transaction(() => {
        record('shoes');
        fail();
      }),
    ).toThrow('undone');
    expectWhole();
    store.transaction(() => {
      record('kept');
      expect(() =>
        db.savepoint(() => {
          record('shoes');
          fail();
        }),
      ).toThrow('undone');
      db.savepoint(() => record('boots'));
    });
    expectWhole('volumes 202601 2');
  });

  it('is summed up with its own part of a group', async () => {
    const pieces = ['a', 'b', 'c'].map((keyword) =>
      store.grouped(() => {
        record(keyword);
        if (keyword === 'b') throw new Error('undone');
      }),
    );
    expect((await Promise.allSettled(pieces)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expectWhole('volumes 202601 2');
  });

  it('can be written by two processes at once', () => {
    const other = new Store(openConnection(file), noCaps);
    for (let index = 0; index < 20; index += 1) {
      const writer = index % 2 === 0 ? store : other;
      writer.transaction(() => writer.volumes.insert(`${index}`, market, volume, null));
    }
    other.close();
    expectWhole('volumes 202601 20');
  });
});

describe('sums', () => {
  it('never shrink and are never deleted', () => {
    record('shoes');
    for (const statement of ['UPDATE history_digests SET digest = 5', 'DELETE FROM history_digests']) {
      expect(() => db.sql(statement).run()).toThrow('only grows');
    }
  });

  it('detect a row that another program changed', () => {
    record('shoes');
    db.sql('UPDATE volumes SET search_volume = search_volume + 1').run();
    expect(historyCheck(db)).toMatchObject({ ok: false, detail: expect.stringContaining('volumes of 2026-01') });
  });
});
