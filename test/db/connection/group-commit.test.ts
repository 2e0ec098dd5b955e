// Work of one turn shares a commit, and a failed part does not affect the others.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Connection, lockedMsMax, openConnection } from '../../../db/connection/client.ts';
import { DiskReserve } from '../../../db/connection/disk.ts';
import { GroupCommit } from '../../../db/connection/group-commit.ts';
import { temporaryFolder } from '../../helpers/closing.ts';

function setUp() {
  const file = join(temporaryFolder(), 'db.sqlite');
  const db = openConnection(file);
  return { file, db, group: new GroupCommit(db) };
}

const write = (db: Connection, name: string) => db.sql('INSERT INTO hosts (name) VALUES (?)').run(name);
const written = (db: Connection) =>
  db
    .sql('SELECT name FROM hosts ORDER BY id')
    .all()
    .map(({ name }) => name);

it('a part that throws rolls back its own writes and nothing else', async () => {
  const { db, group } = setUp();
  const lost = new Error('lost');
  const outcomes = await Promise.allSettled([
    group.run(() => write(db, 'first').changes),
    group.run(() => {
      write(db, 'second');
      throw lost;
    }),
    group.run(() => write(db, 'third').changes),
  ]);
  expect(outcomes).toEqual([
    { status: 'fulfilled', value: 1 },
    { status: 'rejected', reason: lost },
    { status: 'fulfilled', value: 1 },
  ]);
  expect(written(db)).toEqual(['first', 'third']);
  db.close();
});

it('another process sees all writes of one turn at once, before any part is notified', async () => {
  const { file, db, group } = setUp();
  const other = openConnection(file);
  const version = () => Number(other.pragma('data_version'));
  const before = version();
  const seen = await Promise.all(
    ['a', 'b', 'c'].map((name) => group.run(() => write(db, name)).then(() => written(other).length)),
  );
  expect(seen).toEqual([3, 3, 3]);
  expect(version()).toBe(before + 1);
  await group.run(() => write(db, 'd'));
  expect(version()).toBe(before + 2);
  other.close();
  db.close();
});

it('a lock that lasts too long rejects every part with a message, and the next turn starts afresh', async () => {
  const { file, db } = setUp();
  const impatient = openConnection(file, { busyTimeoutMs: 20 });
  let elapsedMs = 0;
  const group = new GroupCommit(impatient, () => {
    elapsedMs += lockedMsMax;
    return elapsedMs;
  });
  db.sql('BEGIN IMMEDIATE').run();
  const outcomes = await Promise.allSettled(['x', 'y'].map((name) => group.run(() => write(impatient, name))));
  const refused = { status: 'rejected', reason: expect.objectContaining({ code: 'DATABASE_LOCKED' }) };
  expect(outcomes).toEqual([refused, refused]);
  db.sql('COMMIT').run();
  await group.run(() => write(impatient, 'after'));
  expect(written(db)).toEqual(['after']);
  impatient.close();
  db.close();
});

it('the store waits for the lock of another program: received data is kept and recorded once', async () => {
  const { file, db } = setUp();
  const impatient = openConnection(file, { busyTimeoutMs: 20 });
  let tries = 0;
  const transaction = impatient.transaction.bind(impatient);
  impatient.transaction = (work) => {
    tries += 1;
    if (tries === 3) db.sql('COMMIT').run(); // the other program lets go
    return transaction(work);
  };
  const group = new GroupCommit(impatient);
  db.sql('BEGIN IMMEDIATE').run();
  const first = ['x', 'y'].map((name) => group.run(() => write(impatient, name)));
  while (tries === 0) await new Promise((next) => setImmediate(next));
  const later = group.run(() => write(impatient, 'z'));
  await Promise.all([...first, later]);
  expect(tries).toBeGreaterThanOrEqual(3);
  expect(written(db)).toEqual(['x', 'y', 'z']);
  impatient.close();
  db.close();
});

it('on a full disk the reserve is used and received data is recorded', async () => {
  const { file, db } = setUp();
  const reserve = new DiskReserve(file);
  reserve.hold(100_000);
  const room = { make: () => reserve.make() && Boolean(db.pragma('max_page_count = 100000')) };
  const group = new GroupCommit(db, undefined, room);
  db.pragma(`max_page_count = ${Number(db.pragma('page_count'))}`);
  const body = 'x'.repeat(200_000);
  const outcomes = await Promise.allSettled(['x', 'y'].map((name) => group.run(() => write(db, name + body))));
  expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'fulfilled']);
  expect(written(db).length).toBe(2);
  expect(existsSync(`${file}-reserve`)).toBe(false);
  db.close();
});

it('parts share one transaction until one of them throws: then each runs again separately', async () => {
  const { db, group } = setUp();
  const runs: string[] = [];
  const piece = (name: string, then: () => void = () => {}) =>
    group.run(() => {
      runs.push(name);
      write(db, name);
      then();
    });
  await Promise.all([piece('a'), piece('b')]);
  expect(runs).toEqual(['a', 'b']);
  const lost = new Error('lost');
  const outcomes = await Promise.allSettled([
    piece('c'),
    piece('d', () => {
      throw lost;
    }),
    piece('e'),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(runs.slice(2)).toEqual(['c', 'd', 'c', 'd', 'e']);
  expect(written(db)).toEqual(['a', 'b', 'c', 'e']);
  db.close();
});

it('a state that is adopted when its part is durable contains nothing that was rolled back', async () => {
  const { db, group } = setUp();
  let state: readonly string[] = [];
  const piece = async (name: string, then: () => void = () => {}) => {
    state = await group.run(() => {
      write(db, name);
      then();
      return [...state, name];
    });
  };
  const failing = piece('lost', () => {
    throw new Error('lost');
  });
  const outcomes = await Promise.allSettled([piece('a'), failing]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  await piece('b');
  expect(written(db)).toEqual(['a', 'b']);
  expect(state).toEqual(['a', 'b']);
  db.close();
});
