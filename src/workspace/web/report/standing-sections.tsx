// The sections about others and about parts: share against competitors, markets and tags.
import type { ReactNode } from 'react';
import type { CompetitorSummary, PageData, PageSums } from '../../../report/html/data/page-data.ts';
import { buckets } from '../../../tracker/changes/visibility.ts';
import { pathTo } from '../address.ts';
import { Chart } from '../parts/chart.tsx';
import { DayBars } from '../parts/day-bars.tsx';
import { Delta, Percent } from '../parts/numbers.tsx';
import { type PlainColumn, PlainTable } from '../parts/plain-table.tsx';
import { useProject } from '../project.tsx';
import { bucketText, counted, marketWords, number, percentText, percentTick, shortUrl } from '../words.ts';
import { type ReportProps, TableLink } from './table-link.tsx';

const linesMax = 6;

export function Competitors({ facts, data }: ReportProps): ReactNode {
  const { standings } = data.project;
  const compared = standings.some(({ isOwn }) => !isOwn);
  return (
    <>
      <ShareOverTime data={data} />
      <PlainTable
        caption="Own targets and competitors"
        columns={standingColumns(standings)}
        rows={standings}
        keyOf={({ target }) => target}
        name="sort6"
        initial="-visibility"
        isChosen={({ isOwn }) => isOwn}
      />
      <p className="cover">
        All sites over the same complete checks.
        {compared && ' Above us: searches in which the site ranks better than our best target.'}{' '}
        <TableLink facts={facts} table="competitors" />
      </p>
    </>
  );
}

function ShareOverTime({ data: { axis, charts, marks } }: { readonly data: PageData }): ReactNode {
  const known = charts.shareOfVoice.filter(({ values }) => values.some((value) => value !== null));
  if (known.length === 0) return null;
  const newest = (values: readonly (number | null)[]) => values.findLast((value) => value !== null) ?? 0;
  const own = known.filter(({ isOwn }) => isOwn).slice(0, 1);
  const others = known.filter(({ isOwn }) => !isOwn).toSorted((a, b) => newest(b.values) - newest(a.values));
  return (
    <div>
      <h3>
        Share of voice <span className="aside">percent of the clicks of all domains on the same pages</span>
      </h3>
      <Chart
        label="Share of voice, percent"
        hasLegend
        dates={axis.dates}
        lines={[...own, ...others.slice(0, linesMax)].map(({ target, isOwn, values, of }) => ({
          name: shortUrl(target),
          isOwn,
          values,
          over: of,
        }))}
        marks={marks}
        format={percentText}
        tick={percentTick}
        height={210}
      />
    </div>
  );
}

type Column = PlainColumn<CompetitorSummary>;

function standingColumns(standings: readonly CompetitorSummary[]): readonly Column[] {
  const compared = standings.some(({ wins }) => wins !== null);
  const hasShare = standings.some(({ shareOfVoice }) => shareOfVoice !== null);
  const change = (name: string, value: (of: CompetitorSummary) => number | null): Column => ({
    name,
    label: 'Change',
    isNumber: true,
    value,
    cell: (of) => (value(of) === null ? '–' : <Delta value={value(of)} digits={1} isNeutral={!of.isOwn} />),
  });
  const count = (name: string, label: string, value: (of: CompetitorSummary) => number | null): Column => ({
    name,
    label,
    isNumber: true,
    value,
  });
  const columns: readonly (Column | false)[] = [
    {
      name: 'site',
      label: 'Site',
      value: ({ target }) => shortUrl(target),
      cell: ({ target, isOwn }) => (
        <>
          <bdi>{shortUrl(target)}</bdi>
          {isOwn && <span className="aside"> ours</span>}
        </>
      ),
    },
    {
      name: 'visibility',
      label: 'Visibility',
      isNumber: true,
      value: ({ visibility }) => visibility,
      cell: ({ visibility }) => <Percent value={visibility} />,
    },
    change('visibility-change', ({ visibilityChange }) => visibilityChange),
    hasShare && {
      name: 'share',
      label: 'Share of voice',
      isNumber: true,
      value: ({ shareOfVoice }) => shareOfVoice,
      cell: ({ shareOfVoice }) => <Percent value={shareOfVoice} />,
    },
    hasShare && change('share-change', ({ shareOfVoiceChange }) => shareOfVoiceChange),
    {
      name: 'rank',
      label: 'Average rank',
      isNumber: true,
      isLowerBetter: true,
      value: ({ averageRank }) => averageRank,
      decimals: 1,
    },
    count('top3', 'Top 3', ({ top3 }) => top3),
    count('top10', 'Top 10', ({ top10 }) => top10),
    compared && count('above', 'Above us', ({ losses }) => losses),
    compared && count('below', 'Below us', ({ wins }) => wins),
    {
      name: 'covers',
      label: 'Covers',
      about:
        'Rows with a complete check; in brackets those that were not read to the full depth and do not show the site',
      isNumber: true,
      value: ({ checked }) => checked,
      cell: ({ checked, notFollowed }) => (
        <span className="cover">
          {number(checked)}
          {notFollowed > 0 && ` (${number(notFollowed)})`}
        </span>
      ),
    },
  ];
  return columns.filter((column) => column !== false);
}

/** As wide in each row: the numbers before it stand below each other. */
function SumChange({ value, digits = 0 }: { readonly value: number | null; readonly digits?: number }): ReactNode {
  return (
    <span className="sum-change">
      <Delta value={value} digits={digits} />
    </span>
  );
}

const sumColumns: readonly PlainColumn<PageSums>[] = [
  {
    name: 'rows',
    label: 'Rows',
    isNumber: true,
    value: ({ total }) => total,
    cell: ({ total, checked }) => (
      <>
        {checked < total && <span className="cover">{number(checked)} of </span>}
        {number(total)}
      </>
    ),
  },
  {
    name: 'visibility',
    label: 'Visibility',
    isNumber: true,
    value: ({ visibility }) => visibility,
    cell: ({ visibility, visibilityChange }) => (
      <>
        <Percent value={visibility} /> <SumChange value={visibilityChange} digits={1} />
      </>
    ),
  },
  {
    name: 'rank',
    label: 'Average rank',
    isNumber: true,
    isLowerBetter: true,
    value: ({ averageRank }) => averageRank,
    cell: ({ averageRank, averageRankChange }) => (
      <>
        {number(averageRank, 1)} <SumChange value={averageRankChange} digits={1} />
      </>
    ),
  },
  { name: 'top10', label: 'Top 10', isNumber: true, value: ({ top10 }) => top10 },
  {
    name: 'clicks',
    label: 'Clicks',
    isNumber: true,
    value: ({ estimatedClicks }) => estimatedClicks,
    cell: ({ estimatedClicks, estimatedClicksChange }) => (
      <>
        {number(estimatedClicks)} <SumChange value={estimatedClicksChange} />
      </>
    ),
  },
];

/** The headline numbers of every own target. */
export function TargetNumbers({ sums }: { readonly sums: readonly PageSums[] }): ReactNode {
  const { name } = useProject();
  return (
    <>
      <PlainTable
        caption="Headline numbers of own targets"
        columns={[
          {
            name: 'target',
            label: 'Own target',
            value: ({ target }) => target,
            cell: ({ target }) => (
              <a href={pathTo(name, 'keywords', { target })}>
                <bdi>{shortUrl(target)}</bdi>
              </a>
            ),
          },
          ...sumColumns,
        ]}
        rows={sums}
        keyOf={({ target }) => target}
        name="sort9"
      />
      <p className="cover">Changes of visibility and clicks are at equal searches a month.</p>
    </>
  );
}

/** The rank buckets of the first own target, over all its rows. */
export function Distribution({ data: { axis, charts } }: { readonly data: PageData }): ReactNode {
  if (charts.total < 2 || axis.dates.length === 0) return null;
  const lines = buckets.map((name, index) => ({
    name: bucketText(name),
    values: charts.distribution[index] ?? [],
    ...(name === 'unknown' ? { isUnproven: true } : { colour: bucketColour(name) }),
  }));
  return (
    <section className="report-distribution" aria-labelledby="distribution">
      <h2 id="distribution">
        Ranks{' '}
        <span className="aside">
          {counted(charts.total, 'row')} tracked now · {number(charts.checked.at(-1))} checked on the newest date
        </span>
      </h2>
      <DayBars
        hasNames
        label="Rows by rank"
        dates={axis.dates}
        lines={lines.filter(({ values }) => values.some(Boolean))}
        format={(rows) => number(rows)}
        height={210}
      />
    </section>
  );
}

/** As in the bar of the newest date. */
function bucketColour(bucket: string): string {
  if (bucket === 'not_found') return 'var(--outline)';
  const depths: Readonly<Record<string, number>> = { '2-3': 82, '4-10': 64, '11-20': 46, '21-50': 32, '51-100': 20 };
  return `color-mix(in oklab, var(--accent) ${depths[bucket] ?? 100}%, var(--hairline))`;
}

export function Segments({ facts, data: { project } }: ReportProps): ReactNode {
  const { sums } = project;
  const targets = [...new Set(sums.map(({ target }) => target))];
  const tables = targets.map((target) => (
    <SegmentTables key={target} sums={sums.filter((of) => of.target === target)} isOne={targets.length === 1} />
  ));
  return (
    <>
      {tables[0]}
      {tables.length > 1 && (
        <details className="screen-only">
          <summary>{counted(tables.length - 1, 'more own target')}</summary>
          {tables.slice(1)}
        </details>
      )}
      <p className="cover">
        A row may have several tags. <TableLink facts={facts} table="summary" />
      </p>
    </>
  );
}

function SegmentTables({ sums, isOne }: { readonly sums: readonly PageSums[]; readonly isOne: boolean }): ReactNode {
  const [markets, tags] = [sums.filter(({ by }) => by === 'market'), sums.filter(({ by }) => by === 'tag')];
  return (
    <div className="report-segment-tables">
      {!isOne && (
        <h3>
          <bdi>{shortUrl(sums[0]?.target ?? '')}</bdi>
        </h3>
      )}
      {markets.length > 1 && <SegmentTable sums={markets} by="market" label="Market" isOne={isOne} />}
      {tags.length > 0 && <SegmentTable sums={tags} by="tag" label="Tag" isOne={isOne} />}
    </div>
  );
}

interface SegmentTableProps {
  readonly sums: readonly PageSums[];
  readonly by: 'market' | 'tag';
  readonly label: string;
  readonly isOne: boolean;
}

function SegmentTable({ sums, by, label, isOne }: SegmentTableProps): ReactNode {
  const { name, facts } = useProject();
  const path = ({ target, segment }: PageSums) => {
    const value = segment === '' ? facts.tags.map((tag) => `!${tag}`).join('|') : segment;
    return pathTo(name, 'keywords', { ...(isOne ? {} : { target }), [by]: value });
  };
  const columns: readonly PlainColumn<PageSums>[] = [
    {
      name: 'segment',
      label,
      value: (of) => segmentName(of),
      cell: (of) => (
        <a href={path(of)}>
          <bdi>{segmentName(of)}</bdi>
        </a>
      ),
    },
    ...sumColumns,
  ];
  return (
    <PlainTable
      caption={`${label}s`}
      columns={columns}
      rows={sums}
      keyOf={({ segment }) => segment}
      name={by === 'market' ? 'sort7' : 'sort8'}
      initial="-rows"
      shownMax={10}
    />
  );
}

function segmentName({ by, segment }: PageSums): string {
  if (by === 'tag') return segment === '' ? 'without a tag' : segment;
  const [country = '', language = '', device = '', ...location] = segment.split(' ');
  const name = marketWords({ country, language, device, location: location.join(' ') });
  return device === 'desktop' ? `${name} desktop` : name;
}
