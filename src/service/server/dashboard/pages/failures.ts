// Recent failures: refused calls, and refunded requests.
import type { AccountLogEntry, LoginFailureReason } from '../../../access/account-store.ts';
import { limits } from '../../../model/limits.ts';
import { dayMs } from '../../../model/time/clock.ts';
import { count, dollars, moment } from '../amounts.ts';
import { holderPage, table } from '../layout.ts';
import { html } from '../markup.ts';
import type { DashboardAnswer, HolderVisit } from '../visit.ts';

const rowsMax = 100;

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

export async function showFailures(visit: HolderVisit): Promise<DashboardAnswer> {
  const { desk, account } = visit;
  const [refused, refunded] = await Promise.all([
    desk.accounts.accountLog({ account: account.name, only: 'failures', limit: rowsMax }),
    desk.dashboard.newestEntries(account.name, rowsMax, 'refund'),
  ]);
  const refusals = refused
    .filter(({ event }) => event === 'login-failed')
    .map((entry) => [
      moment(entry.lastAt),
      entry.username ?? '',
      entry.address ?? '',
      reasonText(entry),
      count(entry.count),
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
  const amounts = [{ number: 'SERP credits' }, { number: 'USD' }];
  const main = html`<h2>Refused calls</h2><p>Counted by minute, and kept for ${limits.failuresKeptMs / dayMs} days.</p>
${table('Refused calls', ['Last at', 'API user', 'From', 'Reason', { number: 'Times' }], refusals, 'No call was refused.')}
<h2>Failed requests</h2><p>A request that fails costs nothing: what was charged came back in full.</p>
${table('Failed requests', ['At', 'API user', 'Operation', ...amounts, 'Request', 'Note'], refunds, 'No request has failed.')}`;
  return holderPage(visit, { title: 'Recent failures', main });
}

function reasonText({ reason }: AccountLogEntry): string {
  return reason === undefined ? '' : reasons[reason];
}
