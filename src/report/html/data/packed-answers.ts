// Rows of AI answers in the data of report.html: searches, periods and targets once, and shares as two counts.

import type { AnswerRow } from '../../../read/answer-row.ts';
import { Interned } from '../../../read/interned.ts';
import { type AnswerShare, answerShare } from '../../../tracker/answers/answer-share.ts';

/** Without what all rows of a page share. */
type PageAnswerRow = Omit<AnswerRow, 'project' | 'warning'>;

type Search = Pick<AnswerRow, 'engine' | 'prompt' | 'country' | 'language' | 'device' | 'location'>;
type PackedShare = readonly [count: number, of: number] | null;
type PackedShares = readonly [shown: PackedShare, cited: PackedShare, mentioned: PackedShare];

/** A tenth of the size of the rows. */
export interface PackedAnswers {
  readonly searches: readonly Search[];
  readonly periods: readonly string[];
  readonly targets: readonly Pick<AnswerRow, 'target' | 'isOwn'>[];
  /** The first three are indices in these lists. */
  readonly rows: readonly (readonly [
    search: number,
    period: number,
    target: number,
    asked: number,
    shares: PackedShares,
    pages: readonly string[],
    before: readonly [period: number, shares: PackedShares] | null,
  ])[];
}

export function packAnswers(rows: readonly AnswerRow[]): PackedAnswers {
  const searches = new Interned<Search>();
  const periods = new Interned<string>();
  const targets = new Interned<Pick<AnswerRow, 'target' | 'isOwn'>>();
  const packed = rows.map(({ engine, prompt, country, language, device, location, ...row }) => {
    const { period, target, isOwn, asked, pages, before } = row;
    return [
      searches.idOf({ engine, prompt, country, language, device, location }),
      periods.idOf(period),
      targets.idOf({ target, isOwn }),
      asked,
      packShares(row),
      pages,
      before === null ? null : ([periods.idOf(before.period), packShares(before)] as const),
    ] as const;
  });
  return { searches: searches.list(), periods: periods.list(), targets: targets.list(), rows: packed };
}

/** In the order of `packAnswers`. */
export function unpackAnswers({ searches, periods, targets, rows }: PackedAnswers): PageAnswerRow[] {
  return rows.flatMap(([search, period, target, asked, shares, pages, before]) => {
    const [of, shown] = [searches[search], targets[target]];
    if (of === undefined || shown === undefined) return [];
    const previous = before && { period: periods[before[0]] ?? '', ...unpackShares(before[1]) };
    return { ...of, period: periods[period] ?? '', ...shown, asked, ...unpackShares(shares), pages, before: previous };
  });
}

type Shares = Pick<AnswerRow, 'shown' | 'cited' | 'mentioned'>;

function packShares({ shown, cited, mentioned }: Shares): PackedShares {
  const pack = (share: AnswerShare | null): PackedShare => share && [share.count, share.of];
  return [pack(shown), pack(cited), pack(mentioned)];
}

function unpackShares([shown, cited, mentioned]: PackedShares): Shares {
  const unpack = (share: PackedShare): AnswerShare | null => share && answerShare(...share);
  return { shown: unpack(shown), cited: unpack(cited), mentioned: unpack(mentioned) };
}
