// The database of a config, as servers of history open it.
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { StoreError } from '../../../db/connection/errors.ts';
import { schemaVersion } from '../../../db/connection/guards.ts';
import { openStore, type Store } from '../../../db/store.ts';
import { type App, openApp } from '../../../src/app/app.ts';
import { audit } from '../../../src/app/audit.ts';
import { openDatabase } from '../../../src/app/opening/database.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { databaseOf } from '../../helpers/older-database.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const caps = { perRun: null, perDay: null, perMonth: null };

function opened(databaseFile: string, use: { readonly allowsLoss?: boolean } = {}) {
  const config = {
    databaseFile,
    budget: { serpCredits: caps, microUsd: caps },
    projects: [],
    formerly: { projects: new Map(), services: new Map(), firstServiceNames: new Map() },
  };
  return openDatabase(config as unknown as Parameters<typeof openDatabase>[0], log, 0, { isReading: true, ...use });
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
  expect(() => opened(file)).toThrow(expect.objectContaining({ code: 'DATABASE_LOST' }));
  const store = opened(file, { allowsLoss: true });
  expect(store.witness.gap()?.days).toEqual(days);
  expect(audit(appOf(store))).toMatchObject({ ok: false, checks: expect.arrayContaining([broken]) });
  store.close();
  writeFileSync(`${file}-wal`, '');
  expect(() => opened(file)).toThrow(expect.objectContaining({ code: 'DATABASE_MISSING' }));
});

it.each([
  ['is not there', null, 'there is none'],
  ['it cannot read', '{', 'is damaged'],
])('an audit says that it skipped a witness file that %s', (_, content, why) => {
  const file = join(temporaryFolder(), 'spoiled.sqlite');
  if (content !== null) writeFileSync(`${file}.witness`, content);
  const store = opened(file, { allowsLoss: true });
  const detail = expect.stringMatching(new RegExp(`^not compared: .*${why}`));
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

it('an app that writes waits for the lock of another program, at its start as in the middle of a run', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'rankledger.yaml'), 'projects: [{ id: acme, targets: [acme.com], keywords: [shoes] }]');
  const config = await loadConfig({ file: join(folder, 'rankledger.yaml'), env: {}, cwd: folder });
  await (await openApp(config)).close();
  const holder = new Database(config.databaseFile);
  holder.exec('BEGIN EXCLUSIVE');
  let notices = 0;
  const onLocked = (): void => {
    notices += 1;
    if (holder.inTransaction) holder.exec('ROLLBACK');
  };
  const app = await openApp(config, { lock: { stop: new AbortController().signal, onLocked } });
  expect(notices).toBeGreaterThan(0);
  app.context.store.transaction(() => app.context.store.names.keywordId('shoes'));
  await app.close();
  holder.close();
});

it('a database with a second name is refused, what a killed process left beside it is not in the way', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'r.sqlite');
  openStore(file).close();
  linkSync(file, join(folder, 'other.sqlite'));
  expect(() => openStore(file)).toThrow(expect.objectContaining({ code: 'DATABASE_UNOPENABLE' }));
  rmSync(join(folder, 'other.sqlite'));
  // killed between the second name and the removal of the first, and before it
  linkSync(file, `${file}.new-${randomUUID()}`);
  const old = `${file}.new-${randomUUID()}`;
  writeFileSync(old, 'half');
  utimesSync(old, 1, 1);
  const young = `${file}.partial-7-${randomUUID()}`;
  writeFileSync(young, 'half');
  openStore(file).close();
  expect(readdirSync(folder).filter((name) => name !== basename(young))).toEqual(
    ['r.sqlite', 'r.sqlite.witness'].filter((name) => existsSync(join(folder, name))),
  );
  expect(existsSync(young)).toBe(true);
});
