// The statement of an account as CSV: RFC 4180, UTF-8 with a byte order mark, ISO 8601, safe in spreadsheets.
import type { AccountStore, StatementEntry } from '../../access/account-store.ts';
import { decimalUsd } from './amounts.ts';

const entriesAtOnce = 1_000;

/** Column names with their values. Amounts are added to the balance; `_left` is the balance after the entry. */
const columns: readonly (readonly [name: string, value: (entry: StatementEntry) => string])[] = [
  ['entry', ({ id }) => String(id)],
  ['at', ({ at }) => new Date(at).toISOString()],
  ['kind', ({ kind }) => kind],
  ['serp_credits', ({ serpCredits }) => String(serpCredits)],
  ['usd', ({ microUsd }) => decimalUsd(microUsd)],
  ['serp_credits_left', ({ balance }) => String(balance.serpCredits)],
  ['usd_left', ({ balance }) => decimalUsd(balance.microUsd)],
  ['operation', ({ operation }) => operation ?? ''],
  ['api_user', ({ username }) => username ?? ''],
  ['request_id', ({ requestId }) => safe(requestId ?? '')],
  ['charge_id', ({ chargeId }) => String(chargeId ?? '')],
  ['note', ({ note }) => safe(note ?? '')],
];

/** Oldest entry first. */
export async function* statementCsv(accounts: AccountStore, account: string): AsyncGenerator<string> {
  yield `\uFEFF${csvLine(columns.map(([name]) => name))}`;
  let afterId = 0;
  for (;;) {
    const entries = await accounts.statement(account, { afterId, limit: entriesAtOnce });
    if (entries.length > 0) yield entries.map((entry) => csvLine(columns.map(([, value]) => value(entry)))).join('');
    if (entries.length < entriesAtOnce) return;
    afterId = entries.at(-1)?.id ?? afterId;
  }
}

function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
}

/** The start of a formula, behind spaces, quotes and invisible characters that spreadsheets ignore. */
const formula = /^[\s"\p{Cc}\p{Cf}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/u;

/** Puts an apostrophe before each formula, at every position where a spreadsheet may split the text. */
function safe(text: string): string {
  const parts = text.split(/([;\t|,\r\n])/);
  const guarded = parts.map((part) => (formula.test(part) ? `'${part}` : part)).join('');
  return /^\p{Cc}/u.test(guarded) ? `'${guarded}` : guarded;
}
