// Each proof of the audit can fail: a bug is planted for every proof, and exactly that proof finds it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Connection, openConnection } from '../../../db/connection/client.ts';
import { entryHash } from '../../../db/connection/hash-chain.ts';
import { Store } from '../../../db/store.ts';
import { noCaps } from '../../helpers/jobs.ts';

let db: Connection;
let store: Store;

beforeAll(async () => {
  db = openConnection(':memory:');
  store = new Store(db, noCaps);
  store.transaction(() => {
    for (let run = 1; run <= 2; run += 1) closedRun(run);
  });
  await chargedAccount();
  // the planted bugs are what constraints and triggers prevent
  for (const name of ['ledger', 'rankings', 'pages', 'account_entries']) {
    db.sql(`DROP TRIGGER ${name}_no_update`).run();
    db.sql(`DROP TRIGGER ${name}_no_delete`).run();
  }
  for (const event of ['insert', 'update']) db.sql(`DROP TRIGGER purchases_once_${event}`).run();
  db.pragma('foreign_keys = OFF');
  db.pragma('ignore_check_constraints = ON');
});
afterAll(() => db.close());

/** An account with a request that cost less than its charge. */
async function chargedAccount(): Promise<void> {
  const { accounts } = store;
  await accounts.createAccount({ name: 'acme', serpCredits: 9, microUsd: 70, whitelist: [], createdAt: 1 });
  const facts = { account: 'acme', username: 'ann', requestId: 'r', operation: 'serp', owner: 'o', at: 2 } as const;
  const charge = await accounts.charge({ ...facts, price: { serpCredits: 3, microUsd: 0 } });
  if (charge.status !== 'charged') throw new Error(charge.status);
  await accounts.settle({ chargeId: charge.chargeId, used: { serpCredits: 2, microUsd: 0 }, at: 3 });
}

/** A run of one check: page 1 paid with our target on it, page 2 paid, page 3 unknown; one target is not found. */
function closedRun(moment: number): void {
  const run = store.runs.open({ kind: 'ranks', moment, owner: 'o', at: moment }, [
    { project: 'acme', slot: `slot ${moment}`, at: moment, timezone: 'UTC', localDate: '2026-01-15' },
  ]);
  const runId = run?.id ?? 0;
  const searchId = store.names.searchId({
    keyword: 'shoes',
    market: { service: 'vendor', country: 'US', language: 'en', device: 'desktop' },
  });
  store.checks.plan(runId, {
    searchId,
    sequence: 1,
    depth: 3,
    paging: 'full',
    deep: false,
    freshForMs: 0,
    projects: ['acme'],
  });
  const [check] = store.checks.next(runId, 1);
  const checkId = check?.id ?? 0;
  const keys = { day: `2026-01-1${moment}`, month: '2026-01' };
  const reserved = store.ledger.reserve({ runId, checkId, currency: 'serp_credit', amount: 5, at: 1, keys });
  const reservationId = reserved.ok ? reserved.id : 0;
  for (const page of [1, 2, 3]) {
    const { id: purchaseId } = store.ledger.open({
      reservationId,
      service: 'vendor',
      requestKey: `${moment}-${page}`,
      searchId,
      moment,
      page,
      price: 1,
      at: 1,
    });
    store.ledger.settle(purchaseId, { state: page === 3 ? 'unknown' : 'paid', at: 2 });
    if (page === 3) continue;
    const organic = [{ url: `https://${page === 1 ? 'acme' : 'other'}.example/`, globalRank: 1 }];
    const pageId = store.pages.insert({
      searchId,
      moment,
      page,
      purchaseId,
      observedAt: 1,
      source: 'vendor/remote',
      last: false,
      organic,
      lastGlobalRank: 1,
      features: [],
    });
    store.pages.attach(checkId, page, pageId);
  }
  store.ledger.release(reservationId, 3);
  store.checks.end(checkId, {
    state: 'ok',
    pagesRead: 2,
    pagesReused: 0,
    checkedAt: 1,
    source: 'vendor/remote',
    features: [],
    reason: null,
    remedy: null,
    at: 3,
  });
  const base = { searchId, moment, checkId, depth: 2, ownedFeatures: [] };
  const target = (value: string) => store.names.targetId({ identity: value, match: 'domain', value });
  store.rankings.insert({
    ...base,
    targetId: target('acme.example'),
    outcome: { kind: 'ranked', organicRank: 1, absoluteRank: 1, page: 1, url: 'https://acme.example/' },
  });
  store.rankings.insert({ ...base, targetId: target('nowhere.example'), outcome: { kind: 'notFound', depth: 2 } });
  store.runs.close(runId, { state: 'complete', reason: null, at: 4 });
}

const broken = (): string[] =>
  store.audit
    .checks()
    .filter((check) => !check.ok)
    .map((check) => check.name);

class Undo extends Error {}

function findsIn(plant: () => void): string[] {
  let found: string[] = [];
  expect(() =>
    db.transaction(() => {
      plant();
      found = broken();
      throw new Undo();
    }),
  ).toThrow(Undo);
  return found;
}

const sql = (statement: string) => () => {
  expect(db.sql(statement).run().changes).toBeGreaterThan(0);
};

const planted: readonly (readonly [string, () => void, string])[] = [
  [
    'a ledger entry that says less',
    sql('UPDATE ledger SET amount = 4 WHERE id = 1'),
    'the ledger has not changed since it was written (hash chain)',
  ],
  [
    'a ledger entry taken out of the middle',
    sql('DELETE FROM ledger WHERE id = 3'),
    'the ledger has not changed since it was written (hash chain)',
  ],
  [
    'a ledger entry moved to another purchase',
    sql('UPDATE ledger SET purchase_id = 1 WHERE id = 3'),
    'the ledger has not changed since it was written (hash chain)',
  ],
  [
    'a ledger that ends within a transaction',
    sql('DELETE FROM ledger WHERE id = (SELECT max(id) FROM ledger)'),
    'the ledger has not changed since it was written (hash chain)',
  ],
  [
    'the last ledger entry taken away',
    sql('DELETE FROM ledger WHERE id = (SELECT max(id) FROM ledger)'),
    'every reservation equals its ledger entries',
  ],
  ['an entry added with a right hash', addEntry, 'every reservation equals its ledger entries'],
  [
    'a reservation that says it spent less',
    sql('UPDATE reservations SET spent = 1, released = 3 WHERE id = 1'),
    'every reservation equals its ledger entries',
  ],
  [
    'a reservation without a record',
    sql("INSERT INTO reservations (run_id, currency_code, day_key, reserved, released) VALUES (1, 0, 'd', 1, 1)"),
    'every reservation equals its ledger entries',
  ],
  [
    'a purchase that became free',
    sql('UPDATE purchases SET state_code = 2, charged = 0 WHERE id = 1'),
    'every credit spent or unknown belongs to a purchase',
  ],
  [
    'a purchase that cost more',
    sql('UPDATE purchases SET charged = 2 WHERE id = 1'),
    'every credit spent or unknown belongs to a purchase',
  ],
  [
    'an unknown purchase that was called free without a word',
    sql("UPDATE purchases SET reconciled = 'free', reconciled_at = 9, charged = 0 WHERE id = 3"),
    'every reconciliation is in the ledger, once',
  ],
  [
    'a confirmed charge that shrank',
    () => {
      store.reconciliations.settle(3, 'charged', 1, 9);
      db.chain.write();
      sql('UPDATE purchases SET charged = 0 WHERE id = 3')();
    },
    'every reconciliation is in the ledger, once',
  ],
  [
    'a refund that was forgotten again',
    () => {
      store.reconciliations.settle(3, 'free', 0, 9);
      db.chain.write();
      sql('UPDATE purchases SET reconciled = NULL, reconciled_at = NULL, charged = 1 WHERE id = 3')();
    },
    'every reconciliation is in the ledger, once',
  ],
  [
    'a budget window that forgot',
    sql("UPDATE budget_windows SET spent = 0 WHERE scope = 'month'"),
    'every budget window equals the reservations in it',
  ],
  [
    'a budget window that was deleted',
    sql("DELETE FROM budget_windows WHERE scope = 'day'"),
    'every budget window equals the reservations in it',
  ],
  [
    'a budget window that belongs to nothing',
    sql("INSERT INTO budget_windows VALUES ('micro_usd', 'day', '2026-02-01', NULL, 0, 7, 0)"),
    'every budget window equals the reservations in it',
  ],
  [
    'an overdrawn window',
    sql("UPDATE budget_windows SET cap = 1 WHERE scope = 'run'"),
    'no budget window is overdrawn',
  ],
  [
    'an overdrawn window that no stated price explains',
    sql("UPDATE budget_windows SET cap = 1, overdrawn = 9 WHERE scope = 'run'"),
    'no budget window is overdrawn',
  ],
  [
    'a stated price that was not booked',
    sql('INSERT INTO price_disputes VALUES (1, 1, 1, 5, 0, 9)'),
    'every price above the agreed one is booked and disputed',
  ],
  [
    'a reservation for a stated price without a dispute',
    sql("INSERT INTO ledger (at, reservation_id, purchase_id, kind_code, amount, hash) VALUES (9, 1, 1, 0, 4, x'00')"),
    'every price above the agreed one is booked and disputed',
  ],
  [
    'an amount taken off what was spent, without a dispute',
    sql("INSERT INTO ledger (at, reservation_id, purchase_id, kind_code, amount, hash) VALUES (9, 1, 1, 3, 1, x'00')"),
    'every price above the agreed one is booked and disputed',
  ],
  [
    'an open purchase of a closed run',
    sql('UPDATE purchases SET state_code = 0, charged = 0 WHERE id = 3'),
    'no closed run holds an open reservation or purchase',
  ],
  [
    'an open reservation of a closed run',
    sql('UPDATE reservations SET released = 0 WHERE id = 1'),
    'no closed run holds an open reservation or purchase',
  ],
  [
    'a check that never ended',
    sql("UPDATE checks SET state = 'running' WHERE id = 1"),
    'every check of a closed run has ended',
  ],
  [
    'a page paid twice',
    sql(
      'UPDATE purchases SET key = (SELECT key FROM purchases WHERE id = 1), attempt = 2, state_code = 1 WHERE id = 3',
    ),
    'no page was paid twice for one slot',
  ],
  ['a paid page that is gone', sql('DELETE FROM pages WHERE id = 2'), 'every paid page is kept'],
  [
    'a rank of a failed check',
    sql("UPDATE checks SET state = 'failed' WHERE id = 1"),
    'every ranking comes from a check that read its page',
  ],
  [
    'a rank on a page that was not read',
    sql('UPDATE rankings SET page = 3 WHERE page = 1'),
    'every ranking comes from a check that read its page',
  ],
  [
    'a "not found" deeper than the pages read',
    sql('UPDATE rankings SET depth = 3 WHERE url_id IS NULL'),
    'every "not found" is proven by the pages read',
  ],
  [
    'a "not found" with a hole in its pages',
    sql('DELETE FROM check_pages WHERE page = 1'),
    'every "not found" is proven by the pages read',
  ],
  [
    'a balance that grew without a top-up',
    sql('UPDATE accounts SET micro_usd = 71'),
    'every balance is the sum of its account statement',
  ],
  [
    'a statement entry that was taken out',
    sql('DELETE FROM account_entries WHERE id = 1'),
    'every statement entry continues from the previous balance',
  ],
  [
    'a statement entry that says less',
    sql('UPDATE account_entries SET serp_credits = -2 WHERE id = 2'),
    'every charge on an account agrees with its statement',
  ],
  [
    'a charge that was given back without a word',
    sql('UPDATE account_charges SET held_serp_credits = 0'),
    'every charge on an account agrees with its statement',
  ],
  ['a ranking of a target that is gone', sql('DELETE FROM targets'), 'no reference is broken'],
];

function addEntry(): void {
  const last = db.sql('SELECT hash FROM ledger ORDER BY id DESC LIMIT 1').get();
  const facts = {
    at: 9,
    reservationId: 1,
    purchaseId: null,
    kind: 'spend',
    currency: 'serp_credit',
    amount: 1,
  } as const;
  db.sql('INSERT INTO ledger (at, reservation_id, kind_code, amount, hash) VALUES (9, 1, 1, 1, ?)').run(
    entryHash(last?.['hash'] as Buffer, facts),
  );
}

describe('the audit', () => {
  it('finds nothing in a sound database', () => {
    expect(broken()).toEqual([]);
    expect(store.audit.totals('serp_credit')).toEqual({ reserved: 10, spent: 4, unknown: 2, released: 4, open: 0 });
    expect(store.audit.totals('micro_usd')).toEqual({ reserved: 0, spent: 0, unknown: 0, released: 0, open: 0 });
  });

  it.each(planted)('finds %s', (_name, plant, by) => {
    expect(findsIn(plant)).toContain(by);
    expect(broken()).toEqual([]);
  });

  it('has a planted bug for each of its proofs except the proof of the file', () => {
    const names = store.audit.checks().map((check) => check.name);
    const proved = new Set(planted.map(([, , by]) => by));
    expect(names.filter((name) => !proved.has(name))).toEqual(['the file is sound (integrity_check)']);
  });

  it('lists possible charges in words', () => {
    expect(
      store.audit.unknownPurchases().map(({ what, amount, currency }) => `${what}: ${amount} ${currency}`),
    ).toEqual(['"shoes" US desktop page 3: 1 serp_credit', '"shoes" US desktop page 3: 1 serp_credit']);
  });
});
