// A database that is deleted, renamed or replaced while a process has it open, and a log without its database.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore, type Store } from '../../../db/store.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { fileFaults } from '../../helpers/file-faults.ts';

const intent = { service: 's', searchId: null, moment: 1, page: null, price: 1, at: 1 };
const keys = { day: '2026-01-15', month: '2026-01' };

/** A store with a run that may buy; `buy` opens one purchase. */
function opened(file = join(temporaryFolder(), 'db.sqlite')) {
  const store = openStore(file);
  const runId = store.runs.open({ kind: 'adhoc', moment: 1, owner: 'o', at: 1 }, [])?.id ?? 0;
  const request = { runId, checkId: null, currency: 'serp_credit', amount: 50, at: 1, keys } as const;
  const reserved = store.transaction(() => store.ledger.reserve(request));
  let bought = 0;
  const buy = (): void => {
    bought += 1;
    const requestKey = `key-${bought}`;
    store.transaction(() => store.ledger.open({ ...intent, requestKey, reservationId: reserved.ok ? reserved.id : 0 }));
  };
  return { file, store, runId, buy };
}

describe('a database that is in use', () => {
  for (const [name, fault] of Object.entries(fileFaults)) {
    it(`and ${name} stops purchases: each is refused before its request is sent`, () => {
      const { file, store, runId, buy } = opened();
      buy();
      fault(file);
      expect(buy).toThrow(expect.objectContaining({ code: 'DATABASE_REPLACED' }));
      expect(() => store.assertSameFile()).toThrow(/while this process worked with it/);
      expect(store.purchaseAttempts.openOf(runId).length).toBeLessThanOrEqual(1);
      store.close();
    });
  }

  it('stays the same file through writes, checkpoints and other processes that open and close it', () => {
    const { file, store, buy } = opened();
    for (let n = 0; n < 5; n += 1) {
      buy();
      const other: Store = openStore(file);
      other.transaction(() => other.runs.open({ kind: 'adhoc', moment: 1, owner: 'o', at: 1 }, []));
      other.close();
      buy();
    }
    store.assertSameFile();
    store.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
    const again = openStore(file);
    again.assertSameFile();
    again.close();
  });
});

describe('a missing database', () => {
  it('is not created again if its write-ahead log still exists', () => {
    for (const suffix of ['-wal', '-journal']) {
      const file = join(temporaryFolder(), 'db.sqlite');
      writeFileSync(file + suffix, 'what was written last');
      expect(() => openStore(file)).toThrow(expect.objectContaining({ code: 'DATABASE_MISSING' }));
      expect(existsSync(file)).toBe(false);
      rmSync(file + suffix);
      openStore(file).close();
    }
  });

  it('is created if no file of an older one exists, including missing folders', () => {
    const folder = join(temporaryFolder(), 'new');
    mkdirSync(folder);
    openStore(join(folder, 'deep', 'db.sqlite')).close();
    expect(existsSync(join(folder, 'deep', 'db.sqlite'))).toBe(true);
  });
});
