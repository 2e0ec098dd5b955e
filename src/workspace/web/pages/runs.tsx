// What did it buy, and was it worth it? The month against its budget, what was spent by day, then every run.

import type { ReactNode } from 'react';
import type { KeywordRow, RunRecord, SpendDay } from '../../../read/records.ts';
import { sumOf } from '../../../tracker/figures.ts';
import { keywordMonth } from '../../../tracker/page-price.ts';
import { dayOfCap } from '../../../tracker/spend-pace.ts';
import { pathTo, useAddress } from '../address.ts';
import { type List, useAnswer } from '../api.ts';
import { type Currency, creditUnit, type Month, money, moneyText, monthOf, smallDollars, spentOf } from '../money.ts';
import { SharedCursor } from '../parts/chart.tsx';
import { DayBars } from '../parts/day-bars.tsx';
import { ExportMenu } from '../parts/export-menu.tsx';
import { Figure } from '../parts/numbers.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { RunTable } from '../parts/run-table.tsx';
import { Section } from '../parts/section.tsx';
import { Empty, Unread } from '../parts/states.tsx';
import { datesBetween } from '../period.ts';
import { useProject } from '../project.tsx';
import { isProblem, sharingText, sumChecks } from '../run-words.ts';
import { counted, day, missing, monthName, number } from '../words.ts';
import './runs.css';
import { FindingList } from '../parts/finding-list.tsx';

const title = 'Runs and spend';

export function Runs(): ReactNode {
  const { name, period, overview } = useProject();
  const today = overview?.today;
  const path = (resource: string, parameters: Readonly<Record<string, string>>) =>
    `/v1/${resource}?${new URLSearchParams({ ...parameters, limit: 'all' })}`;
  const ofPeriod = { project: name, from: period.from ?? today ?? '', to: period.to ?? today ?? '' };
  const hasDates = ofPeriod.to !== '';
  const runs = useAnswer<List<RunRecord>>(hasDates ? path('runs', ofPeriod) : null);
  const spend = useAnswer<List<SpendDay>>(hasDates ? path('spend', ofPeriod) : null);
  const error = runs.error ?? spend.error;
  if (error !== null || runs.value === undefined || spend.value === undefined || overview === undefined)
    return <Unread heading={title} error={error} shape="page" />;
  const days = spend.value.data;
  if (runs.value.total === 0 && days.length === 0)
    return (
      <Empty heading={title} title={period.to === null ? 'Nothing was run yet' : 'Nothing was run in this period'}>
        <p>
          <code>rankledger run</code> runs what is due; <code>rankledger plan</code> says what it would cost.
        </p>
      </Empty>
    );
  const ofMonth = monthOf(overview);
  return (
    <SharedCursor>
      <section className="lead" aria-labelledby="headline">
        <div>
          <Headline month={ofMonth} />
          <Findings runs={runs.value.data} days={days} month={ofMonth} />
        </div>
        <Budget month={ofMonth} />
      </section>
      <Numbers
        runs={runs.value.data}
        days={days}
        month={ofMonth}
        keywords={overview.keywords}
        pageMicroUsd={overview.pageMicroUsd}
      />
      <SpendByDay days={days} />
      <RunList runs={runs.value.data} path={(parameters) => path('runs', { ...ofPeriod, ...parameters })} />
    </SharedCursor>
  );
}

function Headline({ month: { today, spent, cap, forecast } }: { readonly month: Month }): ReactNode {
  const name = monthName(today);
  const end = forecast === null || cap === null ? null : dayOfCap(forecast, cap);
  const isUsed = cap !== null && spent >= cap;
  const title = isUsed
    ? `The budget of ${name} is used up`
    : end !== null
      ? `The budget runs out on ${day(end, today)}`
      : forecast === null
        ? `${moneyText('serp_credit', spent)} this month`
        : cap === null
          ? `${name} ends near ${moneyText('serp_credit', Math.round(forecast.spent))}`
          : `${name} ends at ${number((forecast.spent / cap) * 100)} % of the budget`;
  return (
    <>
      <PageTitle>
        <span id="headline">{title}</span>
      </PageTitle>
      <p className="sub">
        {forecast === null
          ? 'No forecast on the first day of a month'
          : `A straight line through ${counted(forecast.days, 'day')} so far: ${moneyText('serp_credit', forecast.perDay)} a day, all projects together`}
      </p>
    </>
  );
}

interface FindingProps {
  readonly runs: readonly RunRecord[];
  readonly days: readonly SpendDay[];
  readonly month: Month;
}

/** Beyond the sums: checks that wait or failed, and money without a known outcome. */
function Findings({ runs, days, month: { today, cap, forecast } }: FindingProps): ReactNode {
  const { name } = useProject();
  const { query } = useAddress();
  const checks = sumChecks(runs);
  const kept = runs.filter(({ discardedAt }) => discardedAt === null);
  const [suspect, stopped] = [
    kept.filter(({ suspectReason }) => suspectReason !== null).length,
    kept.filter(({ state }) => state === 'halted').length,
  ];
  const [discarded, open] = [runs.length - kept.length, runs.filter(({ state }) => state === 'open').length];
  const unknown = (currency: Currency) => sumOf(days, (of) => (of.currency === currency ? of.unknown : 0));
  const lost = (['serp_credit', 'micro_usd'] as const)
    .filter((currency) => unknown(currency) > 0)
    .map((currency) => moneyText(currency, unknown(currency)));
  const end = forecast === null || cap === null ? null : dayOfCap(forecast, cap);
  const list = (parts: readonly (readonly [number, string])[]) =>
    parts.flatMap(([count, text]) => (count > 0 ? [`${number(count)} ${text}`] : [])).join(', ');
  const missed = list([
    [checks.deferred, checks.deferred === 1 ? 'waits for budget' : 'wait for budget'],
    [checks.failed, 'failed'],
    [checks.incomplete, 'read in part'],
  ]);
  const troubled = list([
    [suspect, 'suspect'],
    [stopped, 'stopped early'],
    [discarded, 'discarded'],
  ]);
  const sentences: ReactNode[] = [
    end !== null && forecast !== null && (
      <>
        From <strong className="bad">{day(end, today)}</strong> on checks wait for the next month: at{' '}
        {moneyText('serp_credit', forecast.perDay)} a day {monthName(today)} needs {number(forecast.spent)} and has{' '}
        {number(cap)}.
      </>
    ),
    checks.all > 0 && (
      <>
        {checks.ok < checks.all ? `${number(checks.ok)} of ` : checks.all === 1 ? 'The ' : 'All '}
        {counted(checks.all, 'check')} in {counted(runs.length, 'run')}
        {sharingText(runs)} {checks.all === 1 ? 'was' : 'were'} answered in full
        {missed && (
          <>
            ; <a href="#runs">{missed}</a>
          </>
        )}
        .
      </>
    ),
    lost.length > 0 || checks.lost > 0 ? (
      <>
        The outcome of <strong className="bad">{lost.join(' and ') || counted(checks.lost, 'check')}</strong> is
        unknown: an answer was paid for and never came. It counts as spent until{' '}
        <code>rankledger audit --reconcile</code> reconciles it with the account.
      </>
    ) : (
      <>No charge is in doubt.</>
    ),
    troubled !== '' && (
      <>
        Of the runs, <a href={pathTo(name, 'runs', problemQuery(query))}>{troubled}</a>.
      </>
    ),
    open > 0 && <>{counted(open, 'run is', 'runs are')} under way.</>,
  ];
  return <FindingList sentences={sentences} />;
}

function problemQuery(query: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(query);
  next.set('runs', 'problems');
  return next;
}

/** The credits of the month as one bar, up to the cap. */
function Budget({ month: { today, spent, cap, own, forecast, dollars } }: { readonly month: Month }): ReactNode {
  const { name } = useProject();
  const coming = forecast === null ? 0 : Math.max(0, Math.round(forecast.spent) - spent);
  const left = cap === null ? 0 : Math.max(0, cap - spent - coming);
  const over = cap === null ? 0 : Math.min(coming, Math.max(0, spent + coming - cap));
  const parts = [
    { kind: 'own', amount: own, text: <bdi>{name}</bdi> },
    { kind: 'others', amount: Math.max(0, spent - own), text: 'other projects' },
    {
      kind: 'coming',
      amount: coming - over,
      text: forecast === null ? '' : `to come by ${day(forecast.monthEnd, today)}, if the line holds`,
    },
    { kind: 'over', amount: over, text: 'to come that the budget does not have' },
    { kind: 'left', amount: left, text: 'left at the end of the month' },
  ].filter(({ kind, amount }) => amount > 0 || kind === 'own');
  return (
    <div className="runs-budget">
      <h2>
        {monthName(today)} <span className="aside">against the budget</span>
      </h2>
      <p className="cover">
        {cap === null
          ? `${moneyText('serp_credit', spent)} by all projects, without a cap`
          : `${number(spent)} of ${number(cap)} credits, which all projects share`}
      </p>
      <div className="runs-meter parts-bar" aria-hidden="true">
        {parts.map(({ kind, amount }) => (
          <i key={kind} className={`runs-part runs-${kind}`} style={{ flexGrow: amount }} />
        ))}
      </div>
      <ul className="stack gap-1">
        {parts.map(({ kind, amount, text }) => (
          <li key={kind} className={kind === 'over' ? 'bad' : undefined}>
            <i className={`runs-part runs-${kind}`} aria-hidden="true" />
            <b>{number(amount)}</b> <span>{text}</span>
          </li>
        ))}
        {(dollars.spent > 0 || dollars.cap !== null) && (
          <li>
            <i aria-hidden="true" />
            <b>{money('micro_usd', dollars.spent)}</b>{' '}
            <span>
              of keyword data{dollars.cap === null ? '' : `, of ${money('micro_usd', dollars.cap)}`}
              {dollars.own !== dollars.spent && `; ${money('micro_usd', dollars.own)} by this project`}
            </span>
          </li>
        )}
      </ul>
    </div>
  );
}

interface NumberProps extends FindingProps {
  readonly keywords: number;
  readonly pageMicroUsd: NonNullable<ReturnType<typeof useProject>['overview']>['pageMicroUsd'];
}

function Numbers({ runs, days, month: { ownForecast }, keywords, pageMicroUsd }: NumberProps): ReactNode {
  const { name, period } = useProject();
  const { query } = useAddress();
  const isOneDate = period.from === period.to;
  // of the whole project: a filter narrows rows, but not what they cost
  const beyond = { change: 'improved|declined|entered|dropped', significance: 'likely|certain' };
  const asked = new URLSearchParams({
    date: period.to ?? '',
    compare: isOneDate ? 'previous' : (period.from ?? ''),
    significance: beyond.significance,
  });
  const changes = useAnswer<List<KeywordRow>>(
    period.to === null ? null : `/v1/projects/${encodeURIComponent(name)}/changes?${asked}&limit=1&fields=id`,
  );
  const [credits, dollars] = [spentOf(days, 'serp_credit'), spentOf(days, 'micro_usd')];
  const checks = sumChecks(runs);
  const bought = (currency: Currency) => sumOf(days, (of) => (of.currency === currency ? of.purchases : 0));
  const shared = sumOf(days, (of) => (of.currency === 'serp_credit' ? of.shared : 0));
  const found = changes.value?.total;
  const dollarsEach =
    ownForecast === null || pageMicroUsd === null
      ? null
      : keywordMonth(
          { least: pageMicroUsd.least * ownForecast.spent, most: pageMicroUsd.most * ownForecast.spent },
          keywords,
        );
  const dollarText = dollarsEach === null ? '' : `${smallDollars(dollarsEach)} by list prices; `;
  const sharing = sharingText(runs);
  return (
    <div className="figures">
      <Figure
        label="Spent in the period"
        value={number(credits)}
        unit={creditUnit(credits)}
        cover={
          shared > 0
            ? `${number(shared)} of them shared with other projects`
            : `for ${counted(bought('serp_credit'), 'result page')}`
        }
      />
      {dollars > 0 && (
        <Figure
          label="Keyword data"
          value={money('micro_usd', dollars)}
          cover={`in ${counted(bought('micro_usd'), 'request')}`}
        />
      )}
      <Figure
        label="Checks answered"
        value={number(checks.ok)}
        unit={`of ${number(checks.all)}`}
        cover={
          checks.ok === 0 || sharing !== ''
            ? `in ${counted(runs.length, 'run')}${sharing}`
            : `${number(credits / checks.ok, 1)} ${creditUnit(credits / checks.ok, 1)} each`
        }
      />
      <Figure
        label="A keyword a month"
        value={ownForecast === null || keywords === 0 ? missing : number(ownForecast.spent / keywords)}
        unit={creditUnit(ownForecast === null ? null : ownForecast.spent / keywords)}
        cover={
          ownForecast === null
            ? 'known from the second day of a month'
            : `${dollarText}${number(ownForecast.spent)} expected for ${counted(keywords, 'keyword')}`
        }
      />
      <Figure
        label="A change found"
        value={found === undefined || found === 0 ? missing : number(credits / found)}
        unit={creditUnit(credits / (found ?? 1))}
        cover={
          found === undefined
            ? changes.error === null
              ? ''
              : 'could not be read'
            : found === 0
              ? 'no row moved beyond its noise'
              : `${counted(found, 'row')} beyond noise ${isOneDate ? 'since the check before' : `since ${day(period.from, period.to ?? undefined)}`}`
        }
        href={
          found === undefined || found === 0
            ? undefined
            : pathTo(name, 'keywords', {
                ...beyond,
                from: query.get('from'),
                to: query.get('to'),
              })
        }
      />
    </div>
  );
}

/** Credits and keyword data have a chart each: their units do not add up. */
function SpendByDay({ days }: { readonly days: readonly SpendDay[] }): ReactNode {
  const { period } = useProject();
  const dates = datesBetween(period.from ?? '', period.to ?? '');
  const hasDollars = spentOf(days, 'micro_usd') > 0;
  return (
    <div className={hasDollars ? 'runs-charts has-dollars' : 'runs-charts'}>
      <Section title="Credits by day">
        <DayBars
          label="Credits by day"
          dates={dates}
          lines={seriesOf(days, 'serp_credit', dates)}
          format={(value) => number(value)}
          height={170}
        />
      </Section>
      {hasDollars && (
        <Section title="Keyword data by day">
          <DayBars
            label="Keyword data by day, US dollars"
            dates={dates}
            lines={seriesOf(days, 'micro_usd', dates)}
            format={(value) => money('micro_usd', value)}
            height={170}
          />
        </Section>
      )}
    </div>
  );
}

/** Charges by service, where there are several; charges of unknown outcome are hatched. */
function seriesOf(days: readonly SpendDay[], currency: Currency, dates: readonly string[]) {
  const seen = days.filter((of) => of.currency === currency);
  const services = [...new Set(seen.map(({ service }) => service))].sort();
  const byDate = Map.groupBy(seen, ({ date }) => date);
  const values = (amount: (of: SpendDay) => number) => dates.map((date) => sumOf(byDate.get(date) ?? [], amount));
  const charged = services.map((service) => ({
    name: services.length === 1 ? 'charged' : service,
    isOwn: services.length === 1,
    values: values((of) => (of.service === service ? of.spent : 0)),
  }));
  const unknown = values((of) => of.unknown);
  return unknown.some((of) => of > 0)
    ? [...charged, { name: 'outcome unknown', isUnproven: true, values: unknown }]
    : charged;
}

interface ListProps {
  readonly runs: readonly RunRecord[];
  readonly path: (parameters: Readonly<Record<string, string>>) => string;
}

function RunList({ runs, path }: ListProps): ReactNode {
  const { project, page, query } = useAddress();
  const problems = runs.filter(isProblem);
  const isNarrow = query.get('runs') === 'problems';
  const choice = (value: string | null, label: string, count: number) => {
    const next = new URLSearchParams(query);
    if (value === null) next.delete('runs');
    else next.set('runs', value);
    return (
      <a href={pathTo(project, page, next)} aria-current={isNarrow === (value !== null) || undefined}>
        {label} <span className="quiet">{number(count)}</span>
      </a>
    );
  };
  return (
    <Section
      id="runs"
      title="Runs"
      end={
        <>
          {(problems.length > 0 || isNarrow) && (
            <nav className="screen-only switch" aria-label="Which runs">
              {choice(null, 'All', runs.length)}
              {choice('problems', 'With a problem', problems.length)}
            </nav>
          )}
          <ExportMenu name="runs" path={path} />
        </>
      }
    >
      {isNarrow && problems.length === 0 ? (
        <p className="cover">No run of this period had a problem.</p>
      ) : (
        <RunTable runs={isNarrow ? problems : runs} />
      )}
    </Section>
  );
}
