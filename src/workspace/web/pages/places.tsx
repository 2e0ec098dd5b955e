// How does it rank across the city? One keyword on the map of the grid, its sums over time, and all keywords.
import { type ReactNode, useEffect } from 'react';
import type { GridMapAnswer, GridPoint, GridSums } from '../../../read/records.ts';
import { changed, goTo, pathTo, useAddress, useChangeQuery } from '../address.ts';
import { apiPath, type List } from '../api.ts';
import { exactKeyword } from '../filters.ts';
import { rankWords, sidesOf, whereText } from '../grid-points.ts';
import { Chart, SharedCursor } from '../parts/chart.tsx';
import { ExportMenu } from '../parts/export-menu.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { FindingList } from '../parts/finding-list.tsx';
import { GridChart } from '../parts/grid-chart.tsx';
import { ActionMenu } from '../parts/menu.tsx';
import { Delta, Figure, Percent } from '../parts/numbers.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { type PlainColumn, PlainTable } from '../parts/plain-table.tsx';
import { Section } from '../parts/section.tsx';
import { Answered, Empty, Unread, Waiting } from '../parts/states.tsx';
import { Switch, useChoice } from '../parts/switch.tsx';
import { SiteAndPath } from '../parts/url.tsx';
import { useKeywordPath, usePagePath, useProject, useProjectAnswer } from '../project.tsx';
import { counted, day, number, percent, percentText, percentTick, plain, shortUrl } from '../words.ts';

const measures = [
  { value: 'rank', label: 'Rank' },
  { value: 'change', label: 'Change' },
] as const;

export function Places(): ReactNode {
  const { facts } = useProject();
  const { query } = useAddress();
  const hasGrid = facts.grid !== undefined;
  const maps = useProjectAnswer<List<GridSums>>(hasGrid ? 'grids' : null, 'table', { limit: 'all' });
  if (!hasGrid)
    return (
      <Empty heading="Places" title="This project has no grid">
        <p>
          Write one into its market, and the next run checks every point:{' '}
          <code>{'market: { grid: { center: "30.2672,-97.7431", size: 7, spacing: 1km } }'}</code>
        </p>
      </Empty>
    );
  if (maps.error !== null || maps.value === undefined) return <Unread error={maps.error} shape="page" />;
  const { data } = maps.value;
  const chosen = data.find(({ id }) => id === query.get('map')) ?? mostChecked(data);
  return (
    <SharedCursor>
      {chosen === undefined ? (
        <>
          <PageTitle>Places</PageTitle>
          <FilterBar />
          <Empty title="No keyword of the grid passes these filters">
            <p>Remove a filter above.</p>
          </Empty>
        </>
      ) : (
        <>
          <OneMap key={chosen.id} chosen={chosen} maps={data} />
          <FilterBar />
          <AllMaps chosen={chosen} maps={data} />
        </>
      )}
    </SharedCursor>
  );
}

/** The page's old name in addresses. */
export function OldPlaces(): ReactNode {
  const { project, query } = useAddress();
  useEffect(() => goTo(pathTo(project, 'places', query), { replace: true }), [project, query]);
  return <Waiting shape="page" />;
}

/** A map that shows something, before one that was not checked. */
export function mostChecked(maps: readonly GridSums[]): GridSums | undefined {
  return maps.toSorted((a, b) => Number(b.found > 0) - Number(a.found > 0) || b.checked - a.checked)[0];
}

interface MapsProps {
  readonly chosen: GridSums;
  readonly maps: readonly GridSums[];
}

/** A keyword as the other maps need it: with its device or target where these differ. */
function mapName({ keyword, device, target }: GridSums, maps: readonly GridSums[]): string {
  const differs = (of: (map: GridSums) => string) => new Set(maps.map(of)).size > 1;
  return [
    keyword,
    differs((map) => map.device) ? (device === 'mobile' ? 'phone' : device) : '',
    differs((map) => map.target) ? shortUrl(target) : '',
  ]
    .filter(Boolean)
    .join(', ');
}

function OneMap({ chosen, maps }: MapsProps): ReactNode {
  const { asked } = useProject();
  const change = useChangeQuery();
  const answer = useProjectAnswer<GridMapAnswer>(`grids/${encodeURIComponent(chosen.id)}`, 'nothing', {
    date: asked.get('date'),
    compare: asked.get('compare'),
  });
  const { keyword, device, target, date, checked, points, shareOfLocalVoice } = chosen;
  return (
    <>
      <div className="places-head">
        <div>
          <PageTitle>
            <bdi>{keyword}</bdi>
            {shareOfLocalVoice === null
              ? ' was not checked'
              : shareOfLocalVoice === 0
                ? ': in the top 3 nowhere'
                : `: in the top 3 at ${number((shareOfLocalVoice * checked) / 100)} of ${counted(checked, 'point')}`}
          </PageTitle>
          <p className="sub">
            {device === 'mobile' ? 'phone' : device} · <bdi>{shortUrl(target)}</bdi> · checked {number(checked)} of{' '}
            {counted(points, 'point')}
            {date !== null && ` on ${day(date)}`}
          </p>
        </div>
        <div className="places-choice across wraps end">
          {maps.length > 1 && (
            <ActionMenu
              label={
                <>
                  <span className="aside">Keyword</span> <bdi className="named-value">{mapName(chosen, maps)}</bdi>
                </>
              }
              actions={maps.map((map) => ({
                label: mapName(map, maps),
                isChosen: map.id === chosen.id,
                run: () => change({ map: map.id }),
              }))}
            />
          )}
          <Switch name="show" label="What the points show" options={measures} />
        </div>
      </div>
      <Answered answer={answer} shape="chart">
        {(value) => <Drawn map={value} />}
      </Answered>
    </>
  );
}

export function Drawn({ map }: { readonly map: GridMapAnswer }): ReactNode {
  const measure = useChoice('show', measures) ?? 'rank';
  const { keyword, target, date } = map;
  const what = measure === 'rank' ? 'Ranks' : 'Changes of rank';
  return (
    <>
      <div className="places-map side-by-side">
        <GridChart map={map} measure={measure} label={`${what} of ${target} for ${keyword} on ${day(date)}`} />
        <div className="places-side stack gap-4">
          <Sums map={map} />
          <Findings map={map} />
          <OverTime map={map} />
        </div>
      </div>
      <Points points={map.mapPoints} />
    </>
  );
}

function Sums({ map }: { readonly map: GridMapAnswer }): ReactNode {
  const { averageGridRank, averageGridRankChange, shareOfLocalVoice, shareOfLocalVoiceChange } = map;
  const { found, checked, comparable, averageRank } = map;
  return (
    <div className="figures">
      <Figure
        label="Share of local voice"
        value={percent(shareOfLocalVoice)}
        unit="%"
        change={<Delta value={shareOfLocalVoiceChange} digits={1} />}
        cover={`in the top 3, of ${counted(checked, 'checked point')}`}
      />
      <Figure
        label="Average grid rank"
        value={number(averageGridRank, 1)}
        change={<Delta value={averageGridRankChange} digits={1} />}
        cover={`${counted(comparable, 'point')} comparable`}
      />
      <Figure
        label="Found"
        value={number(checked === 0 ? null : found)}
        unit={`of ${number(checked)}`}
        cover={averageRank === null ? 'at no point' : `rank ${number(averageRank, 1)} where found`}
      />
    </div>
  );
}

function Findings({ map }: { readonly map: GridMapAnswer }): ReactNode {
  const { mapPoints, points, checked, estimated, estimateError } = map;
  const sides = sidesOf(mapPoints);
  const count = (...kinds: readonly string[]) =>
    mapPoints.filter(({ changeClass }) => kinds.includes(changeClass)).length;
  const [better, worse] = [count('improved', 'entered'), count('declined', 'dropped')];
  const sentences: ReactNode[] = [
    sides !== null && (
      <>
        Strongest in the {sides.best.name}, rank {number(sides.best.averageRank, 1)} on average; weakest in the{' '}
        {sides.worst.name}, {number(sides.worst.averageRank, 1)}.
      </>
    ),
    better + worse > 0 && (
      <>
        Better at <strong className="good">{counted(better, 'point')}</strong>, worse at{' '}
        <strong className="bad">{number(worse)}</strong>.
      </>
    ),
    checked < points && (
      <>
        {counted(points - checked, 'point')} {points - checked === 1 ? 'was' : 'were'} not checked
        {estimated > 0 && estimateError !== null
          ? `: ~ is an estimate from the others, off by ${number(estimateError, 1)} ranks on average, and in no sum.`
          : '.'}
      </>
    ),
  ];
  return <FindingList sentences={sentences} />;
}

/** The two sums over the dates of the period. */
function OverTime({ map: { series, points } }: { readonly map: GridMapAnswer }): ReactNode {
  const { period } = useProject();
  const kept = series.dates.flatMap((date, at) =>
    date >= (period.from ?? '') && date <= (period.to ?? date) ? [at] : [],
  );
  if (kept.length < 2) return null;
  const pick = <Value,>(values: readonly Value[]) => kept.map((at) => values[at] ?? null);
  const dates = pick(series.dates).filter((date) => date !== null);
  const partial = kept.filter((at) => (series.checked[at] ?? 0) < points);
  const newest = partial.at(-1);
  return (
    <>
      <div>
        <h2>Share of local voice</h2>
        <Chart
          isSmall
          height={110}
          label="Share of local voice, percent"
          dates={dates}
          lines={[{ name: 'share', isOwn: true, values: pick(series.shareOfLocalVoice), over: pick(series.checked) }]}
          format={percentText}
          tick={percentTick}
        />
        {newest !== undefined && (
          <p className="cover">
            {partial.length === 1
              ? day(series.dates[newest])
              : `${number(partial.length)} dates, the newest ${day(series.dates[newest])},`}{' '}
            {partial.length === 1 ? 'covers' : 'cover'} fewer points ({number(series.checked[newest])} of{' '}
            {number(points)}): a step there may be no change.
          </p>
        )}
      </div>
      {series.averageRank.some((rank) => rank !== null) && (
        <div>
          <h2>Average rank where found</h2>
          <Chart
            isSmall
            isRank
            height={110}
            label="Average rank where found"
            dates={dates}
            lines={[{ name: 'rank', isOwn: true, values: pick(series.averageRank) }]}
            format={(value) => number(value, 1)}
            tick={(value) => number(value)}
          />
        </div>
      )}
    </>
  );
}

function Points({ points }: { readonly points: readonly GridPoint[] }): ReactNode {
  const keywordPath = useKeywordPath();
  const columns: readonly PlainColumn<GridPoint>[] = [
    {
      name: 'where',
      label: 'Point',
      value: ({ kilometres }) => kilometres,
      cell: (point) => <a href={keywordPath(point.id)}>{whereText(point)}</a>,
    },
    {
      name: 'latitude',
      label: 'Latitude',
      isNumber: true,
      isMinor: true,
      value: ({ latitude }) => latitude,
      cell: ({ latitude }) => latitude.toFixed(4),
    },
    {
      name: 'longitude',
      label: 'Longitude',
      isNumber: true,
      isMinor: true,
      value: ({ longitude }) => longitude,
      cell: ({ longitude }) => longitude.toFixed(4),
    },
    {
      name: 'rank',
      label: 'Rank',
      isNumber: true,
      isLowerBetter: true,
      value: ({ rank }) => rank,
      cell: (point) => (point.rank === null ? <span className="quiet">{rankWords(point)}</span> : number(point.rank)),
    },
    {
      name: 'change',
      label: 'Change',
      isNumber: true,
      value: ({ change }) => change,
      cell: ({ change, changeClass }) =>
        change === null ? <span className="quiet">{plain(changeClass)}</span> : <Delta value={change} />,
    },
    {
      name: 'url',
      label: 'Page',
      isWide: true,
      value: ({ url }) => url,
      cell: ({ url }) =>
        url === null ? (
          '–'
        ) : (
          <a href={url} target="_blank" rel="noreferrer">
            <SiteAndPath url={url} />
          </a>
        ),
    },
    { name: 'seen', label: 'Seen on', value: ({ date }) => date, cell: ({ date }) => day(date) },
  ];
  return (
    <details className="screen-only places-points">
      <summary>All {number(points.length)} points as a table</summary>
      <PlainTable
        caption="Points of the map"
        columns={columns}
        rows={points}
        keyOf={({ id }) => id}
        name="sort2"
        initial="where"
        shownMax={100}
      />
    </details>
  );
}

function AllMaps({ chosen, maps }: MapsProps): ReactNode {
  const { name, asked } = useProject();
  return (
    <Section
      title="All keywords on the map"
      cover={counted(maps.length, 'map')}
      end={<ExportMenu name="grid" path={(parameters) => apiPath(name, 'grid-points', asked, 'table', parameters)} />}
    >
      <PlainTable
        caption={counted(maps.length, 'map')}
        columns={useMapColumns(maps)}
        rows={maps}
        keyOf={({ id }) => id}
        initial="-share"
        isChosen={({ id }) => id === chosen.id}
      />
      <p className="cover">
        All numbers are of checked points. Average grid rank counts “not found” as the rank after all that were read
        (also known as AGR or ATRP). Share of local voice is the share of points in the top 3 (SoLV). Changes are over
        points that were checked before as well.
      </p>
    </Section>
  );
}

export function useMapColumns(maps: readonly GridSums[]): readonly PlainColumn<GridSums>[] {
  const { project, page, query } = useAddress();
  const pagePath = usePagePath();
  const hasTargets = new Set(maps.map(({ target }) => target)).size > 1;
  const rows = ({ keyword, device, target }: GridSums, more: Readonly<Record<string, string>> = {}) =>
    pagePath('keywords', { q: exactKeyword(keyword), device, target, ...more });
  const columns: readonly (PlainColumn<GridSums> | false)[] = [
    {
      name: 'keyword',
      label: 'Keyword',
      value: ({ keyword }) => keyword,
      cell: ({ id, keyword }) => (
        <a href={pathTo(project, page, changed(query, { map: id }))}>
          <bdi>{keyword}</bdi>
        </a>
      ),
    },
    { name: 'device', label: 'Device', value: ({ device }) => (device === 'mobile' ? 'phone' : device) },
    hasTargets && {
      name: 'target',
      label: 'Target',
      value: ({ target }) => target,
      cell: ({ target }) => <bdi>{shortUrl(target)}</bdi>,
    },
    {
      name: 'share',
      label: 'Share of local voice',
      isNumber: true,
      value: ({ shareOfLocalVoice }) => shareOfLocalVoice,
      cell: ({ shareOfLocalVoice }) => <Percent value={shareOfLocalVoice} />,
    },
    {
      name: 'shareChange',
      label: 'Change',
      isNumber: true,
      value: ({ shareOfLocalVoiceChange }) => shareOfLocalVoiceChange,
      cell: ({ shareOfLocalVoiceChange: of }) => (of === null ? '–' : <Delta value={of} digits={1} />),
    },
    {
      name: 'rank',
      label: 'Average grid rank',
      isNumber: true,
      isLowerBetter: true,
      value: ({ averageGridRank }) => averageGridRank,
      decimals: 1,
    },
    {
      name: 'rankChange',
      label: 'Change',
      isNumber: true,
      value: ({ averageGridRankChange }) => averageGridRankChange,
      cell: ({ averageGridRankChange: of }) => (of === null ? '–' : <Delta value={of} digits={1} />),
    },
    {
      name: 'found',
      label: 'Found',
      about: 'Points where it ranks, of the checked ones',
      isNumber: true,
      value: ({ found }) => found,
      cell: (map) =>
        map.found === 0 ? (
          <span className="quiet">0</span>
        ) : (
          <a href={rows(map, { status: 'ranked' })}>{number(map.found)}</a>
        ),
    },
    {
      name: 'checked',
      label: 'Checked',
      isNumber: true,
      value: ({ checked }) => checked,
      cell: (map) => (
        <>
          <a href={rows(map)}>{number(map.checked)}</a> <span className="unit">of {number(map.points)}</span>
        </>
      ),
    },
  ];
  return columns.filter((column) => column !== false);
}
