// Which URLs earn or lose? What each brings and gained, and for which keywords own pages take turns.

import type { ReactNode } from 'react';
import type { CannibalizationAnswer, KeywordRow, LandingPage, Summary } from '../../../read/records.ts';
import { sumOf } from '../../../tracker/figures.ts';
import { pathTo } from '../address.ts';
import { apiPath, isFile, type List } from '../api.ts';
import { exactUrl } from '../filters.ts';
import { ClicksNote } from '../parts/clicks-note.tsx';
import { ExportMenu } from '../parts/export-menu.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { FindingList } from '../parts/finding-list.tsx';
import { keywordColumn } from '../parts/keyword-column.tsx';
import { Delta } from '../parts/numbers.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { PageTurnsSection } from '../parts/page-turns.tsx';
import { type PlainColumn, PlainTable } from '../parts/plain-table.tsx';
import { Section } from '../parts/section.tsx';
import { type BarPart, ShareBar, shade } from '../parts/share-bar.tsx';
import { Answered, Empty, Failed, Unread } from '../parts/states.tsx';
import { SiteAndPath } from '../parts/url.tsx';
import { useKeywordPath, usePagePath, useProject, useProjectAnswer } from '../project.tsx';
import { counted, number, pathOfUrl, percent, shortUrl, signed } from '../words.ts';

const movedFields = 'url,previousUrl,target,estimatedClicksChange';
type Moved = Pick<KeywordRow, 'url' | 'previousUrl' | 'target' | 'estimatedClicksChange'>;

/** A page with what its keywords gained or lost in clicks, and turns that it took. */
interface PageRow extends LandingPage {
  readonly gained: number;
  /** The same in points of visibility; null: no keyword has a volume. */
  readonly visibility: number | null;
  /** Null: not read. */
  readonly turns: number | null;
}

export function Pages(): ReactNode {
  const { facts } = useProject();
  const pages = useProjectAnswer<List<LandingPage>>('landing-pages', 'table', { limit: 'all' });
  const moves = useProjectAnswer<List<Moved>>('changes', 'table', { limit: 'all', fields: movedFields });
  const turns = useProjectAnswer<CannibalizationAnswer>('cannibalization', 'chart');
  const summary = useProjectAnswer<Summary>('summary', 'table');
  const error = pages.error ?? moves.error ?? summary.error;
  if (error !== null || pages.value === undefined || moves.value === undefined || summary.value === undefined)
    return <Unread error={error} shape="page" />;
  const gains = gainsOf(moves.value.data);
  const turnsOf = turns.value === undefined ? null : turnsByPage(turns.value);
  const { visibility, estimatedClicks } = summary.value;
  const rows = pages.value.data.map((page): PageRow => {
    const gained = gains.get(keyOf(page)) ?? 0;
    return {
      ...page,
      gained,
      visibility: visibility === null || !estimatedClicks ? null : (gained / estimatedClicks) * visibility,
      turns: turnsOf === null ? null : (turnsOf.get(keyOf(page)) ?? 0),
    };
  });
  const gone = goneOf(gains, rows);
  return (
    <>
      <Lead rows={rows} gone={gone} turns={turns.value} />
      <FilterBar>
        <span className="cover">{counted(rows.length, 'ranking page')}</span>
        <Export />
      </FilterBar>
      {rows.length === 0 ? (
        <Empty title="No page ranks for these keywords">
          <p>Remove a filter, or choose another period.</p>
        </Empty>
      ) : (
        <PageTable rows={rows} />
      )}
      <ClicksNote facts={facts.clicks} />
      <Answered answer={turns} shape="rows">
        {(value) => <PageTurnsSection answer={value} />}
      </Answered>
      <OtherPages />
    </>
  );
}

const keyOf = ({ target, url }: { readonly target: string; readonly url: string }): string => `${target} ${url}`;

/** The clicks that the keywords of a page gained. Keywords that dropped out are those of the page that they had. */
function gainsOf(moves: readonly Moved[]): ReadonlyMap<string, number> {
  const gains = new Map<string, number>();
  for (const { url, previousUrl, target, estimatedClicksChange: change } of moves) {
    const page = url ?? previousUrl;
    if (page === null || change === null) continue;
    const key = keyOf({ target, url: page });
    gains.set(key, (gains.get(key) ?? 0) + change);
  }
  return gains;
}

interface Gone {
  readonly urls: readonly string[];
  readonly clicks: number;
}

/** Pages of the changes that rank for nothing any more. */
function goneOf(gains: ReadonlyMap<string, number>, rows: readonly PageRow[]): Gone {
  const ranking = new Set(rows.map(keyOf));
  const gone = [...gains].filter(([key]) => !ranking.has(key));
  return {
    urls: gone.map(([key]) => key.slice(key.indexOf(' ') + 1)),
    clicks: sumOf(gone, ([, clicks]) => clicks),
  };
}

/** For how many keywords a page took turns with others. */
function turnsByPage({ rows }: CannibalizationAnswer): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { target, pages } of rows)
    for (const { url } of pages) counts.set(keyOf({ target, url }), (counts.get(keyOf({ target, url })) ?? 0) + 1);
  return counts;
}

interface LeadProps {
  readonly rows: readonly PageRow[];
  readonly gone: Gone;
  readonly turns: CannibalizationAnswer | undefined;
}

function Lead({ rows, gone, turns }: LeadProps): ReactNode {
  const { period } = useProject();
  const better = rows.filter(({ gained }) => Math.round(gained) > 0).length;
  const worse = rows.filter(({ gained }) => Math.round(gained) < 0).length;
  const title =
    rows.length === 0
      ? 'No page ranks'
      : better + worse === 0
        ? `${counted(rows.length, 'page')} ranked, and none gained or lost clicks`
        : `${counted(better, 'page')} gained clicks, ${number(worse)} lost some`;
  return (
    <section className="lead chart-first">
      <div>
        <PageTitle>{title}</PageTitle>
        <p className="sub">
          of {counted(rows.length, 'ranking page')} · vs. {period.comparedWith} · estimated from ranks and searches,
          changes at equal searches a month
        </p>
        <Findings rows={rows} gone={gone} turns={turns} />
      </div>
      <Earners rows={rows} />
    </section>
  );
}

function Findings({ rows, gone, turns }: LeadProps): ReactNode {
  const pagePath = usePagePath();
  const link = (page: PageRow) => (
    <a href={pagePath('keywords', ofPage(page))}>
      <bdi>{pathOfUrl(page.url)}</bdi>
    </a>
  );
  const byGain = rows.toSorted((a, b) => b.gained - a.gained);
  const [first, last] = [byGain[0], byGain.at(-1)];
  const missed = sumOf(rows, ({ notPreferred }) => notPreferred);
  const sentences: ReactNode[] = [
    first !== undefined && Math.round(first.gained) > 0 && (
      <>
        {link(first)} gained most: <strong className="good">{signed(first.gained)} clicks a month</strong>,{' '}
        {movesText(first)}.
      </>
    ),
    last !== undefined && Math.round(last.gained) < 0 && (
      <>
        {link(last)} lost most: <strong className="bad">{signed(last.gained)} clicks a month</strong>, {movesText(last)}
        .
      </>
    ),
    gone.urls.length > 0 && (
      <>
        <bdi>{gone.urls.slice(0, 2).map(pathOfUrl).join(', ')}</bdi>
        {gone.urls.length > 2 && ` and ${counted(gone.urls.length - 2, 'other page')}`} no longer{' '}
        {gone.urls.length === 1 ? 'ranks' : 'rank'} for any keyword
        {Math.round(gone.clicks) !== 0 && (
          <>
            : <strong className="bad">{signed(gone.clicks)} clicks a month</strong>
          </>
        )}
        .
      </>
    ),
    turns !== undefined && turns.total > 0 && (
      <>
        Own pages take turns for <a href="#turns">{counted(turns.total, 'row')}</a>.
      </>
    ),
    missed > 0 && (
      <>
        Another page ranks than the preferred one for{' '}
        <a href={pagePath('keywords', { otherUrl: 'true' })}>{counted(missed, 'row')}</a>.
      </>
    ),
  ];
  return <FindingList sentences={sentences} />;
}

function movesText({ keywords, improved, declined }: PageRow): string {
  if (improved + declined === 0) return `with ${counted(keywords, 'keyword')}`;
  const parts = [
    improved > 0 ? `better for ${number(improved)}` : '',
    declined > 0 ? `worse for ${number(declined)}` : '',
  ];
  return `${parts.filter(Boolean).join(' and ')} of its ${counted(keywords, 'keyword')}`;
}

const earnersMax = 5;

/** The clicks of all pages, and which of them bring most. */
function Earners({ rows }: { readonly rows: readonly PageRow[] }): ReactNode {
  const pagePath = usePagePath();
  const clicksOf = (pages: readonly PageRow[]) => sumOf(pages, ({ estimatedClicks }) => estimatedClicks ?? 0);
  const earners = rows.toSorted((a, b) => (b.estimatedClicks ?? 0) - (a.estimatedClicks ?? 0));
  const [shown, others] = [earners.slice(0, earnersMax), earners.slice(earnersMax)];
  const all = clicksOf(rows);
  if (all === 0) return null;
  const text = (clicks: number) => (
    <>
      {number(clicks)} <span className="unit">{percent((clicks / all) * 100)} %</span>
    </>
  );
  const parts: BarPart[] = shown.map((page, index) => ({
    name: keyOf(page),
    value: page.estimatedClicks ?? 0,
    colour: shade(index),
    text: text(page.estimatedClicks ?? 0),
    label: (
      <a href={pagePath('keywords', ofPage(page))}>
        <bdi>{pathOfUrl(page.url)}</bdi>
      </a>
    ),
  }));
  if (others.length > 0)
    parts.push({
      name: '',
      value: clicksOf(others),
      colour: 'var(--outline)',
      text: text(clicksOf(others)),
      label: counted(others.length, 'other page'),
    });
  return <ShareBar title="Where the clicks come from" cover={`${number(all)} a month, estimated`} parts={parts} />;
}

/** The filter that finds the keywords of a page. */
function ofPage({ url, target }: Pick<PageRow, 'url' | 'target'>) {
  return { url: exactUrl(url), target };
}

function PageTable({ rows }: { readonly rows: readonly PageRow[] }): ReactNode {
  return (
    <PlainTable
      caption={counted(rows.length, 'ranking page')}
      columns={usePageColumns(rows)}
      rows={rows}
      keyOf={keyOf}
      initial="-clicks"
      shownMax={20}
    />
  );
}

function usePageColumns(rows: readonly PageRow[]): readonly PlainColumn<PageRow>[] {
  const { facts } = useProject();
  const pagePath = usePagePath();
  const rowsLink = (page: PageRow, count: number, more: Readonly<Record<string, string>> = {}) =>
    count === 0 ? (
      <span className="quiet">0</span>
    ) : (
      <a href={pagePath('keywords', { ...ofPage(page), ...more })}>{number(count)}</a>
    );
  const has = (of: (page: PageRow) => boolean) => rows.some(of);
  const columns: readonly (PlainColumn<PageRow> | false)[] = [
    {
      name: 'url',
      label: 'Page',
      isWide: true,
      value: ({ url }) => url,
      cell: (page) => (
        <a href={pagePath('keywords', ofPage(page))} title={page.url}>
          <SiteAndPath url={page.url} />
        </a>
      ),
    },
    new Set(rows.map(({ target }) => target)).size > 1 && {
      name: 'target',
      label: 'Target',
      value: ({ target }) => target,
      cell: ({ target }) => <bdi>{shortUrl(target)}</bdi>,
    },
    {
      name: 'keywords',
      label: 'Keywords',
      isNumber: true,
      value: ({ keywords }) => keywords,
      cell: (page) => rowsLink(page, page.keywords),
    },
    {
      name: 'clicks',
      label: 'Clicks',
      about: 'Clicks a month, estimated from ranks and searches',
      isNumber: true,
      value: ({ estimatedClicks }) => estimatedClicks,
    },
    {
      name: 'gained',
      label: 'Change',
      about: 'Clicks a month that its keywords gained or lost in the period, at equal searches',
      isNumber: true,
      value: ({ gained }) => gained,
      cell: ({ gained }) => <Delta value={gained} />,
    },
    has(({ visibility }) => visibility !== null) && {
      name: 'visibility',
      label: 'Visibility',
      about: 'Points of visibility that its keywords gained or lost in the period',
      isNumber: true,
      isMinor: true,
      value: ({ visibility }) => visibility,
      cell: ({ visibility }) => <Delta value={visibility} digits={2} />,
    },
    facts.clicks !== undefined && {
      name: 'measured',
      label: 'Measured clicks',
      about: 'Counted by Search Console in 28 days, for all queries of the page',
      isNumber: true,
      value: ({ measuredClicks }) => measuredClicks,
    },
    facts.clicks !== undefined && {
      name: 'impressions',
      isMinor: true,
      label: 'Impressions',
      isNumber: true,
      value: ({ impressions }) => impressions,
    },
    {
      name: 'volume',
      isMinor: true,
      label: 'Searches',
      about: 'Searches a month',
      isNumber: true,
      value: ({ searchVolume }) => searchVolume,
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
      isMinor: true,
      label: 'Top 10',
      isNumber: true,
      value: ({ top10 }) => top10,
      cell: (page) => rowsLink(page, page.top10, { rank: '1..10' }),
    },
    {
      name: 'improved',
      label: 'Better',
      about: 'Keywords that stand better than before',
      isNumber: true,
      value: ({ improved }) => improved,
      cell: (page) => rowsLink(page, page.improved, { change: 'improved' }),
    },
    {
      name: 'declined',
      label: 'Worse',
      about: 'Keywords that stand worse than before',
      isNumber: true,
      value: ({ declined }) => declined,
      cell: (page) => rowsLink(page, page.declined, { change: 'declined' }),
    },
    has(({ turns }) => turns !== null && turns > 0) && {
      name: 'turns',
      isMinor: true,
      label: 'Turns',
      about: 'Keywords for which it took turns with other own pages',
      isNumber: true,
      value: ({ turns }) => turns,
      cell: ({ turns }) =>
        turns === 0 || turns === null ? <span className="quiet">0</span> : <a href="#turns">{number(turns)}</a>,
    },
    has(({ notPreferred }) => notPreferred > 0) && {
      name: 'other',
      isMinor: true,
      label: 'Not preferred',
      about: 'Keywords for which this page ranks and another one is preferred',
      isNumber: true,
      value: ({ notPreferred }) => notPreferred,
      cell: (page) => rowsLink(page, page.notPreferred, { otherUrl: 'true' }),
    },
  ];
  return columns.filter((column) => column !== false);
}

function Export(): ReactNode {
  const { name, asked } = useProject();
  return <ExportMenu name="pages" path={(parameters) => apiPath(name, 'landing-pages', asked, 'table', parameters)} />;
}

const otherColumns = (keywordPath: (id: string) => string): readonly PlainColumn<KeywordRow>[] => [
  keywordColumn(keywordPath),
  { name: 'rank', label: 'Rank', isNumber: true, isLowerBetter: true, value: ({ rank }) => rank },
  {
    name: 'ranks',
    label: 'Page that ranks',
    isWide: true,
    value: ({ url }) => url,
    cell: ({ url }) => <Path url={url} />,
  },
  {
    name: 'preferred',
    label: 'Preferred page',
    isWide: true,
    value: ({ preferredUrl }) => preferredUrl,
    cell: ({ preferredUrl }) => <Path url={preferredUrl} />,
  },
];

function Path({ url }: { readonly url: string | null }): ReactNode {
  return url === null ? '–' : <bdi title={url}>{pathOfUrl(url)}</bdi>;
}

/** Keywords with a preferred page that does not rank; and the way to measured clicks by page. */
function OtherPages(): ReactNode {
  const { name, facts, asked } = useProject();
  const keywordPath = useKeywordPath();
  const others = useProjectAnswer<List<KeywordRow>>('keywords', 'table', { otherUrl: 'true', limit: 'all' });
  return (
    <>
      {others.error !== null && <Failed error={others.error} />}
      {others.value !== undefined && others.value.total > 0 && (
        <Section title="Another page ranks than the preferred one" cover={counted(others.value.total, 'row')}>
          <PlainTable
            caption="Rows with a preferred page that does not rank"
            columns={otherColumns(keywordPath)}
            rows={others.value.data}
            keyOf={({ id }) => id}
            name="sort3"
          />
        </Section>
      )}
      {facts.clicks !== undefined && !isFile() && (
        <p className="sub">
          <a href={pathTo(name, 'clicks', { by: 'page', from: asked.get('from'), to: asked.get('to') })}>
            Why measured clicks changed, by page
          </a>
        </p>
      )}
    </>
  );
}
