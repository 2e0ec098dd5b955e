// The first page of an account: balance, and usage by day, user and operation.
import type { OperationUsage } from '../../../access/account-store.ts';
import { firstDay, usageDaysDefault, usageDaysMax } from '../../../access/credits.ts';
import { count, dollars } from '../amounts.ts';
import { holderPage, table } from '../layout.ts';
import { type Html, html } from '../markup.ts';
import type { DashboardAnswer, HolderVisit } from '../visit.ts';

const periods = [7, usageDaysDefault, 90, usageDaysMax];

export async function showOverview(visit: HolderVisit): Promise<DashboardAnswer> {
  const { desk, account, request } = visit;
  const asked = Number(request.query.get('days') ?? usageDaysDefault);
  const days = periods.includes(asked) ? asked : usageDaysDefault;
  const usage = await desk.dashboard.usageByOperation(account.name, firstDay(desk.clock.now(), days));
  const main = html`<dl><dt>SERP credits</dt><dd>${count(account.serpCredits)}</dd><dt>Keyword data</dt><dd>${dollars(account.microUsd)}</dd></dl>
<h2>Usage</h2>${periodForm(days)}${totals(usage)}${usageTable(usage, days)}`;
  return holderPage(visit, { title: 'Overview', main });
}

function periodForm(days: number): Html {
  const options = periods.map((period) => {
    return html`<option value="${period}"${period === days && html` selected`}>${period} days</option>`;
  });
  return html`<form method="get" action="/account"><p><label for="days">Period</label><select id="days" name="days">${options}</select> <button>Show</button></p></form>`;
}

function totals(usage: readonly OperationUsage[]): Html {
  const sum = (value: (day: OperationUsage) => number) => usage.reduce((total, day) => total + value(day), 0);
  return html`<p>Requests: ${count(sum((day) => day.requests))}, SERP credits: ${count(sum((day) => day.serpCredits))}, keyword data: ${dollars(sum((day) => day.microUsd))}. Refunded requests are excluded. Days are UTC.</p>`;
}

function usageTable(usage: readonly OperationUsage[], days: number): Html {
  const head = ['Day', 'API user', 'Operation', { number: 'Requests' }, { number: 'SERP credits' }, { number: 'USD' }];
  const rows = usage.map((day) => [
    day.date,
    day.username ?? '(internal)',
    day.operation,
    count(day.requests),
    count(day.serpCredits),
    dollars(day.microUsd),
  ]);
  return table(`Usage of the last ${days} days`, head, rows, 'Nothing was used in this period.');
}
