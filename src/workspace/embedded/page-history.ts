// The history of one row of report.html: ranks, ranking URLs and features by date.

import type { PageData } from '../../report/html/data/page-data.ts';
import { decodeRank, notRecorded, pairSteps, rankCodes } from '../../report/html/data/trail.ts';
import type { RowStatus } from '../../tracker/observation.ts';
import type { RankPoint } from '../records.ts';
import { trailOf } from './page-rows.ts';

const statuses: Readonly<Record<number, RowStatus>> = {
  [rankCodes.notFound]: 'not_found',
  [rankCodes.incomplete]: 'incomplete',
  [rankCodes.failed]: 'failed',
  [rankCodes.deferred]: 'deferred',
  [rankCodes.unknownPaid]: 'unknown_paid',
  [rankCodes.notFollowed]: 'not_followed',
};

/** One point per date with a check. Times are not in the file. */
export function rankPoints(data: PageData, id: string): RankPoint[] {
  const { axis, history, texts } = data;
  const index = Number(id);
  const trail = trailOf(data, index);
  const urlAt = inEffect(history.urlSteps[index]);
  const ownedAt = inEffect(history.ownedSteps[index]);
  const shownAt = inEffect(history.shownSteps[index]);
  return axis.dates.flatMap((date, at) => {
    const code = trail[at] ?? rankCodes.none;
    const rank = decodeRank(code);
    const status = rank === null ? statuses[code] : 'ranked';
    if (status === undefined) return [];
    const isRead = status === 'ranked' || status === 'not_found';
    const shown = shownAt(at);
    return {
      date,
      checkedAt: null,
      status,
      rank,
      url: rank === null ? null : textAt(texts['urls'], urlAt(at)),
      depth: null,
      serpFeatures: isRead ? listAt(texts['features'], shown) : [],
      ownedFeatures: isRead ? listAt(texts['features'], ownedAt(at)) : [],
      featuresKnown: isRead && shown > notRecorded,
      note: null,
    };
  });
}

/** The same of a target that the page knows by its ranks only. */
export function rankPointsOf({ axis }: PageData, trail: readonly number[]): RankPoint[] {
  return axis.dates.flatMap((date, at) => {
    const code = trail[at] ?? rankCodes.none;
    const rank = decodeRank(code);
    const status = rank === null ? statuses[code] : 'ranked';
    const unknown = { checkedAt: null, url: null, depth: null, serpFeatures: [], ownedFeatures: [], note: null };
    return status === undefined ? [] : [{ ...unknown, date, status, rank, featuresKnown: false }];
  });
}

/** The number in effect on a date; `notRecorded` before the first step. */
function inEffect(flat: readonly number[] | undefined): (date: number) => number {
  const steps = pairSteps(flat ?? []);
  return (date) => steps.findLast(([from]) => from <= date)?.[1] ?? notRecorded;
}

type Texts = PageData['texts'][string] | undefined;

function textAt(texts: Texts, index: number): string | null {
  const text = texts?.[index];
  return typeof text === 'string' ? text : null;
}

function listAt(texts: Texts, index: number): readonly string[] {
  const list = texts?.[index];
  return typeof list === 'object' ? list : [];
}
