// Retention: old bodies of pages that were read are deleted; unread ones and all history stay.
import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Prunable } from '../../../db/integrity/prune.ts';
import { pruneHistory, pruneReport } from '../../../jobs/query/prune-history.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { keyword, project, resultsWith, World } from '../../helpers/jobs.ts';
import { type Provider, startProvider } from '../../helpers/provider.ts';

const firstSlot = Date.UTC(2026, 0, 15, 6);
const dayMs = 86_400_000;
const projects = [
  project({
    keywords: ['shoes', 'boots'].map((word) => keyword(word, { depth: 2 })),
    volumes: { schedule: '0 4 2 * *', limit: 33 },
  }),
];
/** The pages of one day's run. */
const pagesADay = 4;

let provider: Provider | undefined;
let world: World | undefined;

async function worldOf(days: number, file?: string): Promise<World> {
  provider = await startProvider({ results: () => resultsWith('https://acme.example/', 3) });
  world = new World({ projects, provider, ...(file === undefined ? {} : { file }) });
  for (let day = 0; day < days; day += 1) {
    world.clock.set(firstSlot + day * dayMs);
    await world.runSlot(firstSlot + day * dayMs);
  }
  return world;
}

const historyOf = (of: World) =>
  ['rankings', 'pages', 'checks', 'ledger', 'purchases', 'volumes'].map((table) =>
    JSON.stringify(of.rows(`SELECT * FROM ${table} ORDER BY 1, 2, 3`)),
  );

describe('pruning', () => {
  it('removes the bodies of older days, and nothing else', async () => {
    const of = await worldOf(3);
    const before = historyOf(of);
    const request = { before: firstSlot + dayMs, at: of.clock.now() };
    const prunable = new Prunable(of.db);
    const report = pruneReport(prunable, request);
    expect(report.bodies.rows).toBe(pagesADay);
    expect(report.bodies.bytes).toBe(
      of.value(
        `SELECT sum(length(b.body)) FROM bodies b JOIN purchases p ON p.id = b.purchase_id WHERE p.moment = ${firstSlot}`,
      ),
    );
    expect(of.value('SELECT count(*) FROM bodies')).toBe(3 * pagesADay);
    expect(await pruneHistory(prunable, request)).toEqual(report);
    expect(of.value('SELECT count(*) FROM bodies')).toBe(2 * pagesADay);
    expect(historyOf(of)).toEqual(before);
    expect(of.broken()).toEqual([]);
    expect((await pruneHistory(prunable, request)).bodies).toEqual({ rows: 0, bytes: 0 });
  });

  it('keeps bodies that were never read, and those that are archived nowhere else', async () => {
    const of = await worldOf(1);
    const [unread, alone] = of.rows('SELECT purchase_id AS id FROM bodies ORDER BY 1').map(({ id }) => Number(id));
    of.db.sql('UPDATE bodies SET readable = 0 WHERE purchase_id = ?').run(unread ?? 0);
    of.db.pragma('foreign_keys = OFF');
    of.db.sql('DROP TRIGGER pages_no_delete').run();
    of.db.sql('DELETE FROM check_pages').run();
    of.db.sql('DELETE FROM pages WHERE purchase_id = ?').run(alone ?? 0);
    const request = { before: of.clock.now() + dayMs, at: of.clock.now() };
    const pruned = await pruneHistory(new Prunable(of.db), request);
    expect(pruned).toMatchObject({ bodies: { rows: pagesADay - 2 }, unreadBodies: 1 });
    expect(of.rows('SELECT purchase_id FROM bodies').map((row) => row['purchase_id'])).toEqual([unread, alone]);
  });

  it('removes expired idempotency records', async () => {
    const of = await worldOf(0);
    const record = { account: 'acme', username: 'ann', bodyHash: 'hash', owner: 'o' };
    for (const [key, expiresAt] of [
      ['old', 10],
      ['new', 30],
    ] as const)
      await of.store.accounts.beginIdempotent({ ...record, key, at: 1, expiresAt });
    const pruned = await pruneHistory(new Prunable(of.db), { before: 0, at: 20 });
    expect(pruned.expiredRecords.rows).toBe(1);
    expect(of.rows('SELECT key FROM idempotency_records')).toEqual([{ key: 'new' }]);
  });

  it('works in batches, so that others can write between them, and stops between two on request', async () => {
    const of = await worldOf(1);
    for (let copy = 1; copy <= 300; copy += 1) {
      of.db
        .sql(
          `INSERT INTO purchases (id, reservation_id, service, key, attempt, moment, price, charged, state_code, opened_at)
           SELECT 1000 * ? + id, reservation_id, service, CAST(key || ? AS BLOB), attempt, moment, price, 0, 2, opened_at FROM purchases WHERE id <= 4`,
        )
        .run(copy, copy);
    }
    of.db.sql("INSERT INTO bodies SELECT id, 'text/html', 1, x'00' FROM purchases WHERE id >= 1000").run();
    const request = { before: of.clock.now() + dayMs, at: of.clock.now() };
    const stop = new AbortController();
    const first = pruneHistory(new Prunable(of.db), {
      ...request,
      signal: stop.signal,
      onProgress: () => stop.abort(new DOMException('Interrupted.', 'AbortError')),
    });
    await expect(first).rejects.toMatchObject({ name: 'AbortError' });
    expect(of.value('SELECT count(*) FROM bodies')).toBe(1_204 - 500);
    const progress: string[] = [];
    await pruneHistory(new Prunable(of.db), {
      ...request,
      onProgress: (done, total) => progress.push(`${done}/${total}`),
    });
    expect(progress).toEqual(['500/704', '704/704', '704/704']);
    expect(of.value('SELECT count(*) FROM bodies')).toBe(0);
  });

  it('returns the space to the file system on request', async () => {
    const file = `${temporaryFolder()}/db.sqlite`;
    const of = await worldOf(1, file);
    of.db.sql('UPDATE bodies SET body = zeroblob(1000000)').run();
    const prunable = new Prunable(of.db);
    await pruneHistory(prunable, { before: of.clock.now() + dayMs, at: of.clock.now() });
    const before = prunable.size();
    expect(before.freeBytes).toBeGreaterThan(pagesADay * 1_000_000);
    prunable.giveBackSpace();
    expect(prunable.size()).toMatchObject({ freeBytes: 0 });
    expect(statSync(file).size).toBe(prunable.size().bytes);
    expect(before.bytes - prunable.size().bytes).toBeGreaterThan(pagesADay * 1_000_000);
    expect(of.broken()).toEqual([]);
  });
});
