// The checks of a keyword: what was read, what was bought, what failed, and what it cost. Folded: few ask every day.

import { type ReactNode, useState } from 'react';
import type { CheckRecord } from '../../../read/records.ts';
import { sumOf } from '../../../tracker/figures.ts';
import { apiPath, type List, readFile } from '../api.ts';
import { useProject, useProjectAnswer } from '../project.tsx';
import { groupPurchases, type PurchaseGroup } from '../purchase-groups.ts';
import { counted, day, missing, moment, number, plain, statusText } from '../words.ts';

const shownFirst = 30;
const readMax = 1000;

export function CheckLedger({ id }: { readonly id: string }): ReactNode {
  const resource = `keywords/${encodeURIComponent(id)}/checks`;
  const { value, error } = useProjectAnswer<List<CheckRecord>>(resource, 'period', { limit: `${readMax}` });
  const [isWhole, setWhole] = useState(false);
  if (error !== null) return <p className="cover">What its checks cost could not be read: {error.message}</p>;
  if (value === undefined) return null;
  const { data: checks, total } = value;
  return (
    <details className="check-ledger">
      <summary>
        <h2>Checks and what they cost</h2> <span className="cover">{sumText(checks, total)}</span>
      </summary>
      {checks.length > 0 && (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
          <section className="scroll" aria-label="Checks" tabIndex={0}>
            <CheckTable checks={isWhole ? checks : checks.slice(0, shownFirst)} />
          </section>
          <p className="check-ledger-foot across">
            {!isWhole && checks.length > shownFirst && (
              <button type="button" className="button" onClick={() => setWhole(true)}>
                Show all {number(checks.length)}
              </button>
            )}
            <SaveChecks resource={resource} />
          </p>
        </>
      )}
    </details>
  );
}

function sumText(checks: readonly CheckRecord[], total: number): string {
  if (total === 0) return 'no checks in this period';
  const purchases = checks.flatMap((check) => check.purchases);
  const failed = checks.filter(({ status }) => status !== 'ok').length;
  const again = purchases.filter(({ attempt }) => attempt > 1).length;
  return [
    total > checks.length ? `newest ${number(checks.length)} of ${counted(total, 'check')}` : counted(total, 'check'),
    counted(costOf(checks), 'credit'),
    failed > 0 ? `${number(failed)} without a result` : '',
    again > 0 ? `${number(again)} bought again` : '',
  ]
    .filter(Boolean)
    .join(' · ');
}

function costOf(checks: readonly CheckRecord[]): number {
  return sumOf(
    checks.flatMap(({ purchases }) => purchases),
    ({ charged }) => charged,
  );
}

function CheckTable({ checks }: { readonly checks: readonly CheckRecord[] }): ReactNode {
  return (
    <table>
      <caption className="unseen">Checks, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Date</th>
          <th scope="col">Outcome</th>
          <th scope="col" className="right">
            Pages read
          </th>
          <th scope="col" className="right">
            Reused
          </th>
          <th scope="col">Bought</th>
          <th scope="col" className="right">
            Credits
          </th>
          <th scope="col">Source</th>
        </tr>
      </thead>
      <tbody>
        {checks.map((check) => (
          <CheckLine key={check.checkId} check={check} />
        ))}
      </tbody>
    </table>
  );
}

function CheckLine({ check }: { readonly check: CheckRecord }): ReactNode {
  const { date, runId, checkId, status, reason, depth, pagesRead, pagesReused, source, purchases } = check;
  return (
    <tr title={`run ${runId}, check ${checkId}`}>
      <th scope="row">{day(date)}</th>
      <td className={status === 'ok' ? undefined : 'bad'}>
        {status === 'ok' ? 'complete' : statusText(status)}
        {reason !== null && <bdi>: {reason}</bdi>}
      </td>
      <td className="right">
        {number(pagesRead)} <span className="unit">of {number(depth)}</span>
      </td>
      <td className="right">{pagesReused === 0 ? missing : number(pagesReused)}</td>
      <td>
        {groupPurchases(purchases).map((group) => (
          <Bought key={`${group.first} ${group.attempt} ${group.state}`} group={group} at={purchases[0]?.openedAt} />
        ))}
        {purchases.length === 0 && missing}
      </td>
      <td className="right">{number(costOf([check]))}</td>
      <td className="quiet">{source ?? missing}</td>
    </tr>
  );
}

const stateWords: Readonly<Record<string, string>> = {
  open: 'waits for its answer',
  paid: 'paid',
  free: 'not charged',
  unknown: 'perhaps charged',
};

function Bought({
  group: { first, last, attempt, state, charged, error },
  at,
}: {
  readonly group: PurchaseGroup;
  readonly at: string | undefined;
}): ReactNode {
  const what = first === null ? 'request' : first === last ? `page ${first}` : `pages ${first} to ${last}`;
  return (
    <span className="bought" title={`${moment(at)}: ${counted(charged, 'credit')}`}>
      {what}
      {attempt > 1 && `, attempt ${attempt}`}: {stateWords[state] ?? plain(state)}
      {error !== null && <bdi className="bad"> {error}</bdi>}
    </span>
  );
}

/** The checks of the period as CSV. */
function SaveChecks({ resource }: { readonly resource: string }): ReactNode {
  const { name, asked } = useProject();
  const save = async () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(await readFile(apiPath(name, resource, asked, 'period', { format: 'csv' })));
    link.download = `${name}-checks.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };
  return (
    <button type="button" className="button" onClick={save}>
      Save as CSV
    </button>
  );
}
