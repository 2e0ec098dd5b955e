// Where is it? The same chart for each tag, market, device or view, and all their sums in a table.
import { keepPreviousData, useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { SegmentKind } from '../../../read/contract.ts';
import { fields } from '../../../read/fields.ts';
import type { ProjectFacts, Segment, SeriesAnswer } from '../../../read/records.ts';
import { pathTo, useAddress, useChangeQuery } from '../address.ts';
import { type Answer, type ApiError, apiPath, type List, read, takes } from '../api.ts';
import { Chart, SharedCursor, sharedDomain } from '../parts/chart.tsx';
import { ClicksNote } from '../parts/clicks-note.tsx';
import { ExportMenu } from '../parts/export-menu.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { Delta, Percent } from '../parts/numbers.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { type PlainColumn, PlainTable } from '../parts/plain-table.tsx';
import { Section } from '../parts/section.tsx';
import { Empty, Unread } from '../parts/states.tsx';
import { Switch, useChoice } from '../parts/switch.tsx';
import { useProject, useProjectAnswer } from '../project.tsx';
import { counted, marketWords, number, percentText, percentTick, plain, shortUrl } from '../words.ts';

const kinds = [
  { value: 'tag', label: 'Tags', one: 'tag' },
  { value: 'market', label: 'Markets', one: 'market' },
  { value: 'device', label: 'Devices', one: 'device' },
  { value: 'country', label: 'Countries', one: 'country' },
  { value: 'target', label: 'Targets', one: 'target' },
  { value: 'intent', label: 'Intents', one: 'intent' },
  { value: 'view', label: 'Saved views', one: 'view' },
] as const satisfies readonly { readonly value: SegmentKind; readonly label: string; readonly one: string }[];

const measures = [
  { value: 'visibility', label: 'Visibility' },
  { value: 'rank', label: 'Average rank' },
  { value: 'clicks', label: 'Clicks' },
] as const;
type Measure = (typeof measures)[number]['value'];

const scales = [
  { value: 'one', label: 'One scale' },
  { value: 'own', label: 'Own scales' },
] as const;

/** Each chart is a request. */
const chartsMax = 12;

export function Segments(): ReactNode {
  const by = useChoice('by', kinds) ?? 'tag';
  // another kind has no earlier answer: a tag is no device
  return <SegmentsOf key={by} by={by} />;
}

function SegmentsOf({ by }: { readonly by: SegmentKind }): ReactNode {
  const segments = useProjectAnswer<List<Segment>>('segments', 'table', { by, limit: 'all' });
  if (segments.error !== null || segments.value === undefined) return <Unread error={segments.error} shape="page" />;
  const { data } = segments.value;
  return (
    <SharedCursor>
      <Head by={by} segments={data} />
      <FilterBar />
      {data.length === 0 ? <None by={by} /> : <Shown by={by} segments={data} />}
    </SharedCursor>
  );
}

interface Props {
  readonly by: SegmentKind;
  readonly segments: readonly Segment[];
}

function Head({ by, segments }: Props): ReactNode {
  const { period } = useProject();
  const many = kinds.find(({ value }) => value === by)?.label.toLowerCase() ?? 'segments';
  const one = kinds.find(({ value }) => value === by)?.one ?? 'segment';
  const isRank = segments.every(({ visibility }) => visibility === null);
  const changeOf = (of: Segment) => (isRank ? of.averageRankChange : of.visibilityChange) ?? 0;
  const moved = segments
    .filter((of) => Number(changeOf(of).toFixed(1)) !== 0)
    .toSorted((a, b) => changeOf(b) - changeOf(a));
  const best = moved.find((of) => changeOf(of) > 0);
  const worst = moved.findLast((of) => changeOf(of) < 0);
  const what = isRank ? 'the average rank' : 'visibility';
  const unit = isRank ? 'ranks' : 'points';
  const isNamed = (best ?? worst)?.segment !== '';
  const prefix = !isNamed ? 'Rows ' : by === 'tag' ? 'Tag ' : by === 'view' ? 'View ' : by === 'device' ? 'On ' : '';
  const named = (of: Segment) => `${nameOf(by, of)} ${points(changeOf(of))}`;
  const title =
    best !== undefined && worst !== undefined
      ? `${prefix}${named(best)} ${unit}, ${named(worst)}`
      : best !== undefined
        ? `${prefix}${named(best)} ${unit}, none fell`
        : worst !== undefined
          ? `${prefix}${named(worst)} ${unit}, none rose`
          : segments.length === 0
            ? 'Segments'
            : `No ${one} moved`;
  return (
    <div>
      <PageTitle>{title}</PageTitle>
      <p className="sub">
        {best !== undefined && worst !== undefined ? `the largest gain and loss of ${what}` : what} ·{' '}
        {counted(segments.length, one, many)} · vs. {period.comparedWith}
      </p>
      <div className="segments-kinds">
        <Switch name="by" label="Kind of segment" options={kinds} clears={['sort', 'rows', 'charts']} />
      </div>
    </div>
  );
}

function points(change: number): string {
  return `${change > 0 ? 'rose' : 'fell'} ${Math.abs(change).toFixed(1)}`;
}

function None({ by }: { readonly by: SegmentKind }): ReactNode {
  if (by === 'view')
    return (
      <Empty title="This project has no saved views">
        <p>
          Write them into the config: <code>{'views: [{ name: On phones, query: "?device=mobile" }]'}</code>
        </p>
      </Empty>
    );
  return (
    <Empty title="No keyword passes these filters">
      <p>Remove a filter above.</p>
    </Empty>
  );
}

/** The name of a segment as people say it. */
function nameOf(by: SegmentKind, { segment }: Pick<Segment, 'segment'>): string {
  if (segment === '') return by === 'intent' ? 'without an intent' : 'without a tag';
  if (by === 'device') return segment === 'mobile' ? 'phone' : segment;
  if (by === 'target') return shortUrl(segment);
  if (by !== 'market') return plain(segment);
  const [country = '', language = '', device = '', ...location] = segment.split(' ');
  return `${marketWords({ country, language, device, location: location.join(' ') })}${device === 'desktop' ? ' desktop' : ''}`;
}

/** The query with the filter of a segment. The one without a name has the rows without a tag or intent. */
function segmentQuery(
  query: URLSearchParams,
  by: SegmentKind,
  segment: string,
  { tags, views }: ProjectFacts,
): URLSearchParams {
  const next = new URLSearchParams(query);
  if (by === 'view') {
    const saved = new URLSearchParams(views.find(({ name }) => name === segment)?.query ?? '');
    for (const name of new Set(saved.keys())) if (name !== 'tag') next.delete(name);
    for (const [name, value] of saved) next.append(name, value);
    return next;
  }
  const none = (values: readonly string[]) => values.map((value) => `!${value}`).join('|');
  const value = segment !== '' ? segment : none(by === 'tag' ? tags : fields.intent.values);
  // a second tag narrows, any other filter is replaced
  if (by === 'tag') next.append('tag', value);
  else next.set(by, value);
  return next;
}

function useSegmentPath(by: SegmentKind): (of: Segment, more?: Readonly<Record<string, string>>) => string {
  const { facts, name } = useProject();
  const { query } = useAddress();
  const shared = new URLSearchParams([...query].filter(([parameter]) => takes.chart.includes(parameter)));
  return ({ segment }, more = {}) => {
    const next = segmentQuery(shared, by, segment, facts);
    for (const [parameter, value] of Object.entries(more)) next.set(parameter, value);
    return pathTo(name, 'keywords', next);
  };
}

function Shown({ by, segments }: Props): ReactNode {
  const { name, facts, asked } = useProject();
  const columns = useColumns(by);
  return (
    <>
      <Multiples by={by} segments={segments} />
      <Section
        title="All sums"
        cover={`changes at equal searches a month${by === 'tag' || by === 'view' ? ' · a row may be in several' : ''}`}
        end={
          <ExportMenu
            name={`by-${by}`}
            path={(parameters) => apiPath(name, 'segments', asked, 'table', { by, ...parameters })}
          />
        }
      >
        <PlainTable
          caption={counted(segments.length, 'segment')}
          columns={columns}
          rows={segments}
          keyOf={({ segment }) => segment}
          initial="-rows"
        />
        <ClicksNote facts={facts.clicks} />
      </Section>
    </>
  );
}

interface SeriesRead extends Pick<Answer<SeriesAnswer>, 'value' | 'error'> {
  readonly segment: Segment;
}

/** The series of these segments. */
function useSeries(by: SegmentKind, segments: readonly Segment[]): readonly SeriesRead[] {
  const { name, facts, asked } = useProject();
  const answers = useQueries({
    queries: segments.map(({ segment }) => {
      const path = apiPath(name, 'series', segmentQuery(asked, by, segment, facts), 'chart');
      return {
        queryKey: [path],
        // the API has this shape: src/read/records.ts
        queryFn: ({ signal }: { signal: AbortSignal }) => read(path, signal) as Promise<SeriesAnswer>,
        placeholderData: keepPreviousData,
      };
    }),
  });
  return segments.map((segment, index) => {
    const { data: value, error } = answers[index] ?? { data: undefined, error: null };
    return { segment, value, error: error as ApiError | null }; // `read` rejects with it
  });
}

function valuesOf(measure: Measure, { visibility, averageRank, estimatedClicks }: SeriesAnswer) {
  return { visibility, rank: averageRank, clicks: estimatedClicks }[measure];
}

/** Charts with one axis: what is higher on the page is higher in numbers. */
function Multiples({ by, segments }: Props): ReactNode {
  const { query } = useAddress();
  const change = useChangeQuery();
  const hasVisibility = segments.some(({ visibility }) => visibility !== null);
  // places and keywords without volumes have ranks only
  const options = hasVisibility ? measures : measures.filter(({ value }) => value === 'rank');
  const measure: Measure = useChoice('measure', options) ?? 'rank';
  const count = Math.max(chartsMax, Number(query.get('charts')) || 0);
  const shown = segments.slice(0, count);
  const reads = useSeries(by, shown);
  const all = reads.flatMap(({ value }) => (value === undefined ? [] : valuesOf(measure, value)));
  const isOneScale = useChoice('scale', scales) === 'one';
  const domain = isOneScale
    ? sharedDomain(all, measure === 'rank', measure === 'visibility' ? 100 : undefined)
    : undefined;
  return (
    <Section
      title={measures.find(({ value }) => value === measure)?.label ?? ''}
      cover={`${measure === 'clicks' ? 'a month, estimated' : measure === 'rank' ? '1 is on top' : 'percent'} · ${isOneScale ? 'all on one scale' : 'each on its own scale'}`}
      end={
        <>
          <Switch name="scale" label="Scale of the charts" options={scales} />
          {options.length > 1 && <Switch name="measure" label="What the charts show" options={options} />}
        </>
      }
    >
      <ul className="segments-charts">
        {reads.map((read) => (
          <Multiple key={read.segment.segment} by={by} read={read} measure={measure} domain={domain} />
        ))}
      </ul>
      {segments.length > count && (
        <p className="screen-only plain-more">
          <button type="button" className="button" onClick={() => change({ charts: `${count + chartsMax}` })}>
            Draw {number(Math.min(chartsMax, segments.length - count))} more
          </button>{' '}
          <span className="cover">
            {number(count)} of {number(segments.length)}, the largest first
          </span>
        </p>
      )}
    </Section>
  );
}

interface MultipleProps {
  readonly by: SegmentKind;
  readonly read: SeriesRead;
  readonly measure: Measure;
  readonly domain: readonly [number, number] | undefined;
}

function Multiple({ by, read: { segment, value: series, error }, measure, domain }: MultipleProps): ReactNode {
  const path = useSegmentPath(by)(segment);
  const name = nameOf(by, segment);
  const values = series === undefined ? [] : valuesOf(measure, series);
  return (
    <li className="stack gap-half">
      <h3 className="cut">
        <a href={path}>
          <bdi>{name}</bdi>
        </a>
      </h3>
      <p>
        <Newest segment={segment} measure={measure} />
        <span className="cover">
          {segment.checked === segment.total
            ? counted(segment.total, 'row')
            : `checked ${number(segment.checked)} of ${number(segment.total)}`}
        </span>
      </p>
      {series === undefined ? (
        <Unread shape="chart" error={error} />
      ) : values.every((value) => value === null) ? (
        <p className="segments-none cover">No value in this period</p>
      ) : (
        <Chart
          isSmall
          hasNoEnds
          height={116}
          isRank={measure === 'rank'}
          domain={domain}
          label={`${name}, ${measures.find(({ value }) => value === measure)?.label.toLowerCase()}`}
          dates={series.dates}
          lines={[{ name, values, isOwn: true }]}
          format={measure === 'visibility' ? percentText : (of) => number(of, measure === 'rank' ? 1 : 0)}
          tick={measure === 'visibility' ? percentTick : shortNumber}
        />
      )}
    </li>
  );
}

/** `12k`: on the axis of a small chart. */
function shortNumber(value: number): string {
  return value.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 1 });
}

function Newest({ segment, measure }: Pick<MultipleProps, 'measure'> & Pick<SeriesRead, 'segment'>): ReactNode {
  const { visibility, visibilityChange, averageRank, averageRankChange, estimatedClicks, estimatedClicksChange } =
    segment;
  if (measure === 'rank')
    return (
      <>
        <b>{number(averageRank, 1)}</b> <Delta value={averageRankChange} digits={1} />
      </>
    );
  if (measure === 'clicks')
    return (
      <>
        <b>{number(estimatedClicks)}</b> <Delta value={estimatedClicksChange} />
      </>
    );
  return (
    <>
      <b>
        <Percent value={visibility} />
      </b>{' '}
      <Delta value={visibilityChange} digits={1} />
    </>
  );
}

function useColumns(by: SegmentKind): readonly PlainColumn<Segment>[] {
  const { facts } = useProject();
  const path = useSegmentPath(by);
  const link = (of: Segment, count: number | null, more: Readonly<Record<string, string>> = {}) =>
    count ? <a href={path(of, more)}>{number(count)}</a> : <span className="quiet">{number(count)}</span>;
  const plainNumber = (name: string, label: string, value: (of: Segment) => number | null): PlainColumn<Segment> => ({
    name,
    label,
    isNumber: true,
    value,
  });
  const change = (name: string, value: (of: Segment) => number | null, digits: number): PlainColumn<Segment> => ({
    name,
    label: 'Change',
    isNumber: true,
    value,
    cell: (of) => (value(of) === null ? '–' : <Delta value={value(of)} digits={digits} />),
  });
  const counts = (
    name: string,
    label: string,
    value: (of: Segment) => number | null,
    more: Readonly<Record<string, string>>,
  ): PlainColumn<Segment> => ({
    name,
    label,
    isNumber: true,
    isMinor: true,
    value,
    cell: (of) => link(of, value(of), more),
  });
  return [
    {
      name: 'segment',
      label: kinds.find(({ value }) => value === by)?.one.replace(/^./, (first) => first.toUpperCase()) ?? 'Segment',
      value: (of) => nameOf(by, of),
      cell: (of) => (
        <a href={path(of)}>
          <bdi>{nameOf(by, of)}</bdi>
        </a>
      ),
    },
    {
      name: 'rows',
      label: 'Rows',
      isNumber: true,
      value: ({ total }) => total,
      cell: (of) => (
        <>
          {of.checked < of.total && <span className="cover">{number(of.checked)} checked of </span>}
          {link(of, of.total)}
        </>
      ),
    },
    {
      ...plainNumber('visibility', 'Visibility', ({ visibility }) => visibility),
      cell: ({ visibility }) => <Percent value={visibility} />,
    },
    change('visibilityChange', ({ visibilityChange }) => visibilityChange, 1),
    {
      ...plainNumber('rank', 'Average rank', ({ averageRank }) => averageRank),
      isLowerBetter: true,
      cell: ({ averageRank }) => number(averageRank, 1),
    },
    change('rankChange', ({ averageRankChange }) => averageRankChange, 1),
    plainNumber('clicks', 'Clicks', ({ estimatedClicks }) => estimatedClicks),
    change('clicksChange', ({ estimatedClicksChange }) => estimatedClicksChange, 0),
    ...(facts.clicks === undefined
      ? []
      : [
          plainNumber('measured', 'Measured clicks', ({ measuredClicks }) => measuredClicks),
          { ...plainNumber('impressions', 'Impressions', ({ impressions }) => impressions), isMinor: true },
        ]),
    counts('top3', 'Top 3', ({ top3 }) => top3, { rank: '1..3' }),
    counts('top10', 'Top 10', ({ top10 }) => top10, { rank: '1..10' }),
    counts('notFound', 'Not found', ({ buckets }) => buckets.not_found, { bucket: 'not_found' }),
    counts('up', 'Up', ({ changes }) => changes.improved + changes.entered, { change: 'improved|entered' }),
    counts('down', 'Down', ({ changes }) => changes.declined + changes.dropped, { change: 'declined|dropped' }),
  ];
}
