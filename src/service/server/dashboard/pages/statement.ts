// The statement of the account: the newest entries as a page, all of them as CSV.
import { Readable } from 'node:stream';
import { count, dollars, moment } from '../amounts.ts';
import { holderPage, table } from '../layout.ts';
import { html } from '../markup.ts';
import { statementCsv } from '../statement-csv.ts';
import type { DashboardAnswer, HolderVisit } from '../visit.ts';

const entriesShown = 50;

export async function showStatement(visit: HolderVisit): Promise<DashboardAnswer> {
  const { desk, account } = visit;
  const entries = await desk.dashboard.newestEntries(account.name, entriesShown);
  const head = [
    { number: 'Entry' },
    'At',
    'Kind',
    'For',
    { number: 'SERP credits' },
    { number: 'USD' },
    { number: 'Credits left' },
    { number: 'USD left' },
    'Note',
  ];
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
