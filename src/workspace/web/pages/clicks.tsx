// Why did clicks change? What was counted, by demand, rank and rate, against estimates, and what is not tracked.

import type { ReactNode } from 'react';
import type { ClickChangesBy } from '../../../read/contract.ts';
import type { KeywordRow, Summary, UntrackedQuery } from '../../../read/records.ts';
import type { ClickChanges, ClickHour, ClickTypeChange } from '../../../tracker/clicks/clicks.ts';
import { countryOfAlpha3 } from '../../../tracker/countries.ts';
import { sumOf } from '../../../tracker/figures.ts';
import { dayMs } from '../../../tracker/schedule/time-units.ts';
import { useAddress } from '../address.ts';
import { type Answer, apiPath, isFile, type List } from '../api.ts';
import { chipsOf, exactKeyword, exactUrl } from '../filters.ts';
import { Chart } from '../parts/chart.tsx';
import { ClicksNote, Faults } from '../parts/clicks-note.tsx';
import { ExportMenu } from '../parts/export-menu.tsx';
import { FindingList } from '../parts/finding-list.tsx';
import { keywordColumn } from '../parts/keyword-column.tsx';
import { Delta, Figure } from '../parts/numbers.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { type PlainColumn, PlainTable } from '../parts/plain-table.tsx';
import { SilentKeywords, UntrackedQueries } from '../parts/query-lists.tsx';
import { Section } from '../parts/section.tsx';
import { EffectsBar } from '../parts/share-bar.tsx';
import { Empty, Failed, Unread, Waiting } from '../parts/states.tsx';
import { Switch, useChoice } from '../parts/switch.tsx';
import { useKeywordPath, usePagePath, useProject, useProjectAnswer } from '../project.tsx';
import { counted, day, days, missing, number, pathOfUrl, percent, signed } from '../words.ts';

const kinds = [
  { value: 'query', label: 'Queries', many: 'queries' },
  { value: 'page', label: 'Pages', many: 'pages' },
  { value: 'country', label: 'Countries', many: 'countries' },
  { value: 'device', label: 'Devices', many: 'devices' },
] as const satisfies readonly { readonly value: ClickChangesBy; readonly label: string; readonly many: string }[];

export type Changes = ClickChanges & { readonly rowsTotal: number };
type Change = ClickChanges['rows'][number];

export function Clicks(): ReactNode {
  const { facts, scope } = useProject();
  const { clicks, clickExport } = facts;
  const isStored = clicks !== undefined || clickExport !== undefined;
  const resource = isStored && scope === null ? 'untracked-queries' : null;
  const untracked = useProjectAnswer<List<UntrackedQuery>>(resource, 'nothing', { limit: 'all' });
  if (!isStored)
    return (
      <Empty heading="Clicks" title="No clicks are stored">
        <p>
          Give the project access to Search Console and run <code>rankledger backfill clicks</code>, or import an export
          with <code>--file</code>.
        </p>
      </Empty>
    );
  return (
    <>
      {clicks === undefined ? (
        <div>
          <PageTitle>Queries of an export</PageTitle>
          <p className="sub">
            Only an export is stored. It has no clicks by day, so that no change can be explained.{' '}
            <Faults faults={clickExport?.faults} />
          </p>
        </div>
      ) : (
        <Explained untracked={untracked} />
      )}
      {scope === null && <UntrackedQueries answer={untracked} />}
      {!isFile() && scope === null && <SilentKeywords />}
      <ClicksNote facts={clicks} />
    </>
  );
}

/** The period of the address; without one the newest 28 final days, those of all other measured clicks. */
function usePeriodParameters(): { readonly days?: string; readonly to?: string | null } {
  const { query } = useAddress();
  const { period } = useProject();
  const isChosen = query.has('from') || query.has('to') || query.has('date');
  if (!isChosen || period.from === null || period.to === null) return {};
  const count = (Date.parse(period.to) - Date.parse(period.from)) / dayMs + 1;
  return { days: `${Math.min(240, Math.max(1, Math.round(count)))}`, to: period.to };
}

function Explained({ untracked }: { readonly untracked: Answer<List<UntrackedQuery>> }): ReactNode {
  const { name } = useProject();
  const by = useChoice('by', kinds) ?? 'query';
  const parameters = usePeriodParameters();
  const changes = useProjectAnswer<Changes>('click-changes', 'nothing', { by, ...parameters });
  const summary = useProjectAnswer<Summary>('summary', 'table');
  if (changes.error !== null)
    return (
      <>
        <PageTitle>Clicks</PageTitle>
        <Failed error={changes.error} />
      </>
    );
  if (changes.value === undefined) return <Waiting shape="page" />;
  const { rows, rowsTotal } = changes.value;
  return (
    <>
      <section className="lead chart-first">
        <div>
          <Headline changes={changes.value} />
          <Findings changes={changes.value} summary={summary.value} by={by} untracked={untracked.value?.data ?? []} />
        </div>
        <Effects changes={changes.value} />
      </section>
      <Numbers summary={summary.value} />
      <SearchTypes changes={changes.value} />
      {!isFile() && <NewestHours />}
      <Section
        title="Why clicks changed"
        cover={`${counted(rowsTotal, 'change')}, largest first`}
        end={
          <>
            <Switch name="by" label="Changes by" options={kinds} clears={['sort', 'rows']} />
            {!isFile() && (
              <ExportMenu
                name={`click-changes-by-${by}`}
                path={(more) =>
                  apiPath(name, 'click-changes/rows', new URLSearchParams(), 'nothing', { by, ...parameters, ...more })
                }
              />
            )}
          </>
        }
      >
        <ChangeTable by={by} rows={rows} untracked={untracked.value?.data ?? []} />
        <p className="cover">
          Demand: more or fewer impressions. Rank: positions along{' '}
          <abbr title={changes.value.curve}>
            {changes.value.curve.startsWith('measured')
              ? 'the click-through curve of this site'
              : 'the click-through curve'}
          </abbr>
          . Rate: what positions do not explain, such as features of the page. The effects of a row add up to its
          change.
        </p>
      </Section>
      {!isFile() && <Against />}
    </>
  );
}

function Headline({ changes: { period, previous, total, property } }: { readonly changes: Changes }): ReactNode {
  const { query } = useAddress();
  const { change, clicks } = total;
  const verb = change === 0 ? 'Clicks stayed at' : change > 0 ? 'Clicks rose to' : 'Clicks fell to';
  return (
    <>
      <PageTitle>
        {verb} {number(clicks)}
      </PageTitle>
      <p className="sub">
        {change !== 0 && `${signed(change)} from shown queries · `}
        {days(period.from, period.to)} vs. {days(previous.from, previous.to)} · Search Console,{' '}
        <bdi>{property.replace(/^sc-domain:/, '')}</bdi>
        {chipsOf(query).length > 0 && ' · filters do not apply: it counts the whole site'}
      </p>
      {period.stored !== previous.stored && (
        <p className="notice">
          {number(period.stored)} and {number(previous.stored)} final days are stored: the change is partly that of
          missing days.
        </p>
      )}
    </>
  );
}

interface FindingsProps {
  readonly changes: Changes;
  readonly summary: Summary | undefined;
  readonly by: ClickChangesBy;
  readonly untracked: readonly UntrackedQuery[];
}

export function Findings({ changes: { rows, hiddenChange }, summary, by, untracked }: FindingsProps): ReactNode {
  const name = useRowName(by, untracked);
  const gain = rows.find(({ change }) => change > 0);
  const loss = rows.find(({ change }) => change < 0);
  const missed = sumOf(untracked, ({ clicks }) => clicks);
  const sentences: ReactNode[] = [
    gain !== undefined && (
      <>
        {name(gain)} gained <strong className="good">{signed(gain.change)} clicks</strong>: {causeText(gain, by)}.
      </>
    ),
    loss !== undefined && (
      <>
        {name(loss)} lost <strong className="bad">{signed(loss.change)} clicks</strong>: {causeText(loss, by)}.
      </>
    ),
    hiddenChange !== 0 && (
      <>
        Queries that Search Console hides {hiddenChange > 0 ? 'gained' : 'lost'}{' '}
        {counted(Math.abs(hiddenChange), 'more click', 'more clicks')}; no row has them.
      </>
    ),
    summary?.measuredClicks != null && summary.measuredClicks > 0 && summary.estimatedClicks !== null && (
      <>
        Tracked keywords brought {number(summary.measuredClicks)} clicks in 28 days; their ranks and searches suggest{' '}
        {number(summary.estimatedClicks)} a month, {timesText(summary.estimatedClicks / summary.measuredClicks)}.
      </>
    ),
    untracked.length > 0 && (
      <>
        <a href="#untracked">{counted(untracked.length, 'query', 'queries')}</a> with impressions{' '}
        {untracked.length === 1 ? 'is' : 'are'} not tracked: {number(missed)} clicks in 28 days.
      </>
    ),
  ];
  return <FindingList sentences={sentences} />;
}

function timesText(ratio: number): string {
  return Math.abs(ratio - 1) < 0.05 ? 'as many' : `${number(ratio, ratio < 10 ? 1 : 0)} times as many`;
}

/** The largest effect of a change in words. */
function causeText(of: Change, by: ClickChangesBy): string {
  const { newOrLost, rank, rate, impressions, previousImpressions, averagePosition, previousPosition, change } = of;
  const demand = of.demand - newOrLost;
  const largest = Math.max(...[newOrLost, demand, rank, rate].map(Math.abs));
  if (Math.round(largest) === 0) return 'unchanged';
  if (largest === Math.abs(newOrLost))
    return by === 'query' ? (change > 0 ? 'a new query' : 'no impressions any more') : 'new and lost queries';
  if (largest === Math.abs(demand))
    return `${demand > 0 ? 'more' : 'fewer'} impressions, ${number(previousImpressions)} → ${number(impressions)}`;
  if (largest === Math.abs(rank))
    return `${rank > 0 ? 'better' : 'worse'} position, ${number(previousPosition, 1)} → ${number(averagePosition, 1)}`;
  return `clicked ${rate > 0 ? 'more' : 'less'} often at its position`;
}

/** The change as exactly these parts. */
export function Effects({ changes: { total } }: { readonly changes: Changes }): ReactNode {
  const { previousClicks, clicks, demand, newOrLost, rank, rate } = total;
  const effect = (name: string, value: number, colour: string, label: string) => ({ name, value, colour, label });
  return (
    <EffectsBar
      title="Clicks, by effect"
      before={previousClicks}
      after={clicks}
      effects={[
        effect('rank', rank, 'var(--series-1)', 'rank: better and worse positions'),
        effect('demand', demand - newOrLost, 'var(--series-2)', 'demand: more and fewer impressions'),
        effect('new', newOrLost, 'var(--series-4)', 'new and lost queries'),
        effect('rate', rate, 'var(--outline)', 'rate: how often a position is clicked'),
      ]}
    />
  );
}

/** Measured against estimated, over the keywords of the filter. */
function Numbers({ summary }: { readonly summary: Summary | undefined }): ReactNode {
  const { facts } = useProject();
  if (facts.clicks === undefined || summary === undefined) return null;
  const { clicks, hiddenClicks, impressions, to } = facts.clicks;
  const when = `28 days to ${day(to, to)}`;
  const { measuredClicks, estimatedClicks, total } = summary;
  return (
    <div className="figures">
      <Figure label="Clicks of the site" value={number(clicks)} cover={`${when}, hidden queries too`} />
      <Figure
        label="Clicks of tracked keywords"
        value={number(measuredClicks)}
        cover={`${when}, ${counted(total, 'row')}`}
      />
      <Figure
        label="Estimated for them"
        value={number(estimatedClicks)}
        unit="a month"
        cover="from ranks and searches a month"
      />
      <Figure label="Impressions of the site" value={number(impressions)} cover={when} />
      <Figure
        label="Hidden queries"
        value={clicks === 0 ? '–' : percent((hiddenClicks / clicks) * 100)}
        unit="%"
        cover={`${number(hiddenClicks)} of ${number(clicks)} clicks`}
      />
    </div>
  );
}

const typeNames: Readonly<Record<ClickTypeChange['type'], string>> = {
  web: 'Web',
  image: 'Images',
  video: 'Videos',
  news: 'News tab',
  discover: 'Discover',
  googleNews: 'News app',
};

const typeColumns: readonly PlainColumn<ClickTypeChange>[] = [
  { name: 'type', label: 'Shown in', value: ({ type }) => typeNames[type] },
  { name: 'clicks', label: 'Clicks', isNumber: true, isMain: true, value: ({ clicks }) => clicks },
  {
    name: 'change',
    label: 'Change',
    isNumber: true,
    value: ({ change }) => change,
    cell: ({ change }) => (change === null ? missing : <Delta value={change} />),
  },
  { name: 'before', label: 'Period before', isNumber: true, value: ({ previousClicks }) => previousClicks },
  { name: 'impressions', label: 'Impressions', isNumber: true, value: ({ impressions }) => impressions },
  {
    name: 'position',
    label: 'Position',
    about: 'Average position of the impressions: not a rank. Discover and the News app have none',
    isNumber: true,
    isLowerBetter: true,
    value: ({ averagePosition }) => averagePosition,
    decimals: 1,
  },
];

/** Absent where web is all. */
function SearchTypes({ changes: { types, period } }: { readonly changes: Changes }): ReactNode {
  if (types === undefined) return null;
  return (
    <Section
      title="Clicks by search type"
      cover={`Search Console, ${days(period.from, period.to)}, hidden queries too; everything else on this page is web`}
    >
      <PlainTable
        caption="Clicks by search type"
        columns={typeColumns}
        rows={types}
        keyOf={({ type }) => type}
        name="sort5"
      />
    </Section>
  );
}

/** Absent where none are stored. */
function NewestHours(): ReactNode {
  const { value, error } = useProjectAnswer<List<ClickHour>>('click-hours', 'nothing');
  if (error !== null) return <Failed error={error} />;
  const hours = value?.data ?? [];
  const [first, newest] = [hours[0], hours.at(-1)];
  if (first === undefined || newest === undefined) return null;
  const fresh = hours.filter(({ isFinal }) => !isFinal);
  const sum = (of: (hour: ClickHour) => number | null) =>
    hours.some((hour) => of(hour) === null) ? null : sumOf(hours, (hour) => of(hour) ?? 0);
  return (
    <Section
      title="Newest 24 hours"
      cover={`Search Console, web, ${days(first.hour, newest.hour)}, Pacific time; in no other number`}
    >
      <p>
        {counted(sum(({ clicks }) => clicks) ?? 0, 'click')} and{' '}
        {counted(sum(({ impressions }) => impressions) ?? 0, 'impression')}; the same hours a week before had{' '}
        {number(sum(({ previousClicks }) => previousClicks))} and{' '}
        {number(sum(({ previousImpressions }) => previousImpressions))}.{' '}
        {fresh.length === 0
          ? 'These are fresh numbers, which may still change.'
          : `The last ${counted(fresh.length, 'hour')} ${fresh.length === 1 ? 'is' : 'are'} incomplete: the numbers will grow.`}
      </p>
      <Chart
        label="Clicks by the hour"
        dates={hours.map(({ hour }) => hour)}
        lines={[
          { name: 'newest 24 hours', isOwn: true, values: hours.map(({ clicks }) => clicks) },
          { name: 'a week before', values: hours.map(({ previousClicks }) => previousClicks) },
        ]}
        marks={fresh.slice(0, 1).map(({ hour }) => ({ date: hour, text: 'incomplete from here on' }))}
        format={(of) => number(of)}
        hasLegend
        height={140}
      />
    </Section>
  );
}

const regions = new Intl.DisplayNames('en', { type: 'region' });

/** `usa` as `United States`. */
function countryName(alpha3: string): string {
  const code = countryOfAlpha3(alpha3);
  return code === null ? 'unknown' : (regions.of(code) ?? code);
}

/** The name of a change, which leads to its keywords where some are tracked. */
function useRowName(by: ClickChangesBy, untracked: readonly UntrackedQuery[]): (row: Change) => ReactNode {
  const pagePath = usePagePath();
  const others = new Set(untracked.map(({ query }) => query));
  return ({ name }) => {
    if (by === 'page')
      return (
        <a href={pagePath('keywords', { url: exactUrl(name) })} title={name}>
          <bdi>{pathOfUrl(name)}</bdi>
        </a>
      );
    if (by === 'country') return countryName(name);
    if (by === 'device') return name === 'mobile' ? 'phone' : name;
    if (others.has(name)) return <bdi>{name}</bdi>;
    return (
      <a href={pagePath('keywords', { q: exactKeyword(name) })}>
        <bdi>{name}</bdi>
      </a>
    );
  };
}

export function ChangeTable({
  by,
  rows,
  untracked,
  name = 'sort',
}: {
  readonly name?: string;
  readonly by: ClickChangesBy;
  readonly rows: readonly Change[];
  readonly untracked: readonly UntrackedQuery[];
}): ReactNode {
  return (
    <div className="click-changes">
      <PlainTable
        caption={`Changes of clicks by ${by}`}
        columns={useChangeColumns(by, untracked)}
        rows={rows}
        keyOf={({ name: of }) => of}
        name={name}
        shownMax={20}
      />
    </div>
  );
}

function useChangeColumns(by: ClickChangesBy, untracked: readonly UntrackedQuery[]): readonly PlainColumn<Change>[] {
  const name = useRowName(by, untracked);
  const effect = (key: string, label: string, about: string, value: (row: Change) => number): PlainColumn<Change> => ({
    name: key,
    label,
    about,
    isNumber: true,
    value,
    cell: (row) => (Math.round(value(row)) === 0 ? <span className="quiet">0</span> : signed(value(row))),
  });
  return [
    {
      name: 'name',
      label: { query: 'Query', page: 'Page', country: 'Country', device: 'Device' }[by],
      isWide: by === 'page',
      value: ({ name: of }) => of,
      cell: name,
    },
    { name: 'clicks', label: 'Clicks', isNumber: true, isMain: true, value: ({ clicks }) => clicks },
    {
      name: 'change',
      label: 'Change',
      isNumber: true,
      value: ({ change }) => change,
      cell: ({ change }) => <Delta value={change} />,
    },
    {
      name: 'cause',
      label: 'Mostly',
      value: (row) => causeText(row, by),
      isWide: true,
      cell: (row) => <span className="soft">{causeText(row, by)}</span>,
    },
    effect(
      'demand',
      'Demand',
      'Clicks by more or fewer impressions of known queries',
      (row) => row.demand - row.newOrLost,
    ),
    effect(
      'new',
      'New or lost',
      'Clicks of queries that have impressions in one of the periods only',
      ({ newOrLost }) => newOrLost,
    ),
    effect('rank', 'Rank', 'Clicks by better or worse positions', ({ rank }) => rank),
    effect('rate', 'Rate', 'Clicks that the position does not explain', ({ rate }) => rate),
    {
      name: 'position',
      label: 'Position',
      about: 'Average position of the impressions: not a rank',
      isNumber: true,
      isLowerBetter: true,
      isMinor: true,
      value: ({ averagePosition }) => averagePosition,
      decimals: 1,
    },
  ];
}

/** Those with the most clicks. */
const rowsMax = 500;
const againstFields =
  'id,keyword,country,language,device,location,rank,searchVolume,estimatedClicks,measuredClicks,impressions,averagePosition';

/** Rows with measured clicks: where the estimates are far off. */
function Against(): ReactNode {
  const keywordPath = useKeywordPath();
  const rows = useProjectAnswer<List<KeywordRow>>('keywords', 'table', {
    sort: '-measuredClicks',
    limit: `${rowsMax}`,
    fields: againstFields,
  });
  if (rows.error !== null || rows.value === undefined) return <Unread error={rows.error} shape="rows" />;
  const measured = rows.value.data.filter(({ measuredClicks }) => measuredClicks !== null);
  if (measured.length === 0) return null;
  const gap = ({ measuredClicks, estimatedClicks }: KeywordRow) =>
    measuredClicks === null || estimatedClicks === null ? null : measuredClicks - estimatedClicks;
  const columns: readonly PlainColumn<KeywordRow>[] = [
    keywordColumn(keywordPath),
    { name: 'rank', label: 'Rank', isNumber: true, isLowerBetter: true, value: ({ rank }) => rank },
    {
      name: 'position',
      label: 'Average position',
      isNumber: true,
      isLowerBetter: true,
      value: ({ averagePosition }) => averagePosition,
      decimals: 1,
    },
    { name: 'volume', label: 'Searches', isNumber: true, isMinor: true, value: ({ searchVolume }) => searchVolume },
    { name: 'impressions', label: 'Impressions', isNumber: true, value: ({ impressions }) => impressions },
    { name: 'estimated', label: 'Estimated', isNumber: true, value: ({ estimatedClicks }) => estimatedClicks },
    { name: 'measured', label: 'Measured', isNumber: true, value: ({ measuredClicks }) => measuredClicks },
    {
      name: 'gap',
      label: 'Difference',
      about: 'Measured in 28 days less estimated for a month',
      isNumber: true,
      value: gap,
      cell: (row) => {
        const of = gap(row);
        return of === null ? '–' : <Delta value={of} isNeutral />;
      },
    },
  ];
  return (
    <Section
      title="Measured against estimated"
      cover={`${measured.length === rowsMax ? 'the most clicked of ' : ''}${counted(rows.value.total, 'row')}, in 28 days`}
    >
      <PlainTable
        caption="Measured and estimated clicks"
        columns={columns}
        rows={measured}
        keyOf={({ id }) => id}
        name="sort2"
        initial="-measured"
        shownMax={10}
      />
    </Section>
  );
}
