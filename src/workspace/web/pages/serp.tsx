// What did the page look like? The stored results of a date as blocks, or of two dates with what moved between them.

import { Columns2, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { SerpResult, StoredSerpView } from '../../../read/records.ts';
import { isOtherPage } from '../../../tracker/targets/target.ts';
import { pathTo, useAddress, useChangeQuery } from '../address.ts';
import { MoveLines } from '../parts/move-lines.tsx';
import { SameKeyword, useSameKeyword } from '../parts/same-keyword.tsx';
import { SearchHead } from '../parts/search-head.tsx';
import { type Marks, marksOf, rivalColours, SerpBlocks } from '../parts/serp-blocks.tsx';
import { AboveUs, DateChoice, SourcesDiffer } from '../parts/serp-panel.tsx';
import { Empty, Failed, Unread, Waiting } from '../parts/states.tsx';
import { useKept, useKeywordPath, useProject } from '../project.tsx';
import { type TargetMove, targetMoves } from '../serp-moves.ts';
import { type Search, searchIn, searchOf, useSerp, useSerpDates, useSerpPath } from '../stored-serps.ts';
import { counted, day, featureName, moment, number, shortUrl } from '../words.ts';

export function Serp(): ReactNode {
  const { name } = useProject();
  const { query } = useAddress();
  const kept = useKept();
  const search = searchIn(query);
  const dates = useSerpDates(search);
  if (search === null)
    return (
      <Empty title="Which results page?" isPage>
        <p>
          Choose a keyword in the <a href={pathTo(name, 'keywords', kept)}>keyword table</a>.
        </p>
      </Empty>
    );
  if (dates.error !== null || dates.value === undefined) return <Unread error={dates.error} shape="page" />;
  return <DatedSerp search={search} dates={dates.value.dates} />;
}

interface Dated {
  /** Newest first. */
  readonly dates: readonly string[];
  readonly date: string;
  /** Null: it is shown alone. */
  readonly against: string | null;
}

function DatedSerp({ search, dates }: { readonly search: Search; readonly dates: readonly string[] }): ReactNode {
  const { query } = useAddress();
  const change = useChangeQuery();
  const asked = query.get('date') ?? dates[0] ?? '';
  const date = dates.find((of) => of <= asked) ?? null;
  const earlier = dates.filter((of) => date !== null && of < date);
  const written = query.get('against');
  const other = written === null ? earlier[0] : dates.find((of) => of <= written);
  const against = written === 'none' || other === date ? null : (other ?? null);
  const newer = useSerp(search, date);
  const older = useSerp(search, against);
  const error = newer.error ?? older.error;
  const serp = newer.value?.serp;
  const before = against === null ? null : older.value?.serp;
  if (date === null)
    return (
      <>
        <Head search={search}>{null}</Head>
        <Empty title={dates.length === 0 ? 'No results page is stored' : 'None is stored on or before this date'}>
          {dates.length === 0 ? (
            <p>No check of this search has stored what it read, or it was deleted after its time.</p>
          ) : (
            <button type="button" className="button" onClick={() => change({ date: null })}>
              Show the newest, of {day(dates[0])}
            </button>
          )}
        </Empty>
      </>
    );
  if (error !== null || serp === undefined || before === undefined || serp === null)
    return (
      <>
        <Head search={search}>{null}</Head>
        {error !== null ? (
          <Failed error={error} />
        ) : serp === null ? (
          <Empty title="No results page is stored" />
        ) : (
          <div className="serp-pair">
            <Waiting shape="rows" rows={14} />
            <span />
            <Waiting shape="rows" rows={14} />
          </div>
        )}
      </>
    );
  const dated: Dated = { dates, date, against };
  if (before === null)
    return (
      <>
        <Head search={search}>
          <OneSum serp={serp} />
        </Head>
        <OnePage serp={serp} dated={dated} />
        <PlaceNote />
      </>
    );
  return <TwoPages search={search} before={before} after={serp} dated={dated} />;
}

/** The search in words, with its pages in other markets. */
function Head({ search, children }: { readonly search: Search; readonly children: ReactNode }): ReactNode {
  const { facts } = useProject();
  const { query } = useAddress();
  const keywordPath = useKeywordPath();
  const serpPath = useSerpPath();
  const rows = useSameKeyword(search.keyword) ?? [];
  const keyOf = (of: Search) => JSON.stringify([of.country, of.language, of.device, of.location]);
  // one a search: of several targets the first
  const bySearch = Map.groupBy(rows, (row) => keyOf(searchOf(row)));
  const firsts = [...bySearch].map(([key, of]) => ({
    key,
    row: of.find(({ target }) => target === facts.targets[0]) ?? of[0],
  }));
  const current = firsts.find(({ key }) => key === keyOf(search))?.row;
  return (
    <SearchHead
      search={search}
      what="Results for "
      above={current && keywordPath(current.id)}
      beside={
        <SameKeyword
          rows={firsts.flatMap(({ row }) => row ?? [])}
          current={current?.id ?? null}
          hrefOf={(row) => serpPath(searchOf(row), query.get('date'), query.get('against'))}
        />
      }
    >
      {children}
    </SearchHead>
  );
}

function ReadAt({ serp: { checkedAt, source, runId, pages } }: { readonly serp: StoredSerpView }): ReactNode {
  return (
    <span className="cover" title={`${source}, run ${runId}`}>
      read {moment(checkedAt)}, {counted(pages, 'page')}
    </span>
  );
}

function OnePage({
  serp,
  dated: { dates, date },
}: {
  readonly serp: StoredSerpView;
  readonly dated: Dated;
}): ReactNode {
  const { facts } = useProject();
  const change = useChangeQuery();
  return (
    <section className="serp-one" aria-label={`Results of ${day(serp.date)}`}>
      <div className="serp-date across wraps">
        <DateChoice dates={dates} date={date} onChoose={(of) => change({ date: of }, { replace: true })} />
        <ReadAt serp={serp} />
        {dates.length > 1 && (
          <button
            type="button"
            className="screen-only quiet-button end"
            onClick={() => {
              // the oldest date has none before it
              if (dates.at(-1) === date) change({ date: dates[0], against: date });
              else change({ against: null });
            }}
          >
            <Columns2 size={15} aria-hidden="true" /> Beside another date
          </button>
        )}
      </div>
      <SerpBlocks serp={serp} colourOf={rivalColours(facts.competitors)} />
    </section>
  );
}

/** Where we and our competitors stand. */
function OneSum({ serp }: { readonly serp: StoredSerpView }): ReactNode {
  const first = new Map<string, SerpResult>();
  for (const result of serp.results)
    if (result.target !== null && !first.has(result.target)) first.set(result.target, result);
  const shown = [...first.values()];
  return (
    <p className="search-lead">
      {shown.some(({ isOwn }) => isOwn) || 'None of these results is ours. '}
      {shown.map(({ target, rank, isOwn }) => (
        <span key={target} className={isOwn ? 'serp-ours' : undefined}>
          <bdi>{shortUrl(target ?? '')}</bdi> at {number(rank)}.{' '}
        </span>
      ))}
      {counted(serp.results.length, 'result')}.
    </p>
  );
}

interface TwoProps {
  readonly search: Search;
  readonly before: StoredSerpView;
  readonly after: StoredSerpView;
  readonly dated: Dated;
}

function TwoPages({ search, before, after, dated: { dates, date, against } }: TwoProps): ReactNode {
  const { facts } = useProject();
  const change = useChangeQuery();
  const { query } = useAddress();
  const [hot, setHot] = useState<string | null>(null);
  const marks = marksOf(before, after);
  const colourOf = rivalColours(facts.competitors);
  const isWhole = query.get('whole') === 'true';
  const reach = Math.min(before.pages, after.pages);
  const moved = new Set(marks.moves.flatMap((move) => (move.before === null ? [] : [move.before, move.after])));
  // what only one of them reaches says nothing of moves
  const isShown = (result: SerpResult) => result.page <= reach || result.target !== null || moved.has(result);
  const hidden = [...before.results, ...after.results].filter((result) => !isShown(result)).length;
  const pointed = { hot, onHot: setHot, colourOf, ...(isWhole || hidden === 0 ? {} : { isShown }) };
  return (
    <>
      <Head search={search}>
        <TwoSum marks={marks} />
      </Head>
      {before.source !== after.source && <SourcesDiffer before={before} after={after} />}
      <div className="serp-pair">
        <section aria-label={`Results of ${day(before.date)}`}>
          <div className="serp-date across wraps">
            <DateChoice
              label="Date of the page on the left"
              dates={dates}
              date={against ?? before.date}
              onChoose={(of) => change({ against: of }, { replace: true })}
            />
            <ReadAt serp={before} />
            <button
              type="button"
              className="screen-only quiet-button end"
              aria-label="Show one page only"
              onClick={() => change({ against: 'none' })}
            >
              <X size={15} aria-hidden="true" />
            </button>
          </div>
          <SerpBlocks {...pointed} {...marks.older} serp={before} side="older" />
        </section>
        <MoveLines moves={marks.moves} tones={marks.tones} colourOf={colourOf} hot={hot} />
        <section aria-label={`Results of ${day(after.date)}`}>
          <div className="serp-date across wraps">
            <DateChoice
              label="Date of the page on the right"
              dates={dates}
              date={date}
              onChoose={(of) => change({ date: of, against: before.date }, { replace: true })}
            />
            <ReadAt serp={after} />
          </div>
          <SerpBlocks {...pointed} {...marks.newer} serp={after} side="newer" />
        </section>
      </div>
      {hidden > 0 && (
        <button
          type="button"
          className="button screen-only serp-whole"
          aria-expanded={isWhole}
          onClick={() => change({ whole: isWhole ? null : 'true' }, { replace: true })}
        >
          {isWhole ? 'Fold' : 'Show'} {counted(hidden, 'result')} beyond page {reach}, which only one of the two reaches
        </button>
      )}
      <PlaceNote />
    </>
  );
}

function TwoSum({ marks }: { readonly marks: Marks }): ReactNode {
  const { moves, left, features } = marks;
  const moved = moves.filter(({ change }) => change !== null && change !== 0).length;
  const entered = moves.filter(({ kind }) => kind === 'entered').length;
  const names = (types: readonly string[]) => types.map(featureName).join(' and ');
  const show = (types: readonly string[]) => (types.length === 1 ? 'shows' : 'show');
  const { gained, lost, won, lostOurs } = features;
  return (
    <div className="stack gap-1">
      <p className="search-lead">
        <TargetMoves marks={marks} />
        {lostOurs.length > 0 && `${names(lostOurs)} no longer ${show(lostOurs)} us. `}
        {won.length > 0 && `${names(won)} now ${show(won)} us. `}
      </p>
      <AboveUs moves={marks} />
      <p className="soft">
        {moved + entered + left.length === 0
          ? 'No result moved, entered or left.'
          : `${counted(moved, 'result')} moved, ${number(entered)} entered, ${number(left.length)} left.`}
        {gained.length > 0 && ` New on the page: ${names(gained)}.`}
        {lost.length > 0 && ` No longer on it: ${names(lost)}.`}
      </p>
    </div>
  );
}

/** What happened to us and to competitors. */
function TargetMoves({ marks }: { readonly marks: Marks }): ReactNode {
  const known = targetMoves(marks);
  if (known.length === 0) return 'Neither page shows us or a competitor. ';
  return known.map((move) => (
    <span key={move.target} className={move.isOwn ? 'serp-ours' : undefined}>
      <bdi>{shortUrl(move.target)}</bdi> {moveText(move)}.{' '}
    </span>
  ));
}

function moveText({ before, after }: TargetMove): string {
  const [then, now] = [before?.rank ?? null, after?.rank ?? null];
  if (then === null) return `entered at ${now}`;
  if (now === null) return `left: it was at ${then}`;
  const moved = now === then ? `stayed at ${now}` : `${now < then ? 'rose' : 'fell'} ${then} → ${now}`;
  const isOther = before != null && after != null && isOtherPage(before.url, after.url) === true;
  return isOther ? `${moved} with another page` : moved;
}

/** What the drawing does not know. */
function PlaceNote(): ReactNode {
  return (
    <p className="cover">
      Features are drawn at the head of their page and related searches at its foot: their place between the results is
      not stored.
    </p>
  );
}
