// Who needs me today? A sentence, sums over all projects, then a row each, the most urgent first.

import { Search } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ProjectOverview } from '../../../read/records.ts';
import { sumOf } from '../../../tracker/figures.ts';
import { pathTo, useAddress, useChangeQuery } from '../address.ts';
import {
  type Attended,
  byAttention,
  directionOf,
  type Kind,
  kinds,
  rule,
  type Since,
  sinceWords,
} from '../attention.ts';
import { budgetsOf, type Currency, creditUnit, money, moneyText } from '../money.ts';
import { ActionMenu } from '../parts/menu.tsx';
import { Delta, Figure } from '../parts/numbers.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { type PlainColumn, SortHeader, sortedRows } from '../parts/plain-table.tsx';
import { Sparkline } from '../parts/sparkline.tsx';
import { Empty, Waiting } from '../parts/states.tsx';
import { useProjects } from '../project.tsx';
import { counted, day, missing, number, percent } from '../words.ts';
import './portfolio.css';

/** Shown at once: more would make sorting slow. */
const shownMax = 100;
/** Sortable columns before the trend. */
const trendAt = 3;
/** So few are named in the headline. */
const namedMax = 3;
/** So few have room for larger lines. */
const fewMax = 6;
/** Fewer are found by eye. */
const searchFrom = 13;

export function Portfolio(): ReactNode {
  const { query } = useAddress();
  const projects = useProjects().value?.data;
  if (projects === undefined)
    return (
      <>
        <PageTitle>Projects</PageTitle>
        <Waiting shape="page" />
      </>
    );
  if (projects.length === 0)
    return (
      <Empty title="No project is set up">
        <p>
          <code>rankledger init</code> writes a config with a first one.
        </p>
      </Empty>
    );
  const since = sinceOf(query);
  const attended = byAttention(projects, since);
  const search = (query.get('q') ?? '').toLowerCase();
  const found = attended.filter(({ of }) => of.project.toLowerCase().includes(search));
  return (
    <>
      <Headline attended={attended} />
      {projects.length > 1 && <Sums projects={projects} since={since} />}
      <Tools count={projects.length} since={since} />
      {found.length === 0 ? (
        <Empty title="No project has such a name">
          <p>
            <a href="/">Show all {number(projects.length)}</a>
          </p>
        </Empty>
      ) : (
        <ProjectTable attended={found} since={since} newest={newestOf(projects)} />
      )}
    </>
  );
}

function sinceOf(query: URLSearchParams): Since {
  const written = query.get('since');
  return written === 'day' || written === 'month' ? written : 'week';
}

const kindWords: Readonly<Record<Kind, (count: number) => string>> = {
  suspect: (count) => `${number(count)} suspect`,
  alerts: (count) => `${number(count)} with alerts`,
  falling: (count) => `${number(count)} falling`,
  unchecked: (count) => `${number(count)} checked in part`,
};

function Headline({ attended }: { readonly attended: readonly Attended[] }): ReactNode {
  const urgent = attended.filter(({ reasons }) => reasons.length > 0);
  const [first] = attended;
  const all = attended.length;
  const counts = kinds.flatMap((kind) => {
    const count = urgent.filter(({ reasons }) => reasons.some((of) => of.kind === kind)).length;
    return count === 0 ? [] : [kindWords[kind](count)];
  });
  return (
    <div>
      <PageTitle>
        {all === 1 && first !== undefined ? (
          <>
            <bdi>{first.of.project}</bdi> {urgent.length === 0 ? 'needs nothing today' : 'needs you today'}
          </>
        ) : urgent.length === 0 ? (
          'No project needs you today'
        ) : (
          `${number(urgent.length)} of ${number(all)} projects ${urgent.length === 1 ? 'needs' : 'need'} you today`
        )}
      </PageTitle>
      <p className="sub">
        {urgent.length > 0 && urgent.length <= namedMax
          ? urgent.map(({ of, reasons }) => (
              <span key={of.project} className="portfolio-named">
                {all > 1 && (
                  <>
                    <a href={pathTo(of.project)}>
                      <bdi>{of.project}</bdi>
                    </a>
                    :{' '}
                  </>
                )}
                {reasons.map(({ text }) => text).join(', ')}
              </span>
            ))
          : counts.length === 0
            ? 'No alert in 7 days, nothing suspect, no visibility falling, every search checked'
            : counts.join(' · ')}
      </p>
    </div>
  );
}

function sumOfKnown(
  projects: readonly ProjectOverview[],
  value: (of: ProjectOverview) => number | null,
): number | null {
  const known = projects.map(value).filter((one) => one !== null);
  return known.length === 0 ? null : sumOf(known);
}

function Sums({
  projects,
  since,
}: {
  readonly projects: readonly ProjectOverview[];
  readonly since: Since;
}): ReactNode {
  const of = (value: (of: ProjectOverview) => number | null) => sumOfKnown(projects, value);
  const [checked, total] = [of((one) => one.checked), of((one) => one.total)];
  const moves = projects.map((one) => directionOf(one, since)).filter((one) => one !== null);
  const [risen, fallen] = [moves.filter((one) => one === 'up').length, moves.filter((one) => one === 'down').length];
  const alerting = projects.filter(({ alerts }) => (alerts ?? 0) > 0).length;
  const budgets = budgetsOf(projects);
  return (
    <div className="figures portfolio-sums">
      <Figure
        label="Searches checked"
        value={number(checked)}
        unit={`of ${number(total)}`}
        cover={`${counted(of(({ keywords }) => keywords) ?? 0, 'keyword')}, newest on ${day(newestOf(projects))}`}
      />
      <Figure
        label={`Visibility in ${sinceWords[since]}`}
        value={moves.length === 0 ? missing : `${number(risen)} up, ${number(fallen)} down`}
        cover={`beyond the usual, ${number(moves.length)} compared`}
      />
      <Figure
        label="In the top 3 / top 10"
        value={`${number(of(({ top3 }) => top3))} / ${number(of(({ top10 }) => top10))}`}
        cover={`of ${counted(checked ?? 0, 'search', 'searches')} checked`}
      />
      <Figure
        label="Alerts in 7 days"
        value={number(of(({ alerts }) => alerts))}
        cover={alerting === 0 ? 'in no project' : `in ${counted(alerting, 'project')}`}
      />
      {budgets.map(({ currency, spent, cap }) => (
        <Figure
          key={currency}
          label={currency === 'serp_credit' ? 'Spent this month' : 'Keyword data this month'}
          value={money(currency, spent)}
          {...(currency === 'serp_credit' ? { unit: creditUnit(spent) } : {})}
          cover={cap === null ? 'without a cap' : `${share(spent, cap)} of ${money(currency, cap)}, for all projects`}
        />
      ))}
    </div>
  );
}

function newestOf(projects: readonly ProjectOverview[]): string {
  return projects.reduce((newest, { date }) => (date !== null && date > newest ? date : newest), '');
}

function share(part: number, whole: number): string {
  return `${number(whole === 0 ? 100 : (part / whole) * 100)} %`;
}

const orders: readonly { readonly sort: string; readonly label: string }[] = [
  { sort: '', label: 'Attention' },
  { sort: 'project', label: 'Name' },
  { sort: '-visibility', label: 'Visibility' },
  { sort: '-change', label: 'Largest gain' },
  { sort: 'change', label: 'Largest loss' },
  { sort: 'rank', label: 'Average rank' },
  { sort: '-alerts', label: 'Most alerts' },
  { sort: '-spent', label: 'Most spent' },
];

function Tools({ count, since }: { readonly count: number; readonly since: Since }): ReactNode {
  const { query } = useAddress();
  const change = useChangeQuery();
  const sort = query.get('sort') ?? '';
  const order = orders.find((of) => of.sort === sort);
  return (
    <div className="screen-only filter-bar across wraps portfolio-tools">
      {count >= searchFrom && (
        <label className="portfolio-search across">
          <Search size={15} aria-hidden="true" />
          <span className="unseen">Find a project</span>
          <input
            type="search"
            placeholder="Find a project"
            value={query.get('q') ?? ''}
            onChange={(event) => change({ q: event.target.value }, { replace: true })}
          />
        </label>
      )}
      <fieldset className="choices">
        <legend className="unseen">Change over</legend>
        {(['day', 'week', 'month'] as const).map((of) => (
          <button
            key={of}
            type="button"
            className="choice"
            aria-pressed={of === since}
            onClick={() => change({ since: of === 'week' ? null : of })}
          >
            {sinceWords[of]}
          </button>
        ))}
      </fieldset>
      {count > 1 && (
        <div className="filter-bar-end across end">
          {sort === '' && (
            <details className="portfolio-rule">
              <summary>How is this ordered?</summary>
              <p className="popup">{rule}</p>
            </details>
          )}
          <ActionMenu
            label={
              <>
                <span className="aside">Order</span> {order?.label ?? 'by a column'}
              </>
            }
            actions={orders.map(({ sort: of, label }) => ({
              label,
              isChosen: of === sort,
              run: () => change({ sort: of }),
            }))}
          />
        </div>
      )}
    </div>
  );
}

function ownSpend({ ownSpend: spends }: ProjectOverview, currency: Currency): number {
  return spends.find((of) => of.currency === currency)?.spent ?? 0;
}

interface TableProps {
  readonly attended: readonly Attended[];
  readonly since: Since;
  /** The newest date of all projects: only others are named. */
  readonly newest: string;
}

/** Those that sort, with the trend between them. */
function columnsOf(since: Since): readonly PlainColumn<Attended>[] {
  return [
    { name: 'project', label: 'Project', value: ({ of }) => of.project },
    { name: 'visibility', label: 'Visibility', value: ({ of }) => of.visibility, isNumber: true },
    { name: 'change', label: `In ${sinceWords[since]}`, value: ({ of }) => of.visibilityChange[since], isNumber: true },
    { name: 'alerts', label: 'Alerts, 7 days', value: ({ of }) => of.alerts, isNumber: true },
    {
      name: 'checked',
      label: 'Checked',
      value: ({ of }) => (of.total === 0 ? null : of.checked / of.total),
      isNumber: true,
      isLowerBetter: true,
    },
    { name: 'top', label: 'Top 3 / top 10', value: ({ of }) => of.top10, isNumber: true },
    { name: 'rank', label: 'Average rank', value: ({ of }) => of.averageRank, isNumber: true, isLowerBetter: true },
    { name: 'spent', label: 'Spent this month', value: ({ of }) => ownSpend(of, 'serp_credit'), isNumber: true },
  ];
}

function ProjectTable({ attended, since, newest }: TableProps): ReactNode {
  const { query } = useAddress();
  const change = useChangeQuery();
  const written = query.get('sort') ?? '';
  const columns = columnsOf(since);
  const sorted = sortedRows(attended, columns, written);
  const rows = query.has('all') ? sorted : sorted.slice(0, shownMax);
  const [urgent, calm] = [
    rows.filter(({ reasons }) => reasons.length > 0),
    rows.filter(({ reasons }) => reasons.length === 0),
  ];
  const isGrouped = written === '' && urgent.length > 0 && attended.length > fewMax;
  const header = (column: PlainColumn<Attended>) => (
    <SortHeader key={column.name} column={column} written={written} onSort={(sort) => change({ sort })} />
  );
  return (
    <div className="plain-scroll">
      <table className={attended.length > fewMax ? 'portfolio' : 'portfolio portfolio-few'}>
        <caption className="unseen">Projects, with the change of visibility in {sinceWords[since]}</caption>
        <thead>
          <tr>
            {columns.slice(0, trendAt).map(header)}
            <th scope="col">Newest 90 days</th>
            {columns.slice(trendAt).map(header)}
          </tr>
        </thead>
        {isGrouped ? (
          <>
            <Group title="Needs you" total={count(sorted, true)} rows={urgent} since={since} newest={newest} />
            {calm.length > 0 && (
              <Group title="Nothing new" total={count(sorted, false)} rows={calm} since={since} newest={newest} />
            )}
          </>
        ) : (
          <Group rows={rows} since={since} newest={newest} />
        )}
      </table>
      {rows.length < sorted.length && (
        <button type="button" className="button" onClick={() => change({ all: 'true' }, { replace: true })}>
          Show the other {number(sorted.length - rows.length)}
        </button>
      )}
    </div>
  );
}

/** Rows of a group, with those that are not shown. */
function count(attended: readonly Attended[], isUrgent: boolean): number {
  return attended.filter(({ reasons }) => reasons.length > 0 === isUrgent).length;
}

interface GroupProps extends Omit<TableProps, 'attended'> {
  readonly title?: string;
  /** With those that are not shown. */
  readonly total?: number;
  readonly rows: readonly Attended[];
}

function Group({ title, total, rows, since, newest }: GroupProps): ReactNode {
  return (
    <tbody>
      {title !== undefined && (
        <tr className="portfolio-group">
          <th scope="rowgroup" colSpan={9}>
            {title} <span className="quiet">{number(total)}</span>
          </th>
        </tr>
      )}
      {rows.map(({ of, reasons }) => (
        <ProjectRow key={of.project} of={of} reasons={reasons} since={since} newest={newest} />
      ))}
    </tbody>
  );
}

function ProjectRow({ of, reasons, since, newest }: Attended & Omit<TableProps, 'attended'>): ReactNode {
  const [credits, dollars] = [ownSpend(of, 'serp_credit'), ownSpend(of, 'micro_usd')];
  const cap = of.spend.find(({ currency }) => currency === 'serp_credit')?.cap ?? null;
  const isWhole = of.checked === of.total;
  return (
    <tr className="portfolio-row">
      <th scope="row" className="portfolio-name">
        <a className="portfolio-link" href={pathTo(of.project)}>
          <bdi>{of.project}</bdi>
        </a>
        {of.engine !== null && (
          <span className="label engine-label" title="Search engine">
            {of.engine}
          </span>
        )}
        {of.isSimulated && <span className="label">simulated data</span>}
        {reasons.length === 0 ? (
          <span className="portfolio-more cover">{counted(of.keywords, 'keyword')}</span>
        ) : (
          <ul className="portfolio-more">
            {reasons.map(({ kind, text }) => (
              <li key={kind} className={kind === 'suspect' || kind === 'falling' ? 'bad' : undefined} title={text}>
                {text}
              </li>
            ))}
          </ul>
        )}
      </th>
      <td className="right portfolio-visibility">
        {of.visibility === null ? (
          <span className="quiet">{missing}</span>
        ) : (
          <>
            <b>{percent(of.visibility)}</b> <span className="unit">%</span>
          </>
        )}
      </td>
      <td className="right portfolio-change">
        <ChangeSince of={of} since={since} />
      </td>
      <td className="portfolio-line">
        <Sparkline values={of.sparkline} isRank={false} width={180} height={32} />
      </td>
      <td className="right" data-label="Alerts">
        {of.alerts === null || of.alerts === 0 ? (
          <span className="quiet">{number(of.alerts)}</span>
        ) : (
          <a className="portfolio-alerts" href={pathTo(of.project, 'alerts')}>
            {number(of.alerts)}
          </a>
        )}
      </td>
      <td className="right" data-label="Checked">
        <span className={isWhole ? undefined : 'bad'}>
          {number(of.checked)} <span className="unit">of {number(of.total)}</span>
        </span>
        {of.date !== newest && (
          <span className="portfolio-more cover">{of.date === null ? 'never' : `last on ${day(of.date, newest)}`}</span>
        )}
      </td>
      <td className="right" data-label="Top 3 / top 10">
        {number(of.top3)} <span className="unit">/</span> {number(of.top10)}
      </td>
      <td className="right portfolio-rank" data-label="Average rank">
        {of.averageRank?.toFixed(1) ?? missing}
      </td>
      <td className="right portfolio-spent" data-label="Spent">
        <a href={pathTo(of.project, 'runs')}>
          {number(credits)} <span className="unit">{creditUnit(credits)}</span>
        </a>
        <span className="portfolio-more cover">
          {[
            cap === null ? '' : `${share(credits, cap)} of the budget`,
            dollars > 0 ? moneyText('micro_usd', dollars) : '',
          ]
            .filter(Boolean)
            .join(', ')}
        </span>
      </td>
    </tr>
  );
}

/** A change within the usual moves of the project is drawn quiet. */
function ChangeSince({ of, since }: { readonly of: ProjectOverview; readonly since: Since }): ReactNode {
  const change = of.visibilityChange[since];
  return (
    <>
      {change === null ? (
        <span className="quiet">{missing}</span>
      ) : (
        <Delta value={change} digits={1} isQuiet={directionOf(of, since) === 'steady'} />
      )}
      <span className="portfolio-more cover">
        {number(of.visibilityChangeOver[since])} of {number(of.total)}
        <span className="unseen"> compared</span>
      </span>
    </>
  );
}
