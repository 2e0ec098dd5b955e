// Who takes what from whom? Passes between us and competitors, all of them over time, and domains that are not tracked.

import type { ReactNode } from 'react';
import type { CompetitorSeries, DiscoveredDomain } from '../../../read/records.ts';
import { sumOf } from '../../../tracker/figures.ts';
import { pathTo, useAddress } from '../address.ts';
import type { List } from '../api.ts';
import { rivalSeries, withColours } from '../chart-line.ts';
import { Chart, SharedCursor } from '../parts/chart.tsx';
import { DiscoveredDomains } from '../parts/discovered-domains.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { FindingList } from '../parts/finding-list.tsx';
import { Delta, Percent } from '../parts/numbers.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { PassTable, passedSearches } from '../parts/pass-table.tsx';
import { type PlainColumn, PlainTable } from '../parts/plain-table.tsx';
import { Section } from '../parts/section.tsx';
import { Empty, Unread } from '../parts/states.tsx';
import { Switch, useChoice } from '../parts/switch.tsx';
import { usePagePath, useProject, useProjectAnswer } from '../project.tsx';
import { counted, day, days, missing, number, percent, percentText, percentTick, shortUrl } from '../words.ts';

const measures = [
  { value: 'visibility', label: 'Visibility' },
  { value: 'share', label: 'Share of voice' },
] as const;
type Measure = (typeof measures)[number]['value'];
type Line = CompetitorSeries['targets'][number];

const linesMax = 8;

export function Competitors(): ReactNode {
  const { facts } = useProject();
  const measure = useChoice('measure', measures) ?? 'visibility';
  // share of voice reads stored pages: only where it is asked for
  const series = useProjectAnswer<CompetitorSeries>(
    'competitors',
    'chart',
    measure === 'share' ? { share: 'true' } : {},
  );
  const discovered = useProjectAnswer<List<DiscoveredDomain>>('discovered', 'table');
  const us = useUs(series.value);
  if (series.error !== null || series.value === undefined) return <Unread error={series.error} shape="page" />;
  const { dates, targets } = series.value;
  if (dates.length === 0)
    return (
      <Empty heading="Competitors" title="Nothing was checked in this period">
        <p>Choose a longer one above.</p>
      </Empty>
    );
  if (targets.length === 0)
    return (
      <Empty heading="Competitors" title="Only places are tracked">
        <p>Places are not compared with competitors: their ranks are those of the local results.</p>
      </Empty>
    );
  if (targets.every(({ averageRank, visibility }) => averageRank === null && lastOf(visibility) === null))
    return (
      <>
        <PageTitle>Competitors</PageTitle>
        <FilterBar />
        <Empty title="No site ranks for these keywords">
          <p>Remove a filter above, or choose another period.</p>
        </Empty>
      </>
    );
  return (
    <SharedCursor>
      <Lead series={series.value} discovered={discovered.value?.data ?? []} />
      <FilterBar />
      <OverTime series={series.value} measure={measure} />
      <Section title="Standings" cover={standingsCover(series.value, measure)}>
        <Standings series={series.value} measure={measure} />
      </Section>
      {targets.length > 2 && dates.length > 1 && (
        <Section
          title="Who passed whom"
          cover={`searches, first to last check, ${days(dates[0] ?? '', dates.at(-1) ?? '')}`}
        >
          <PassTable series={series.value} us={us?.target} />
        </Section>
      )}
      {facts.competitors.length === 0 && (
        <p className="soft">
          No competitor is tracked. Name some as <code>competitors</code> in the config; those below already stand on
          the same pages.
        </p>
      )}
      <DiscoveredDomains answer={discovered} />
    </SharedCursor>
  );
}

/** Our target: the first one, unless another is asked for. */
function useUs(series: CompetitorSeries | undefined): Line | undefined {
  const asked = useAddress().query.get('target');
  const own = (series?.targets ?? []).filter(({ isOwn }) => isOwn);
  return own.find(({ target }) => target === asked) ?? own[0];
}

interface Duel {
  readonly them: string;
  readonly line: Line;
  /** Searches in which they passed us, and in which we passed them. */
  readonly lost: number;
  readonly won: number;
}

function duelsOf({ targets, passes }: CompetitorSeries, us: string): readonly Duel[] {
  const searches = (by: string, over: string) => passedSearches(passes, by, over);
  return targets
    .filter(({ isOwn }) => !isOwn)
    .map((line) => ({ them: line.target, line, lost: searches(line.target, us), won: searches(us, line.target) }))
    .toSorted((a, b) => b.lost - b.won - (a.lost - a.won) || b.lost - a.lost);
}

interface LeadProps {
  readonly series: CompetitorSeries;
  readonly discovered: readonly DiscoveredDomain[];
}

function Lead({ series, discovered }: LeadProps): ReactNode {
  const us = useUs(series);
  const duels = duelsOf(series, us?.target ?? '');
  const [won, lost] = [sumOf(duels, (of) => of.won), sumOf(duels, (of) => of.lost)];
  const name = shortUrl(us?.target ?? '');
  const title =
    duels.length === 0
      ? 'No competitor is tracked'
      : series.dates.length < 2
        ? `${name} against ${counted(duels.length, 'competitor')}`
        : won + lost === 0
          ? `No competitor passed ${name}, and it passed none`
          : `${name} passed others ${times(won)}, was passed ${times(lost)}`;
  return (
    <section className="lead chart-first">
      <div>
        <PageTitle>{title}</PageTitle>
        <p className="sub">
          {counted(duels.length, 'competitor')} · first to last check,{' '}
          {days(series.dates[0] ?? '', series.dates.at(-1) ?? '')}
        </p>
        <Findings series={series} us={us} duels={duels} discovered={discovered} />
      </div>
      {won + lost > 0 && <HeadToHead duels={duels} us={name} />}
    </section>
  );
}

function times(count: number): string {
  return count === 1 ? 'once' : counted(count, 'time');
}

interface FindingsProps extends LeadProps {
  readonly us: Line | undefined;
  readonly duels: readonly Duel[];
}

function Findings({ series, us, duels, discovered }: FindingsProps): ReactNode {
  const pagePath = usePagePath();
  const value = (line: Line) => lastOf(line.visibility);
  const order = series.targets
    // another target of ours is no site to be ahead of
    .filter((line) => value(line) !== null && (line === us || !line.isOwn))
    .toSorted((a, b) => (value(b) ?? 0) - (value(a) ?? 0));
  const [first] = order;
  const place = us === undefined ? -1 : order.indexOf(us);
  const isAhead = place === 0 && order.length > 1 && order.some((line) => (value(line) ?? 0) > 0);
  const taker = duels.find(({ lost }) => lost > 0);
  const strongest = duels.toSorted((a, b) => (b.line.losses ?? 0) - (a.line.losses ?? 0))[0];
  const other = discovered[0];
  const sentences: ReactNode[] = [
    taker !== undefined && (
      <>
        <bdi>{taker.them}</bdi> passed us in{' '}
        <a href={pagePath('keywords', { passedBy: taker.them })}>{counted(taker.lost, 'search', 'searches')}</a>; we
        passed it in <a href={pagePath('keywords', { passed: taker.them })}>{number(taker.won)}</a>.
      </>
    ),
    first !== undefined && us !== undefined && place >= 0 && (
      <>
        {place > 0 ? <bdi>{`${shortUrl(first.target)} leads with`}</bdi> : isAhead ? 'We lead with' : 'We have'} a
        visibility of {percent(value(first))} %<Points change={first.visibilityChange} isOurs={first === us} />
        {place > 0 && (
          <>
            ; we are {ordinal(place + 1)} of {order.length} with {percent(value(us))} %
            <Points change={us.visibilityChange} isOurs />
          </>
        )}
        .
      </>
    ),
    strongest?.line.losses != null && strongest.line.losses + (strongest.line.wins ?? 0) > 0 && (
      <>
        <bdi>{strongest.them}</bdi> ranks above us in{' '}
        <a href={pagePath('keywords', { above: strongest.them })}>
          {counted(strongest.line.losses, 'search', 'searches')}
        </a>{' '}
        and below us in <a href={pagePath('keywords', { below: strongest.them })}>{number(strongest.line.wins)}</a>.
      </>
    ),
    other?.shareOfVoice != null && (
      <>
        Not tracked:{' '}
        <a href="#others">
          <bdi>{other.domain}</bdi>
        </a>{' '}
        takes {percent(other.shareOfVoice)} % of the clicks on the same pages.
      </>
    ),
  ];
  return <FindingList sentences={sentences} />;
}

/** What a competitor gains is no good news: it has no colour. */
function Points({
  change,
  isOurs,
}: {
  readonly change: number | null | undefined;
  readonly isOurs: boolean;
}): ReactNode {
  if (change == null || Number(change.toFixed(1)) === 0) return null;
  const text = `${change > 0 ? 'up' : 'down'} ${Math.abs(change).toFixed(1)}`;
  return <>, {isOurs ? <strong className={change > 0 ? 'good' : 'bad'}>{text}</strong> : text}</>;
}

function ordinal(place: number): string {
  return ['first', 'second', 'third', 'fourth', 'fifth'][place - 1] ?? `number ${place}`;
}

/** Bars to the left: searches in which they passed us; to the right: in which we passed them. */
function HeadToHead({ duels, us }: { readonly duels: readonly Duel[]; readonly us: string }): ReactNode {
  const pagePath = usePagePath();
  const most = Math.max(1, ...duels.flatMap(({ lost, won }) => [lost, won]));
  const bar = (count: number, kind: 'lost' | 'won', href: string) => (
    <td className={`competitors-bar competitors-${kind}`}>
      <span>
        {count === 0 ? (
          <span className="quiet">0</span>
        ) : (
          <a className="quiet-link" href={href}>
            {number(count)}
          </a>
        )}
        <i aria-hidden="true" style={{ width: `${(count / most) * 75}%` }} />
      </span>
    </td>
  );
  return (
    <table className="competitors-duels">
      <caption>
        <h2>Head to head</h2>
        <span className="cover">searches, from the first to the last check</span>
      </caption>
      <thead>
        <tr>
          <th scope="col">
            <span className="unseen">Competitor</span>
          </th>
          <th scope="col" className="right">
            passed {us}
          </th>
          <th scope="col">{us} passed it</th>
        </tr>
      </thead>
      <tbody>
        {duels.slice(0, linesMax).map(({ them, lost, won }) => (
          <tr key={them}>
            <th scope="row">
              <bdi>{them}</bdi>
            </th>
            {bar(lost, 'lost', pagePath('keywords', { passedBy: them }))}
            {bar(won, 'won', pagePath('keywords', { passed: them }))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function valuesOf(line: Line, measure: Measure): readonly (number | null)[] {
  return measure === 'share' ? (line.shareOfVoice ?? []) : line.visibility;
}

function lastOf(values: readonly (number | null)[]): number | null {
  return values.findLast((value) => value !== null) ?? null;
}

interface SeriesProps {
  readonly series: CompetitorSeries;
  readonly measure: Measure;
}

function OverTime({ series, measure }: SeriesProps): ReactNode {
  const { targets, notes } = series;
  const us = useUs(series);
  const { facts } = useProject();
  const of = (line: Line) => valuesOf(line, measure);
  // share of voice is read for some dates only: the lines go over the others
  const kept = series.dates.flatMap((_, at) => (targets.some((line) => of(line)[at] != null) ? [at] : []));
  const strongest = targets
    .filter((line) => line !== us)
    .toSorted((a, b) => (lastOf(of(b)) ?? 0) - (lastOf(of(a)) ?? 0))
    .slice(0, linesMax - 1);
  const lines = [...(us === undefined ? [] : [us]), ...strongest];
  const title = measure === 'share' ? 'Share of voice' : 'Visibility';
  const pick = <Value,>(values: readonly Value[]) => kept.map((at) => values[at] ?? null);
  return (
    <Section
      title={title}
      cover={
        measure === 'share'
          ? 'percent of the clicks of all domains on the same pages'
          : 'percent of the clicks that rank 1 of every keyword would bring'
      }
      end={<Switch name="measure" label="What the chart shows" options={measures} />}
    >
      {kept.length === 0 ? (
        <p className="soft">
          {title} has no value in this period for these keywords: their searches a month are not known.
        </p>
      ) : (
        <Chart
          label={`${title}, percent`}
          hasLegend
          dates={pick(series.dates).filter((date) => date !== null)}
          lines={withColours(
            lines.map((line) => ({
              name: shortUrl(line.target),
              isOwn: line.isOwn,
              values: pick(of(line)),
              over: pick((measure === 'share' ? line.shareOver : line.visibilityOver) ?? []),
              series: rivalSeries(facts.competitors, line.target),
            })),
          )}
          marks={notes ?? []}
          format={percentText}
          tick={percentTick}
          height={240}
        />
      )}
      {targets.length > linesMax && (
        <p className="cover">
          The {linesMax - 1} strongest of {number(targets.length - 1)} others are drawn; the table has all.
        </p>
      )}
    </Section>
  );
}

function standingsCover({ dates }: CompetitorSeries, measure: Measure): string {
  const how =
    measure === 'share'
      ? 'change: last date less first date, each over its own checks'
      : 'change: first to last date, over the searches checked on both';
  return `on ${day(dates.at(-1))} · ${how}`;
}

function Standings({ series, measure }: SeriesProps): ReactNode {
  const us = useUs(series);
  return (
    <PlainTable
      caption="Own targets and competitors"
      columns={useColumns(series, measure)}
      rows={series.targets}
      keyOf={({ target }) => target}
      initial="-value"
      isChosen={(line) => line === us}
    />
  );
}

/** Last known less first known value. */
function changeOver(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  const [first, last] = [known[0], known.at(-1)];
  return first === undefined || last === undefined || known.length < 2 ? null : last - first;
}

function useColumns(series: CompetitorSeries, measure: Measure): readonly PlainColumn<Line>[] {
  const pagePath = usePagePath();
  const { name } = useProject();
  const us = useUs(series);
  const duels = new Map(duelsOf(series, us?.target ?? '').map((duel) => [duel.them, duel]));
  const change = (line: Line) =>
    measure === 'share' ? changeOver(valuesOf(line, measure)) : (line.visibilityChange ?? null);
  const overOf = (line: Line) => (measure === 'share' ? line.shareOver : line.visibilityOver) ?? [];
  const link = (count: number | null | undefined, filter: string, { target }: Line) =>
    count == null ? (
      <span className="quiet">–</span>
    ) : count === 0 ? (
      <span className="quiet">0</span>
    ) : (
      <a href={pagePath('keywords', { [filter]: target })}>{number(count)}</a>
    );
  const columns: readonly (PlainColumn<Line> | false)[] = [
    {
      name: 'target',
      label: 'Site',
      value: ({ target }) => target,
      cell: ({ target, isOwn }) => (
        <>
          {isOwn ? (
            <a href={pathTo(name, 'keywords', { target })}>
              <bdi>{shortUrl(target)}</bdi>
            </a>
          ) : (
            <bdi>{shortUrl(target)}</bdi>
          )}
          {isOwn && <span className="aside"> ours</span>}
        </>
      ),
    },
    {
      name: 'value',
      label: measure === 'share' ? 'Share of voice' : 'Visibility',
      isNumber: true,
      isMain: true,
      value: (line) => lastOf(valuesOf(line, measure)),
      cell: (line) => <Percent value={lastOf(valuesOf(line, measure))} />,
    },
    {
      name: 'change',
      label: 'Change',
      isNumber: true,
      value: change,
      cell: (line) => (change(line) === null ? '–' : <Delta value={change(line)} digits={1} isNeutral={!line.isOwn} />),
    },
    series.targets.some((line) => overOf(line).length > 0) && {
      name: 'over',
      label: 'Covers',
      about: 'Searches with a complete check that the change covers, of those that the value covers',
      isNumber: true,
      isMinor: true,
      value: (line) => line.visibilityChangeOver ?? lastOf(overOf(line)),
      cell: (line) => (
        <span className="cover">
          {measure === 'share'
            ? number(lastOf(overOf(line)))
            : lastOf(overOf(line)) === null
              ? missing
              : `${number(line.visibilityChangeOver)} of ${number(lastOf(overOf(line)))}`}
        </span>
      ),
    },
    {
      name: 'rank',
      label: 'Average rank',
      isNumber: true,
      isLowerBetter: true,
      value: ({ averageRank }) => averageRank,
      decimals: 1,
    },
    {
      name: 'top10',
      label: 'Top 10',
      about: 'Searches in which it ranks in the top 10',
      isNumber: true,
      value: ({ top10 }) => top10,
      cell: ({ top10, isOwn, target }) =>
        isOwn && top10 !== null ? (
          <a href={pagePath('keywords', { target, rank: '1..10' })}>{number(top10)}</a>
        ) : (
          number(top10)
        ),
    },
    {
      name: 'losses',
      label: 'Above us',
      about: 'Searches in which it ranks above our best target now',
      isNumber: true,
      value: ({ losses }) => losses,
      cell: (line) => link(line.losses, 'above', line),
    },
    {
      name: 'wins',
      label: 'Below us',
      about: 'Searches in which our best target ranks above it now',
      isNumber: true,
      value: ({ wins }) => wins,
      cell: (line) => link(line.wins, 'below', line),
    },
    {
      name: 'lost',
      label: 'Passed us',
      about: 'Searches in which it ranked below us at the first check, and above us at the last one',
      isNumber: true,
      value: ({ target }) => duels.get(target)?.lost,
      cell: (line) => link(duels.get(line.target)?.lost, 'passedBy', line),
    },
    {
      name: 'won',
      label: 'We passed',
      about: 'Searches in which we ranked below it at the first check, and above it at the last one',
      isNumber: true,
      value: ({ target }) => duels.get(target)?.won,
      cell: (line) => link(duels.get(line.target)?.won, 'passed', line),
    },
  ];
  return columns.filter((column) => column !== false);
}
