// Proves that ledger and account statements explain every credit, and history holds only what was read.
import type { Connection } from '../connection/client.ts';
import { chainedEntries } from '../connection/hash-chain.ts';
import type { Currency } from '../ledger/budget-windows.ts';
import { type SourceSales, salesByMonth } from '../ledger/purchases.ts';
import { type UnknownAttempt, unknownAttempts } from '../ledger/reconciliations.ts';
import { eq, total } from '../schema/drizzle.ts';
import { reservations } from '../schema/money.ts';
import { hasStateSql } from '../schema/money-codes.ts';

export interface AuditCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** It could not be made, so that nothing speaks against it; absent: it was made. */
  readonly skipped?: true;
  /** What to do if it is broken; absent: restore a backup. */
  readonly remedy?: string;
}

export interface UnknownPurchase {
  readonly purchaseId: number;
  readonly service: string;
  /** Search and page, or the keyword data request. */
  readonly what: string;
  readonly amount: number;
  readonly currency: Currency;
  readonly at: number;
  readonly error: string | null;
}

export interface CurrencyTotals {
  readonly reserved: number;
  readonly spent: number;
  readonly unknown: number;
  readonly released: number;
  /** Reserved by a run that is still open. */
  readonly open: number;
}

/** Each query counts what breaks the invariant; 0 is a proof. */
const invariants: readonly (readonly [name: string, query: string])[] = [
  [
    'every reservation equals its ledger entries',
    `SELECT count(*) AS n FROM reservations r LEFT JOIN (
       SELECT reservation_id, sum(CASE kind WHEN 'reserve' THEN amount ELSE 0 END) AS reserved,
              sum(CASE kind WHEN 'spend' THEN amount WHEN 'confirm' THEN amount WHEN 'release' THEN iif(purchase_id IS NULL, 0, -amount) ELSE 0 END) AS spent,
              sum(CASE kind WHEN 'unknown' THEN amount WHEN 'confirm' THEN -amount WHEN 'refund' THEN -amount ELSE 0 END) AS unknown,
              sum(CASE kind WHEN 'release' THEN amount WHEN 'refund' THEN amount ELSE 0 END) AS released
       FROM ledger GROUP BY reservation_id) l ON l.reservation_id = r.id
     WHERE (r.reserved, r.spent, r.unknown, r.released) IS NOT (l.reserved, l.spent, l.unknown, l.released)`,
  ],
  [
    'every credit spent or unknown belongs to a purchase',
    `SELECT count(*) AS n FROM reservations r LEFT JOIN (
       SELECT reservation_id, sum(iif(state = 'paid' OR reconciled = 'charged', charged, 0)) AS spent,
              sum(iif(state = 'unknown' AND reconciled IS NULL, charged, 0)) AS unknown
       FROM purchases GROUP BY reservation_id) p ON p.reservation_id = r.id
     WHERE r.spent <> coalesce(p.spent, 0) OR r.unknown <> coalesce(p.unknown, 0)`,
  ],
  [
    'every reconciliation is in the ledger, once',
    `SELECT count(*) AS n FROM purchases p LEFT JOIN (
       SELECT purchase_id, sum(iif(kind = 'unknown', amount, 0)) AS unknown, sum(iif(kind = 'confirm', amount, 0)) AS confirmed,
              sum(iif(kind = 'refund', amount, 0)) AS refunded, sum(iif(kind = 'release', amount, 0)) AS returned
       FROM ledger WHERE kind IN ('unknown', 'confirm', 'refund', 'release') AND purchase_id IS NOT NULL GROUP BY purchase_id) l ON l.purchase_id = p.id
     WHERE ${hasStateSql('p', 'unknown')} AND ((p.reconciled IS NULL) <> (p.reconciled_at IS NULL) OR (p.reconciled = 'free' AND p.charged <> 0)
       OR (l.unknown, l.confirmed, l.refunded) IS NOT
           (p.price, iif(p.reconciled IS NULL, 0, p.charged + l.returned), iif(p.reconciled IS NULL, 0, p.price - p.charged - l.returned)))`,
  ],
  [
    'every budget window equals the reservations in it',
    `SELECT count(*) AS n FROM budget_windows w FULL JOIN (
       SELECT currency, 'run' AS scope, CAST(run_id AS TEXT) AS key, sum(reserved - spent - unknown - released) AS open, sum(spent + unknown) AS used
         FROM reservations GROUP BY currency, run_id
       UNION ALL SELECT currency, 'day', day_key, sum(reserved - spent - unknown - released), sum(spent + unknown) FROM reservations GROUP BY currency, day_key
       UNION ALL SELECT currency, 'month', month_key, sum(reserved - spent - unknown - released), sum(spent + unknown) FROM reservations GROUP BY currency, month_key
     ) r ON r.currency = w.currency AND r.scope = w.scope AND r.key = w.key
     WHERE coalesce(w.reserved, 0) <> coalesce(r.open, 0) OR coalesce(w.spent, 0) <> coalesce(r.used, 0)`,
  ],
  [
    'no budget window is overdrawn',
    // except by prices that a provider stated above the agreed ones, and by no more than these
    `SELECT count(*) AS n FROM (SELECT 1 FROM budget_windows w LEFT JOIN (
       SELECT v.currency, v.run_id, v.day_key, v.month_key, sum(iif(l.kind = 'reserve', l.amount, -l.amount)) AS amount
       FROM ledger l JOIN reservations v ON v.id = l.reservation_id
       WHERE l.kind IN ('reserve', 'release') AND l.purchase_id IN (SELECT purchase_id FROM price_disputes) GROUP BY v.id) d
       ON d.currency = w.currency AND w.key = CASE w.scope WHEN 'run' THEN CAST(d.run_id AS TEXT) WHEN 'day' THEN d.day_key ELSE d.month_key END
     WHERE w.cap IS NOT NULL GROUP BY w.currency, w.scope, w.key
     HAVING w.reserved + w.spent > w.cap + w.overdrawn OR w.overdrawn > coalesce(sum(d.amount), 0))`,
  ],
  [
    'every price above the agreed one is booked and disputed',
    // or was settled later at the agreed price, with a ledger entry for the difference
    `SELECT (SELECT count(*) FROM price_disputes d JOIN purchases p ON p.id = d.purchase_id LEFT JOIN (
               SELECT purchase_id, sum(amount) AS returned FROM ledger WHERE kind = 'release' AND purchase_id IS NOT NULL GROUP BY purchase_id
             ) l ON l.purchase_id = d.purchase_id
             WHERE p.price < d.stated OR (p.reconciled IS NULL AND p.charged <> d.stated - coalesce(l.returned, 0)) OR l.returned <> d.stated - d.agreed)
          + (SELECT count(*) FROM ledger WHERE kind IN ('reserve', 'release') AND purchase_id IS NOT NULL AND purchase_id NOT IN (SELECT purchase_id FROM price_disputes)) AS n`,
  ],
  [
    'no closed run holds an open reservation or purchase',
    `SELECT (SELECT count(*) FROM reservations v JOIN runs r ON r.id = v.run_id WHERE r.state <> 'open' AND v.reserved > v.spent + v.unknown + v.released)
          + (SELECT count(*) FROM purchases p JOIN reservations v ON v.id = p.reservation_id JOIN runs r ON r.id = v.run_id
             WHERE ${hasStateSql('p', 'open')} AND r.state <> 'open') AS n`,
  ],
  [
    'every check of a closed run has ended',
    "SELECT count(*) AS n FROM checks c JOIN runs r ON r.id = c.run_id WHERE r.state <> 'open' AND c.state IN ('planned', 'running')",
  ],
  [
    'no page was paid twice for one slot',
    // by the indexed beginnings of keys: grouping whole keys would sort them
    `SELECT count(*) AS n FROM (SELECT 1 FROM purchases WHERE state = 'paid' GROUP BY substr("key", 1, 6) HAVING count(*) > count(DISTINCT "key"))`,
  ],
  [
    'every paid page is kept',
    `SELECT count(*) AS n FROM purchases p JOIN reservations v ON v.id = p.reservation_id JOIN runs r ON r.id = v.run_id
     WHERE p.state = 'paid' AND p.page IS NOT NULL AND r.kind = 'ranks'
       AND p.id NOT IN (SELECT purchase_id FROM pages WHERE purchase_id IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM bodies b WHERE b.purchase_id = p.id)`,
  ],
  [
    'every ranking comes from a check that read its page',
    `SELECT count(*) AS n FROM rankings k JOIN checks c ON c.id = k.check_id JOIN runs n ON n.id = c.run_id
     WHERE c.state NOT IN ('ok', 'incomplete')
        OR (n.origin <> 'import' AND k.page IS NOT NULL AND NOT EXISTS (SELECT 1 FROM check_pages g WHERE g.check_id = k.check_id AND g.page = k.page))`,
  ],
  [
    'every "not found" is proven by the pages read',
    `SELECT count(*) AS n FROM rankings k JOIN checks c ON c.id = k.check_id JOIN runs n ON n.id = c.run_id
     WHERE n.origin <> 'import' AND k.url_id IS NULL AND k.depth > (SELECT count(*) FROM check_pages g WHERE g.check_id = c.id AND g.page <= k.depth)
       AND NOT EXISTS (SELECT 1 FROM check_pages g JOIN pages p ON p.id = g.page_id WHERE g.check_id = c.id AND p.last = 1
                       AND g.page = (SELECT count(*) FROM check_pages h WHERE h.check_id = c.id AND h.page <= g.page))
       AND NOT (k.target_id IN (SELECT id FROM targets WHERE match = 'place') -- page 1 alone decides about places
                AND EXISTS (SELECT 1 FROM check_pages g WHERE g.check_id = c.id AND g.page = 1))`,
  ],
  [
    'every balance is the sum of its account statement',
    `SELECT count(*) AS n FROM accounts a LEFT JOIN (
       SELECT account_id, sum(serp_credits) AS credits, sum(micro_usd) AS usd FROM account_entries GROUP BY account_id
     ) e ON e.account_id = a.id
     WHERE a.serp_credits <> coalesce(e.credits, 0) OR a.micro_usd <> coalesce(e.usd, 0)`,
  ],
  [
    'every statement entry continues from the previous balance',
    `SELECT count(*) AS n FROM (
       SELECT balance_serp_credits AS credits, balance_micro_usd AS usd, sum(serp_credits) OVER lines AS credits_due, sum(micro_usd) OVER lines AS usd_due
       FROM account_entries WINDOW lines AS (PARTITION BY account_id ORDER BY id))
     WHERE credits <> credits_due OR usd <> usd_due`,
  ],
  [
    'every charge on an account agrees with its statement',
    `SELECT count(*) AS n FROM account_charges c LEFT JOIN (
       SELECT charge_id, sum(serp_credits) AS credits, sum(micro_usd) AS usd FROM account_entries GROUP BY charge_id
     ) e ON e.charge_id = c.id
     WHERE (-c.held_serp_credits, -c.held_micro_usd) IS NOT (e.credits, e.usd)`,
  ],
];

/** What a proof found: a detail to show where it holds, or what breaks it. */
export type Proof = string | Broken;

export class Broken {
  readonly detail: string;

  constructor(detail: string) {
    this.detail = detail;
  }
}

/** Carries out a proof; a database too damaged to be read for it breaks it. Other failures are thrown. */
export function provenOrUnreadable(name: string, prove: () => Proof): AuditCheck {
  try {
    const proof = prove();
    return proof instanceof Broken ? { name, ok: false, detail: proof.detail } : { name, ok: true, detail: proof };
  } catch (error) {
    const code = error instanceof Error ? String((error as { code?: unknown }).code) : '';
    if (!/^SQLITE_(CORRUPT|NOTADB)/.test(code)) throw error;
    return { name, ok: false, detail: 'the data to check is damaged' };
  }
}

export class Audit {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  checks(): AuditCheck[] {
    return [...this.proofs()];
  }

  /** The same checks one by one, each run when the caller requests it. Unreadable data counts as broken. */
  *proofs(): Generator<AuditCheck> {
    yield provenOrUnreadable('the file is sound (integrity_check)', () => this.#integrity());
    yield provenOrUnreadable('no reference is broken', () => this.#references());
    yield provenOrUnreadable('the ledger has not changed since it was written (hash chain)', () => this.#chain());
    for (const [name, query] of invariants) {
      yield provenOrUnreadable(name, () => {
        const broken = this.#db.number(query);
        return broken === 0 ? '' : new Broken(`${broken} broken`);
      });
    }
  }

  /** Sales of the sources that report them, by budget month, to be compared with their bills. */
  salesByMonth(): (SourceSales & { readonly month: string })[] {
    return salesByMonth(this.#db);
  }

  totals(currency: Currency): CurrencyTotals {
    const { reserved, spent, unknown, released } = reservations;
    const row = this.#db.drizzle
      .select({ reserved: total(reserved), spent: total(spent), unknown: total(unknown), released: total(released) })
      .from(reservations)
      .where(eq(reservations.currency, currency))
      .get();
    if (row === undefined) throw new Error('an aggregate has one row');
    return { ...row, open: row.reserved - row.spent - row.unknown - row.released };
  }

  unknownPurchases(): UnknownPurchase[] {
    return unknownAttempts(this.#db).map((attempt) => {
      const { purchaseId, service, amount, currency, openedAt: at, errorCode: error } = attempt;
      return { purchaseId, service, what: nameUnknown(attempt), amount, currency, at, error };
    });
  }

  #integrity(): Proof {
    const result = String(this.#db.pragma('integrity_check(1)'));
    return result === 'ok' ? '' : new Broken(result);
  }

  #references(): Proof {
    const broken = this.#db.sql('SELECT * FROM pragma_foreign_key_check()').all().length;
    return broken === 0 ? '' : new Broken(`${broken} broken`);
  }

  #chain(): Proof {
    let entries = 0;
    let isProven = true;
    for (const { id, hash, stored } of chainedEntries((text) => this.#db.sql(text))) {
      // entries are only ever appended: their numbers have no gap
      if (id !== entries + 1) return new Broken(`entry ${id} was changed`);
      if (stored?.equals(hash) === false) return new Broken(this.#changedUpTo(id));
      isProven = stored !== null;
      entries += 1;
    }
    if (!isProven) return new Broken(`entry ${entries} is not the last of its transaction`);
    return `${entries} entries`;
  }

  /** The hash of the last entry of a transaction covers all of them. */
  #changedUpTo(id: number): string {
    const sql = 'SELECT coalesce(max(id), 0) + 1 AS n FROM ledger WHERE id < ? AND hash IS NOT NULL';
    const first = this.#db.number(sql, id);
    return first === id ? `entry ${id} was changed` : `one of the entries ${first} to ${id} was changed`;
  }
}

/** What an unknown purchase bought, in words. */
function nameUnknown({ page: bought, currency, errorCode, dayKey }: UnknownAttempt): string {
  if (bought !== null) {
    const { keyword, market, page } = bought;
    const { country, device, location } = market;
    return `"${keyword}" ${country} ${device}${location === undefined ? '' : ` ${location}`} page ${page}`;
  }
  if (errorCode === 'LEDGER_GAP') return `purchases of ${dayKey}`;
  return currency === 'serp_credit' ? 'pages of a serp request' : 'keyword data';
}
