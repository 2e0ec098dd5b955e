// What changed, and how much? A headline, sentences with numbers and links, then the evidence.
import type { ReactNode } from 'react';
import type { AlertRecord, KeywordRow, RunRecord, SpendDay, Summary } from '../../../read/records.ts';
import { pathTo } from '../address.ts';
import { ruleText, saidAlerts } from '../alert-words.ts';
import { type List, useAnswer } from '../api.ts';
import { NoteButton } from '../editing/note-button.tsx';
import { creditUnit, money, spentOf } from '../money.ts';
import { SharedCursor } from '../parts/chart.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { NoKeywords } from '../parts/no-keywords.tsx';
import { Breakdown, Findings, Headline, Movers, Numbers, Standings } from '../parts/overview.tsx';
import { Answered, Empty, Failed, Unread, Waiting } from '../parts/states.tsx';
import { useProject, useProjectAnswer } from '../project.tsx';
import { sharingText, sumChecks } from '../run-words.ts';
import { counted, day, number } from '../words.ts';

const alertsShown = 6;

export function Home(): ReactNode {
  const { period, overview, asked, scope } = useProject();
  const summary = useProjectAnswer<Summary>('summary', 'table');
  const beyond = useProjectAnswer<Summary>('summary', 'table', {
    significance: [...asked.getAll('significance'), '!noise'],
  });
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
  const sums = summary.value;
  if (sums === undefined) return <Waiting shape="page" />;
  return (
    <SharedCursor>
      {overview?.suspect != null && <p className="notice bad-notice">The newest run is suspect: {overview.suspect}</p>}
      <section className="lead home-lead" aria-labelledby="headline">
        <div>
          <Headline summary={sums} />
          <Answered answer={beyond} shape="rows" rows={4}>
            {({ changes: beyondNoise }) => <Findings summary={sums} beyond={beyondNoise} />}
          </Answered>
        </div>
        <Breakdown summary={sums} />
      </section>
      <Numbers summary={sums} />
      <FilterBar>
        <NoteButton />
      </FilterBar>
      <Standings />
      <Answered answer={changes} shape="rows" rows={4}>
        {({ data }) => <Movers rows={data} counts={sums.changes} />}
      </Answered>
      {scope === null && (
        <div className="movers">
          <AlertsOfPeriod />
          <CostOfPeriod />
        </div>
      )}
    </SharedCursor>
  );
}

function usePeriodPath(): (resource: string) => string {
  const { name, period } = useProject();
  const ofPeriod = new URLSearchParams({ project: name, from: period.from ?? '', to: period.to ?? '', limit: 'all' });
  return (resource) => `/v1/${resource}?${ofPeriod}`;
}

function AlertsOfPeriod(): ReactNode {
  const { name, facts, period } = useProject();
  const { value, error } = useAnswer<List<AlertRecord>>(usePeriodPath()('alerts'));
  const said = value && saidAlerts(value.data, facts);
  return (
    <section className="card">
      <h2>
        Alerts{' '}
        {said !== undefined && (
          <a className="aside" href={pathTo(name, 'alerts')}>
            {number(said.length)}
          </a>
        )}
      </h2>
      {said === undefined ? (
        <Unread shape="rows" rows={4} error={error} />
      ) : said.length === 0 ? (
        <p className="cover">None in this period.</p>
      ) : (
        <ul className="lines">
          {said.slice(0, alertsShown).map(({ key, date, rule, keyword, text }) => (
            <li key={key}>
              <span className="cover">{day(date, period.to ?? undefined)}</span> {ruleText(rule)}
              {keyword !== null && (
                <>
                  {': '}
                  <bdi>{keyword.keyword}</bdi> <span className="aside">{keyword.market}</span>
                </>
              )}{' '}
              <bdi>{text}</bdi>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function CostOfPeriod(): ReactNode {
  const { name } = useProject();
  const path = usePeriodPath();
  const runs = useAnswer<List<RunRecord>>(path('runs'));
  const spend = useAnswer<List<SpendDay>>(path('spend'));
  return (
    <section className="card">
      <h2>
        What it cost{' '}
        <a className="aside" href={pathTo(name, 'runs')}>
          runs and spend
        </a>
      </h2>
      {runs.value === undefined || spend.value === undefined ? (
        <Unread shape="rows" rows={4} error={runs.error ?? spend.error} />
      ) : (
        <p>
          <b>{number(spentOf(spend.value.data, 'serp_credit'))}</b>{' '}
          {creditUnit(spentOf(spend.value.data, 'serp_credit'))} and{' '}
          <b>{money('micro_usd', spentOf(spend.value.data, 'micro_usd'))}</b> of keyword data for{' '}
          {counted(sumChecks(runs.value.data).all, 'check')} in {counted(runs.value.total, 'run')}
          {sharingText(runs.value.data)}.
        </p>
      )}
    </section>
  );
}
