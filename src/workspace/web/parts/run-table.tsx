// Runs, newest first: what each was, how it ended, and what became of its checks.
import type { ReactNode } from 'react';
import type { RunRecord } from '../../../read/records.ts';
import { pathTo } from '../address.ts';
import { moneyText } from '../money.ts';
import { useProject } from '../project.tsx';
import { type CheckSums, kindText, sharedText, stateOf, sumChecks, whyOf } from '../run-words.ts';
import { day, duration, missing, moment, number } from '../words.ts';
import { type PlainColumn, PlainTable } from './plain-table.tsx';

type CountName = 'incomplete' | 'deferred' | 'failed' | 'lost';

export function RunTable({ runs }: { readonly runs: readonly RunRecord[] }): ReactNode {
  const { name } = useProject();
  const hasWhy = runs.some((run) => whyOf(run).length > 0);
  const columns: PlainColumn<RunRecord>[] = [
    {
      name: 'when',
      label: 'Planned for',
      value: ({ slot, openedAt }) => slot || openedAt,
      cell: (run) => <When run={run} project={name} newest={runs[0]?.slot} />,
      isNumber: false,
    },
    {
      name: 'kind',
      label: 'What',
      value: ({ kind }) => kindText(kind),
      cell: (run) => (
        <>
          {kindText(run.kind)} <span className="aside">{sharedText(run, name)}</span>
        </>
      ),
    },
    {
      name: 'state',
      label: 'State',
      value: (run) => stateOf(run).text,
      cell: (run) => <span className={`run-state run-${stateOf(run).tone}`}>{stateOf(run).text}</span>,
    },
    {
      name: 'ok',
      label: 'Answered',
      value: (run) => sumChecks([run]).ok,
      cell: (run) => <Answered checks={sumChecks([run])} />,
      isNumber: true,
    },
    {
      name: 'spent',
      label: 'Spent',
      about: 'By all projects of the run; an unknown outcome counts as spent',
      value: ({ creditsSpent, microUsdSpent }) => creditsSpent + microUsdSpent,
      cell: spentText,
      isNumber: true,
      isMinor: true,
    },
    ...counts.filter(({ value }) => runs.some((run) => Number(value(run)) > 0)),
    {
      name: 'took',
      label: 'Took',
      value: (run) => tookMs(run),
      cell: (run) => {
        const took = tookMs(run);
        return took === null ? <span className="quiet">still running</span> : duration(took);
      },
      isNumber: true,
      isMinor: true,
    },
  ];
  const why: PlainColumn<RunRecord> = {
    name: 'why',
    label: 'Why',
    value: (run) => whyOf(run).join('; '),
    cell: (run) => (
      <span title={[run.suspectReason, run.reason, run.remark].filter(Boolean).join('\n')}>
        {whyOf(run).join('; ')}
      </span>
    ),
    isWide: true,
  };
  return (
    <div className="run-table">
      <PlainTable
        caption="Runs, newest first"
        columns={hasWhy ? [...columns, why] : columns}
        rows={runs}
        keyOf={({ runId }) => `${runId}`}
        shownMax={10}
      />
    </div>
  );
}

/** Columns without a count in any of the runs are left out. */
const counts: readonly PlainColumn<RunRecord>[] = [
  countColumn('incomplete', 'In part'),
  countColumn('deferred', 'Waiting'),
  countColumn('failed', 'Failed'),
  countColumn('lost', 'Answer lost'),
];

function countColumn(name: CountName, label: string): PlainColumn<RunRecord> {
  return {
    name,
    label,
    value: (run) => sumChecks([run])[name],
    cell: (run) => {
      const count = sumChecks([run])[name];
      return count === 0 ? <span className="quiet">0</span> : <b>{number(count)}</b>;
    },
    isNumber: true,
  };
}

function tookMs({ openedAt, closedAt }: RunRecord): number | null {
  return closedAt === null ? null : Date.parse(closedAt) - Date.parse(openedAt);
}

interface WhenProps {
  readonly run: RunRecord;
  readonly project: string;
  readonly newest: string | undefined;
}

/** Leads to the rows as they stood on its date. */
function When({ run: { slot, openedAt, kind }, project, newest }: WhenProps): ReactNode {
  const [date = '', time = ''] = (slot || openedAt).split('T');
  const text = (
    <>
      {day(date, newest)}, {time.slice(0, 5)}
    </>
  );
  const title = `Opened ${moment(openedAt)}`;
  if (kind !== 'ranks') return <span title={title}>{text}</span>;
  return (
    <a href={pathTo(project, 'keywords', { from: date, to: date })} title={title}>
      {text}
    </a>
  );
}

/** Credits, or dollars of keyword data. */
function spentText({ creditsSpent, microUsdSpent }: RunRecord): string {
  const dollars = microUsdSpent === 0 ? [] : [moneyText('micro_usd', microUsdSpent)];
  const credits = creditsSpent === 0 && dollars.length > 0 ? [] : [moneyText('serp_credit', creditsSpent)];
  return [...credits, ...dollars].join(', ');
}

/** Of a run without checks, such as of search volumes, there is nothing to count. */
function Answered({ checks }: { readonly checks: CheckSums }): ReactNode {
  const { ok, incomplete, deferred, failed, lost, open, all } = checks;
  if (all === 0) return <span className="quiet">{missing}</span>;
  const parts = { ok, incomplete, failed: failed + lost, deferred: deferred + open };
  return (
    <span className="run-answered">
      <span className="run-bar" aria-hidden="true">
        {Object.entries(parts).map(([part, count]) =>
          count > 0 ? <i key={part} className={`run-part-${part}`} style={{ flexGrow: count }} /> : null,
        )}
      </span>
      {number(ok)} <span className="unit">of {number(all)}</span>
    </span>
  );
}
