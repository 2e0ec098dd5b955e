// The database of a config, as servers of history open it.
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { StoreError } from '../../../db/connection/errors.ts';
import { schemaVersion } from '../../../db/connection/opening/guards.ts';
import type { Store } from '../../../db/store.ts';
import type { App } from '../../../src/app/app.ts';
import { openDatabase } from '../../../src/app/opening/database.ts';
import { audit } from '../../../src/app/upkeep/audit.ts';
import { temporaryFolder } from '../../helpers/jobs.ts';
import { databaseOf } from '../../helpers/older-database.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const caps = { perRun: null, perDay: null, perMonth: null };

function opened(databaseFile: string) {
  const config = {
    databaseFile,
    budget: { serpCredits: caps, microUsd: caps },
    projects: [],
    formerly: { projects: new Map(), services: new Map(), firstServiceNames: new Map() },
  };
  return openDatabase(config as unknown as Parameters<typeof openDatabase>[0], log, 0, { isReading: true });
}

it('a reader refuses an older schema, names the command that migrates, and leaves the file unchanged', () => {
  const file = databaseOf(schemaVersion() - 1);
  const before = readFileSync(file);
  let refusal: unknown;
  try {
    opened(file).close();
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toBeInstanceOf(StoreError);
  expect(refusal).toMatchObject({ code: 'DATABASE_OLDER', hint: expect.stringContaining('`rankledger migrate`') });
  expect(readFileSync(file).equals(before)).toBe(true);
});

it('a reader reads a database of this schema, and cannot write it', () => {
  const store = opened(databaseOf(schemaVersion()));
  expect(store.runs.run(1)?.state).toBe('complete');
  expect(() => store.transaction(() => store.notes.add({ date: '2026-01-15', text: 'x', project: null }, 0))).toThrow(
    StoreError,
  );
  store.close();
});

it.each(['data', 'data/rank.sqlite'])(
  'a database behind a link that leads nowhere is not read as empty: %s',
  (name) => {
    const folder = temporaryFolder();
    symlinkSync('unmounted', join(folder, 'data'));
    expect(() => opened(join(folder, name))).toThrow(
      expect.objectContaining({ code: 'DATABASE_MISSING', message: expect.stringContaining('is a link to unmounted') }),
    );
  },
);

it('a reader of a missing database reads an empty history and creates no file', () => {
  const file = join(temporaryFolder(), 'none.sqlite');
  const store = opened(file);
  expect(store.runs.run(1)).toBeNull();
  store.close();
  expect(() => readFileSync(file)).toThrow('ENOENT');
});

const appOf = (store: Store) => ({ context: { store, clock: { now: () => 0 } } }) as unknown as App;
const broken = {
  name: 'the ledger contains what its witness file records',
  ok: false,
  detail: expect.stringContaining('it was deleted or renamed'),
};

it('an audit of a missing database says that there is none', () => {
  const file = join(temporaryFolder(), 'none.sqlite');
  const store = opened(file);
  expect(audit(appOf(store)).checks[0]?.detail).toBe(`${file} does not exist`);
  store.close();
});

it('a reader of a missing database finds what its witness file records, and its log refuses it', () => {
  const file = join(temporaryFolder(), 'lost.sqlite');
  const days = [{ currency: 'serp_credit', day: '2026-01-15', spent: 4 }];
  writeFileSync(`${file}.witness`, JSON.stringify({ ledger: 'a', hash: 'b', entries: 8, days }));
  const store = opened(file);
  expect(store.witness.gap()?.days).toEqual(days);
  expect(audit(appOf(store))).toMatchObject({ ok: false, checks: expect.arrayContaining([broken]) });
  store.close();
  writeFileSync(`${file}-wal`, '');
  expect(() => opened(file)).toThrow(expect.objectContaining({ code: 'DATABASE_MISSING' }));
});

it('an audit says that it skipped a witness file that it cannot read', () => {
  const file = join(temporaryFolder(), 'spoiled.sqlite');
  writeFileSync(`${file}.witness`, '{');
  const store = opened(file);
  const detail = `not compared: ${file}.witness is damaged`;
  expect(audit(appOf(store)).checks.at(-1)).toEqual({ name: broken.name, ok: true, detail, skipped: true });
  store.close();
});

it('a database whose path this user cannot follow does not count as missing', () => {
  const folder = temporaryFolder();
  symlinkSync(join(folder, 'data'), join(folder, 'data')); // a loop: it stops even root, whom no permission stops
  expect(() => opened(join(folder, 'data', 'rankledger.sqlite'))).toThrow(
    expect.objectContaining({ code: 'DATABASE_UNOPENABLE', message: expect.stringContaining('ELOOP') }),
  );
});
