// The results page of a keyword on a chosen date, with what moved on it since the date that the row is compared with.
import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { KeywordRow, SerpResult, StoredSerpView } from '../../../read/records.ts';
import { isFile } from '../api.ts';
import { useProject } from '../project.tsx';
import { type Move, rivalry, type SerpMoves } from '../serp-moves.ts';
import { searchOf, useSerp, useSerpDates, useSerpPath } from '../stored-serps.ts';
import { counted, day, featureName, moment, number, siteOf } from '../words.ts';
import { type Marks, marksOf, rivalColours, SerpBlocks } from './serp-blocks.tsx';
import { Failed, Waiting } from './states.tsx';

interface Props {
  readonly row: KeywordRow;
  /** Stored dates, newest first. */
  readonly dates: readonly string[];
  /** The shown one; null: none is stored. */
  readonly date: string | null;
  readonly onChoose: (date: string) => void;
}

export function SerpPanel({ row, dates, date, onChoose }: Props): ReactNode {
  const search = searchOf(row);
  const serpPath = useSerpPath();
  const against = olderDate(dates, date, row.previousDate);
  const newer = useSerp(search, date);
  const older = useSerp(search, against);
  if (date === null) return <NoSerp />;
  const serp = newer.value?.serp;
  return (
    <>
      <div className="serp-head across">
        <h2>Results page</h2>
        <DateChoice dates={dates} date={date} onChoose={onChoose} />
        {against !== null && (
          <a className="screen-only quiet-link" href={serpPath(search, date, against)}>
            Compare
          </a>
        )}
      </div>
      {newer.error !== null ? (
        <Failed error={newer.error} />
      ) : serp === undefined ? (
        <Waiting shape="rows" rows={10} />
      ) : serp === null ? (
        <NoSerp />
      ) : (
        <Dated row={row} serp={serp} before={older.value?.serp ?? null} href={serpPath(search, date, 'none')} />
      )}
    </>
  );
}

/** The date to compare with: that of the row if it is earlier, else the one before. */
function olderDate(dates: readonly string[], date: string | null, compared: string | null): string | null {
  const earlier = dates.filter((of) => date !== null && of < date);
  return earlier.find((of) => compared !== null && of <= compared) ?? earlier[0] ?? null;
}

function NoSerp(): ReactNode {
  return (
    <>
      <h2>Results page</h2>
      <p className="soft">
        {isFile()
          ? 'This file has the results pages of the keywords that changed most, and not of this one.'
          : 'No results page of this search is stored for these dates.'}
      </p>
    </>
  );
}

function Dated({
  row,
  serp,
  before,
  href,
}: {
  readonly row: KeywordRow;
  readonly serp: StoredSerpView;
  readonly before: StoredSerpView | null;
  readonly href: string;
}): ReactNode {
  const { facts } = useProject();
  const marks = before === null ? null : marksOf(before, serp);
  const gone = [
    ...(marks?.features.lost ?? []).map(featureName),
    ...(marks?.left ?? [])
      .filter(({ rank, target }) => target !== null || (rank ?? 99) <= 10)
      .map(({ rank, url }) => `${siteOf(url)} (was ${rank})`),
  ];
  return (
    <>
      <p className="cover" title={`${serp.source}, run ${serp.runId}`}>
        read {moment(serp.checkedAt)}, {counted(serp.pages, 'page')}
        {before !== null && ` · arrows: since ${day(before.date, serp.date)}`}
      </p>
      {marks !== null && <AboveUs moves={marks} />}
      {before !== null && before.source !== serp.source && <SourcesDiffer before={before} after={serp} />}
      <SerpBlocks
        serp={serp}
        colourOf={rivalColours(facts.competitors)}
        isShown={({ page, target }) => page === 1 || target !== null}
        {...marks?.newer}
      />
      <BelowStored row={row} serp={serp} />
      {gone.length > 0 && <p className="cover">Gone since then: {gone.join(', ')}</p>}
      <p className="cover">
        <a className="quiet-link" href={href}>
          The whole page: {number(serp.results.length)} results
        </a>
      </p>
    </>
  );
}

function BelowStored({ row, serp }: { readonly row: KeywordRow; readonly serp: StoredSerpView }): ReactNode {
  if (row.date !== serp.date || row.rank === null || serp.results.some(({ isOwn }) => isOwn)) return null;
  return <p className="cover">Our rank, {row.rank}, lies below what is stored of this page.</p>;
}

const namedMax = 3;

/** Who took ranks from us and who gave us some. */
export function AboveUs({ moves }: { readonly moves: SerpMoves }): ReactNode {
  const { entered, passed, overtaken } = rivalry(moves);
  const named = (of: readonly Move[]) =>
    [
      ...of.slice(0, namedMax).map(({ after: { rank, url } }) => `${siteOf(url)} (${rank})`),
      ...(of.length > namedMax ? [`${number(of.length - namedMax)} more`] : []),
    ].join(', ');
  const sentences = [
    passed.length > 0 && `Passed us: ${named(passed)}.`,
    entered.length > 0 && `New above us: ${named(entered)}.`,
    overtaken.length > 0 && `We passed: ${named(overtaken)}.`,
  ].filter(Boolean);
  return sentences.length === 0 ? null : <p>{sentences.join(' ')}</p>;
}

/** The two pages of a row beside each other, in short: the top, ours and what happened around us. */
export function SerpPair({ row }: { readonly row: KeywordRow }): ReactNode {
  const { facts, period } = useProject();
  const search = searchOf(row);
  const stored = useSerpDates(search).value?.dates ?? [];
  const date = stored.find((of) => period.to === null || of <= period.to) ?? null;
  const against = olderDate(stored, date, row.previousDate);
  const after = useSerp(search, date).value?.serp;
  const before = useSerp(search, against).value?.serp;
  if (after == null || before == null) return null;
  const marks = marksOf(before, after);
  const colourOf = rivalColours(facts.competitors);
  return (
    <>
      <div className="serp-pair serp-pair-small">
        {[
          { serp: before, side: marks.older },
          { serp: after, side: marks.newer },
        ].map(({ serp, side }) => (
          <div key={serp.date}>
            <h3>{day(serp.date, row.date)}</h3>
            <SerpBlocks serp={serp} isSmall colourOf={colourOf} isShown={inShort(serp.results, marks)} {...side} />
          </div>
        ))}
      </div>
      <BelowStored row={row} serp={after} />
    </>
  );
}

const topShown = 3;

function inShort(results: readonly SerpResult[], { tones }: Marks): (result: SerpResult) => boolean {
  const ours = results.find(({ isOwn }) => isOwn)?.rank ?? null;
  return ({ rank, target, url }) =>
    target !== null ||
    tones.has(url) ||
    (rank !== null && (rank <= topShown || (ours !== null && Math.abs(rank - ours) === 1)));
}

export function SourcesDiffer({
  before,
  after,
}: {
  readonly before: StoredSerpView;
  readonly after: StoredSerpView;
}): ReactNode {
  return (
    <p className="notice">
      Read by different sources, {before.source} and {after.source}: the ranks are not comparable.
    </p>
  );
}

interface DateChoiceProps {
  readonly dates: readonly string[];
  readonly date: string;
  readonly onChoose: (date: string) => void;
  readonly label?: string;
}

/** One stored date, with the way to the one before and after it. */
export function DateChoice({ dates, date, onChoose, label = 'Date of the results page' }: DateChoiceProps): ReactNode {
  const at = dates.indexOf(date);
  const step = (to: string | undefined, name: string, Icon: typeof ChevronLeft) => (
    <button
      type="button"
      className="screen-only quiet-button"
      aria-label={`${label}: ${name}`}
      disabled={to === undefined}
      onClick={() => to !== undefined && onChoose(to)}
    >
      <Icon size={16} aria-hidden="true" />
    </button>
  );
  return (
    <span className="date-choice">
      {step(dates[at + 1], 'earlier', ChevronLeft)}
      <select value={date} aria-label={label} onChange={(event) => onChoose(event.target.value)}>
        {dates.map((of) => (
          <option key={of} value={of}>
            {day(of)}
          </option>
        ))}
      </select>
      {step(dates[at - 1], 'later', ChevronRight)}
    </span>
  );
}
