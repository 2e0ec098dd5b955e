// Reads a keyword's history for people: rows of the tracked targets, failures included.
import type { HistoryFilter, HistoryRecord } from '../../db/history/history.ts';
import { joinNotes } from '../../src/read/note.ts';
import type { RowStatus } from '../../src/tracker/observation.ts';
import type { NamedMarket, Project, Target } from '../../src/tracker/project.ts';
import { classifyDestination, type Destination, isPlace, targetKey } from '../../src/tracker/targets/target.ts';
import type { JobContext } from '../context.ts';
import { discardNote, seenNote } from '../slot-day.ts';

export interface HistoryQuery extends Omit<HistoryFilter, 'project'> {
  /** Absent: all. */
  readonly target?: string;
}

/** One row a target and check. */
export interface HistoryRow extends NamedMarket {
  readonly project: string;
  readonly keyword: string;
  readonly service: string;
  readonly target: string;
  readonly competitor: boolean;
  readonly slot: string;
  /** On which the pages were seen; of what was not read, of the slot. */
  readonly localDate: string;
  /** ISO 8601; of what another tool saw the date only. */
  readonly checkedAt: string | null;
  readonly status: RowStatus;
  readonly rank: number | null;
  readonly absoluteRank: number | null;
  readonly page: number | null;
  /** A URL; of a result whose page the engine hid its site alone, `shop.example`. */
  readonly url: string | null;
  /** What `url` is; null where there is none. */
  readonly destination: Destination | null;
  readonly depth: number;
  readonly serpFeatures: readonly string[];
  readonly ownedFeatures: readonly string[];
  readonly reason: string | null;
  readonly source: string | null;
  readonly runId: number;
  /** Its run was discarded: reports and averages leave the row out. */
  readonly discarded: boolean;
  /** Of a place: its rank; null: not in the local results. Absent: the target is not a place. */
  readonly localRank?: number | null;
  /** What to know before believing the row: it was seen on another day than its slot's, or its run was discarded. */
  readonly note: string | null;
}

/** Rows by project, target, market and slot. Checks that have not ended are left out. */
export function* historyRows(
  context: JobContext,
  projects: readonly Project[],
  query: HistoryQuery,
): IterableIterator<HistoryRow> {
  for (const project of projects) {
    const targets = [
      ...project.targets.map((target) => ({ target, competitor: false })),
      ...project.competitors.map((target) => ({ target, competitor: true })),
    ];
    for (const { target, competitor } of targets) {
      if (query.target !== undefined && target.value !== query.target) continue;
      const { keyword, country, device, location, from, to } = query;
      const filter = {
        project: project.id,
        keyword,
        country,
        device,
        location,
        from,
        to,
      };
      for (const record of context.store.history.records(targetKey(target), filter)) {
        if (record.state === 'planned' || record.state === 'running') continue;
        // another tool's file says nothing of targets that it does not name
        if (record.isImported && record.ranking === null) continue;
        yield toHistoryRow(project, target, competitor, record);
      }
    }
  }
}

function toHistoryRow(project: Project, target: Target, competitor: boolean, record: HistoryRecord): HistoryRow {
  const { rank = null, absoluteRank = null, page = null, url = null, ownedFeatures = [] } = record.ranking ?? {};
  const { keyword, service, country, language, device, location, slot, localDate, runId, reason } = record;
  return {
    project: project.id,
    keyword,
    service,
    country,
    language,
    device,
    location: location ?? undefined,
    target: target.value,
    competitor,
    slot,
    localDate,
    checkedAt: formatCheckedAt(record),
    status: rowStatus(record),
    rank,
    ...(isPlace(target) && { localRank: rank }),
    absoluteRank,
    page,
    url,
    destination: url === null ? null : classifyDestination(url),
    depth: record.pagesFollowed ?? record.ranking?.depth ?? record.depth,
    serpFeatures: record.features,
    ownedFeatures,
    reason,
    source: record.source,
    runId,
    discarded: record.isDiscarded,
    note: rowNote(record),
  };
}

function rowNote({ isDiscarded, discardReason, slot, localDate }: HistoryRecord): string | null {
  return joinNotes([isDiscarded ? discardNote(discardReason) : null, seenNote(slot, localDate)]);
}

/** Another tool's file says the day, and no more; our own export (`import/SERVICE/SOURCE`) says when. */
function formatCheckedAt({ checkedAt, isImported, localDate, source }: HistoryRecord): string | null {
  if (checkedAt === null) return null;
  return isImported && !/^import\/.*\//.test(source ?? '') ? localDate : new Date(checkedAt).toISOString();
}

function rowStatus({ state, ranking, pagesFollowed }: HistoryRecord): RowStatus {
  if (ranking?.rank != null) return 'ranked';
  if (pagesFollowed !== null) return 'not_followed';
  if (ranking !== null && ranking.url === null) return 'not_found';
  return state === 'ok' || state === 'planned' || state === 'running' ? 'incomplete' : state;
}
