// What the account has and has used: balance and usage, the statement as a page and as CSV, recent failures.
import { Readable } from 'node:stream';
import type { AccountStore, LoginFailureReason, StatementEntry } from '../../../access/account-store.ts';
import { firstDay, usageDaysDefault, usageDaysMax } from '../../../access/credits.ts';
import { limits } from '../../../model/limits.ts';
import { dayMs } from '../../../model/time/clock.ts';
import { count, decimalUsd, dollars, holderPage, html, moment, table } from '../page.ts';
import type { DashboardAnswer, HolderVisit } from '../visit.ts';

const periods = [7, usageDaysDefault, 90, usageDaysMax];
const number = (title: string) => ({ number: title });

export async function showOverview(visit: HolderVisit): Promise<DashboardAnswer> {
  const { desk, account, request } = visit;
  const asked = Number(request.query.get('days') ?? usageDaysDefault);
  const days = periods.includes(asked) ? asked : usageDaysDefault;
  const usage = await desk.dashboard.usageByOperation(account.name, firstDay(desk.clock.now(), days));
  const options = periods.map((period) => {
    return html`<option value="${period}"${period === days && html` selected`}>${period} days</option>`;
  });
  const [requests, serpCredits, microUsd] = (['requests', 'serpCredits', 'microUsd'] as const).map((name) =>
    usage.reduce((sum, day) => sum + day[name], 0),
  );
  const head = ['Day', 'API user', 'Operation', number('Requests'), number('SERP credits'), number('USD')];
  const rows = usage.map((day) => [
    day.date,
    day.username ?? '(internal)',
    day.operation,
    count(day.requests),
    count(day.serpCredits),
    dollars(day.microUsd),
  ]);
  const main = html`<dl class="figures"><div><dt>SERP credits left</dt><dd>${count(account.serpCredits)}</dd></div><div><dt>Keyword data left</dt><dd>${dollars(account.microUsd)}</dd></div></dl>
<h2>Usage</h2><form method="get" action="/account"><p><label for="days">Period</label><select id="days" name="days">${options}</select> <button>Show</button></p></form>
<p>Requests: ${count(requests ?? 0)}, SERP credits: ${count(serpCredits ?? 0)}, keyword data: ${dollars(microUsd ?? 0)}. Refunded requests are excluded. Days are UTC.</p>
${table(`Usage of the last ${days} days`, head, rows, 'Nothing was used in this period.')}`;
  return holderPage(visit, { title: 'Overview', main });
}

const entriesShown = 50;

export async function showStatement(visit: HolderVisit): Promise<DashboardAnswer> {
  const entries = await visit.desk.dashboard.newestEntries(visit.account.name, entriesShown);
  const left = [number('SERP credits'), number('USD'), number('Credits left'), number('USD left')];
  const rows = entries.map((entry) => [
    entry.id,
    moment(entry.at),
    entry.kind,
    [entry.operation, entry.username].filter(Boolean).join(' '),
    count(entry.serpCredits),
    dollars(entry.microUsd),
    count(entry.balance.serpCredits),
    dollars(entry.balance.microUsd),
    entry.note ?? '',
  ]);
  const head = [number('Entry'), 'At', 'Kind', 'For', ...left, 'Note'];
  const main = html`<p><a href="/account/statement.csv" download>Download the whole statement as CSV</a></p>
${table(`The newest ${entriesShown} entries`, head, rows, 'Nothing was ever topped up or charged.')}`;
  return holderPage(visit, { title: 'Statement', main });
}

/** Written block by block: a statement may be longer than memory. */
export async function downloadStatement({ desk, account }: HolderVisit): Promise<DashboardAnswer> {
  return {
    status: 200,
    account: account.name,
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${account.name}-statement.csv"`,
    },
    body: Readable.from(statementCsv(desk.accounts, account.name)),
  };
}

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

/** RFC 4180, UTF-8 with a byte order mark, ISO 8601, safe in spreadsheets. Oldest entry first. */
async function* statementCsv(accounts: AccountStore, account: string): AsyncGenerator<string> {
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

const failuresShown = 100;

const reasons: Readonly<Record<LoginFailureReason, string>> = {
  'no-credentials': 'no credentials',
  'unknown-user': 'unknown user',
  'wrong-password': 'wrong password',
  revoked: 'the API user is revoked',
  expired: 'the API user has expired',
  'address-refused': 'the address is not on the whitelist',
  'too-many-failures': 'too many failed attempts',
  'dashboard-wrong-password': 'dashboard: wrong password',
  'dashboard-wrong-code': 'dashboard: wrong code',
  'dashboard-too-many-failures': 'dashboard: too many failed attempts',
};

/** Refused calls, and refunded requests. */
export async function showFailures(visit: HolderVisit): Promise<DashboardAnswer> {
  const { desk, account } = visit;
  const [refused, refunded] = await Promise.all([
    desk.accounts.accountLog({ account: account.name, only: 'failures', limit: failuresShown }),
    desk.dashboard.newestEntries(account.name, failuresShown, 'refund'),
  ]);
  const refusals = refused.map(({ lastAt, username = '', address = '', reason, count: times }) => [
    moment(lastAt),
    username,
    address,
    reason === undefined ? '' : reasons[reason],
    count(times),
  ]);
  const refunds = refunded.map((entry) => [
    moment(entry.at),
    entry.username ?? '',
    entry.operation ?? '',
    count(entry.serpCredits),
    dollars(entry.microUsd),
    html`<code>${entry.requestId ?? ''}</code>`,
    entry.note ?? '',
  ]);
  const refundHead = ['At', 'API user', 'Operation', number('SERP credits'), number('USD'), 'Request', 'Note'];
  const main = html`<h2>Refused calls</h2><p>Counted by minute, and kept for ${limits.failuresKeptMs / dayMs} days.</p>
${table('Refused calls', ['Last at', 'API user', 'From', 'Reason', number('Times')], refusals, 'No call was refused.')}
<h2>Failed requests</h2><p>A request that fails costs nothing: what was charged came back in full.</p>
${table('Failed requests', refundHead, refunds, 'No request has failed.')}`;
  return holderPage(visit, { title: 'Recent failures', main });
}
