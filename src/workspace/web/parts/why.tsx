// Why rows changed: the first cause beside a row, and all causes of one with the places that they add up to.
import type { ReactNode } from 'react';
import type { KeywordRow } from '../../../read/records.ts';
import { type CauseRecord, firstReason, type KeywordCauses, reasonMin } from '../../../tracker/causes/cause-text.ts';
import type { SummarySentence } from '../../../tracker/causes/change-summary.ts';
import { changed, pathTo } from '../address.ts';
import { type ApiError, isFile, type List } from '../api.ts';
import { sentence } from '../keyword-story.ts';
import { ownParameters } from '../own-parameters.ts';
import { useKept, useProject, useProjectAnswer } from '../project.tsx';
import { searchIn, useSerpDates } from '../stored-serps.ts';
import { counted, day, missing, signed, withMarketWords } from '../words.ts';
import { Unread } from './states.tsx';

/** More than a table of movers shows. */
const causesMax = '25';
interface FirstCauses {
  /** Null: none is known, or the change is noise. */
  readonly of: (row: KeywordRow) => CauseRecord | null;
  readonly isReading: boolean;
  /** Null: they were read, or are on their way. */
  readonly error: ApiError | null;
}

/** The strongest cause of the largest changes of a kind, beyond their noise. */
export function useFirstCauses(change: string): FirstCauses {
  const { value, error } = useProjectAnswer<List<KeywordCauses>>('causes', 'table', { change, limit: causesMax });
  const byId = new Map(value?.data.map((row) => [row.id, firstReason(row)]));
  return {
    of: ({ id }) => byId.get(id) ?? null,
    isReading: value === undefined && error === null,
    error,
  };
}

interface CauseLinkProps {
  readonly cause: CauseRecord;
  /** It begins a line: with a capital, unless that is the name of a site. */
  readonly isAlone?: boolean;
}

/** A cause in words that leads to its evidence, where that can be shown. */
export function CauseLink({ cause, isAlone = false }: CauseLinkProps): ReactNode {
  const said = withMarketWords(cause.sentence);
  const words = isAlone && cause.site === undefined ? sentence(said) : said;
  return <EvidenceLink evidence={cause.evidence}>{words}</EvidenceLink>;
}

/** A finding, whose subject leads to its evidence. */
export function WhySentence({ sentence: { text, link, evidence } }: { readonly sentence: SummarySentence }): ReactNode {
  const [before = '', ...after] = text.split(link);
  return (
    <>
      {before}
      <EvidenceLink evidence={evidence} isOfShownRows>
        {withMarketWords(link)}
      </EvidenceLink>
      <bdi>{withMarketWords(after.join(link)).split(effect).map(withWeight)}</bdi>.
    </>
  );
}

/** What a sentence is about: `−288 clicks a month`. */
const effect = /([+−][\d.,]+ (?:points?|clicks? a month))/;

/** Splitting by `effect` leaves it in the odd places. */
function withWeight(part: string, at: number): ReactNode {
  if (at % 2 === 0) return part;
  return (
    <strong key={part} className={part.startsWith('+') ? 'good' : 'bad'}>
      {part}
    </strong>
  );
}

interface EvidenceLinkProps {
  readonly evidence: string;
  readonly children: string;
  /** It was found under the filters of this page. */
  readonly isOfShownRows?: boolean;
}

function EvidenceLink({ evidence, children, isOfShownRows = false }: EvidenceLinkProps): ReactNode {
  const { name } = useProject();
  const kept = useKept();
  const [page = 'home', query = ''] = evidence.split('?');
  const parameters = new URLSearchParams(query);
  const isHeld = useIsHeld(page, parameters);
  if (!isHeld && !(isOfShownRows && page === 'keywords')) return <bdi>{children}</bdi>;
  // filters would hide rows that the evidence of one row counts
  const around = isOfShownRows || page in ownParameters ? kept : new URLSearchParams();
  return (
    <a className="cause" href={pathTo(name, page, changed(around, Object.fromEntries(parameters)))}>
      <bdi>{children}</bdi>
    </a>
  );
}

/** A report has the pages of its keywords, and some of their results pages. */
function useIsHeld(page: string, parameters: URLSearchParams): boolean {
  const { value } = useSerpDates(isFile() && page === 'serp' ? searchIn(parameters) : null);
  if (!isFile() || page === 'keyword') return true;
  return ['date', 'against'].every((of) => value?.dates.includes(parameters.get(of) ?? ''));
}

interface WhyProps {
  readonly row: KeywordRow;
  /** Absent: all. */
  readonly max?: number;
}

/** The causes of a row's change, strongest first. */
export function Why({ row, max }: WhyProps): ReactNode {
  const { asked } = useProject();
  const { value, error } = useProjectAnswer<KeywordCauses>(`keywords/${encodeURIComponent(row.id)}/causes`, 'nothing', {
    date: asked.get('date'),
    compare: asked.get('compare'),
  });
  if (value === undefined) return <Unread shape="rows" rows={max ?? 4} error={error} />;
  const { causes, places, unknown, isAtLeast } = value;
  const shown = causes.slice(0, max);
  const sum = places === null || places === 0 ? null : `${isAtLeast ? 'at least ' : ''}${signed(places)}`;
  return (
    <>
      {shown.length === 0 ? (
        unknown.length === 0 && <p className="cover">Nothing around it is known to have changed.</p>
      ) : (
        <ol className="causes">
          {shown.map((cause) => (
            <li
              key={`${cause.kind} ${cause.sentence}`}
              className={cause.strength < reasonMin ? 'quiet-row' : undefined}
            >
              <i className="cause-strength" title={`Strength ${cause.strength}`} aria-hidden="true">
                <i style={{ width: `${Math.round(100 * cause.strength)}%` }} />
              </i>
              <CauseLink cause={cause} isAlone />
              <span className="cover">{cause.certainty}</span>
              <b className="right">{cause.places === undefined ? '' : signed(cause.places)}</b>
            </li>
          ))}
        </ol>
      )}
      {max === undefined && sum !== null && (
        <p className="cover">
          The places add up to {sum}, from {value.previousRank ?? missing} on {day(value.from, value.to)} to{' '}
          {value.rank ?? missing}.
        </p>
      )}
      {max !== undefined && causes.length > max && (
        <p className="cover">{counted(causes.length - max, 'more cause')}</p>
      )}
      {unknown.map((sentence) => (
        <p key={sentence} className="cover">
          {sentence}
        </p>
      ))}
    </>
  );
}
