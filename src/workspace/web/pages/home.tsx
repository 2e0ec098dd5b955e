// What changed, and how much? A headline, sentences with numbers and links, then the evidence.
import type { ReactNode } from 'react';
import type { AlertRecord, KeywordRow, RunRecord, SpendDay, Summary } from '../../records.ts';
import { pathTo } from '../address.ts';
import { type List, useAnswer } from '../api.ts';
import { NoteButton } from '../editing/note-button.tsx';
import { SharedCursor } from '../parts/chart.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { NoKeywords } from '../parts/no-keywords.tsx';
import { Buckets, Findings, Headline, Movers, Numbers, Standings } from '../parts/overview.tsx';
import { Empty, Failed, Waiting } from '../parts/states.tsx';
import { useProject, useProjectAnswer } from '../project.tsx';
import { counted, day, number } from '../words.ts';

export function Home(): ReactNode {
  const { period, overview } = useProject();
  const summary = useProjectAnswer<Summary>('summary', 'table');
  const changes = useProjectAnswer<List<KeywordRow>>('changes', 'table', { limit: '1000' });
  if (summary.error !== null) return <Failed error={summary.error} isPage />;
  if (overview?.keywords === 0) return <NoKeywords isPage />;
  if (period.to === null)
    return (
      <Empty title="Nothing was checked yet" isPage>
        <p>
          <code>rankledger run</code> checks what is due; the first numbers are here right after.
        </p>
      </Empty>
    );
  if (summary.value === undefined) return <Waiting shape="page" />;
  const moved = (changes.value?.data ?? []).filter(({ significance }) => significance !== 'noise');
  return (
    <SharedCursor>
      {overview?.suspect != null && <p className="notice bad-notice">The newest run is suspect: {overview.suspect}</p>}
      <section className="lead home-lead" aria-labelledby="headline">
        <div>
          <Headline summary={summary.value} />
          <Findings summary={summary.value} moved={moved} />
        </div>
        <Buckets summary={summary.value} />
      </section>
      <Numbers summary={summary.value} />
      <FilterBar>
        <NoteButton />
      </FilterBar>
      <Standings />
      {changes.error !== null ? (
        <Failed error={changes.error} />
      ) : changes.value === undefined ? (
        <Waiting shape="rows" />
      ) : (
        <Movers rows={changes.value.data} />
      )}
      <Told />
    </SharedCursor>
  );
}

/** Alerts, runs and spend of the period. */
function Told(): ReactNode {
  const { name, period } = useProject();
  const ofPeriod = new URLSearchParams({ project: name, from: period.from ?? '', to: period.to ?? '', limit: '1000' });
  const alerts = useAnswer<List<AlertRecord>>(`/v1/alerts?${ofPeriod}`);
  const runs = useAnswer<List<RunRecord>>(`/v1/runs?${ofPeriod}`);
  const spend = useAnswer<List<SpendDay>>(`/v1/spend?${ofPeriod}`);
  const spent = (currency: string) =>
    (spend.value?.data ?? []).filter((of) => of.currency === currency).reduce((sum, of) => sum + of.spent, 0);
  const checks = (runs.value?.data ?? []).reduce(
    (sum, run) => sum + Object.values(run.checks).reduce((all, of) => all + of, 0),
    0,
  );
  return (
    <div className="movers">
      <section className="card">
        <h2>
          Alerts{' '}
          <a className="aside" href={pathTo(name, 'alerts')}>
            {number(alerts.value?.total ?? 0)}
          </a>
        </h2>
        {(alerts.value?.data.length ?? 0) === 0 ? (
          <p className="cover">None in this period.</p>
        ) : (
          <ul className="lines">
            {alerts.value?.data.slice(0, 6).map(({ rule, subject, text, createdAt, channel }) => (
              <li key={`${rule} ${subject} ${createdAt} ${channel}`}>
                <span className="cover">{day(createdAt, period.to ?? undefined)}</span> <bdi>{text}</bdi>
              </li>
            ))}
          </ul>
        )}
      </section>
      <section className="card">
        <h2>
          What it cost{' '}
          <a className="aside" href={pathTo(name, 'runs')}>
            runs and spend
          </a>
        </h2>
        <p>
          <b>{number(spent('serp_credit'))}</b> credits and <b>${(spent('micro_usd') / 1_000_000).toFixed(2)}</b> of
          keyword data for {counted(checks, 'check')} in {counted(runs.value?.total ?? 0, 'run')}.
        </p>
      </section>
    </div>
  );
}
