// What is known around the change of one row: facts side by side, without a judgement of cause.

import { namedMarket } from '../../tracker/project.ts';
import { unlinkedFeatures } from '../../tracker/targets/match.ts';
import { type HistoryReader, NotFound } from '../contract.ts';
import type { KeywordHistory, KeywordRow, NoteRecord, RankPoint, StoredSerpView, Summary } from '../records.ts';

export interface ChangeFacts {
  readonly row: KeywordRow;
  /** False: there is no earlier check that it can be compared with. */
  readonly isComparable: boolean;
  /** Null: the URL is the same, or one of them is missing. */
  readonly urlChange: { readonly from: string; readonly to: string } | null;
  /** SERP features of the page, and those in which the target is shown. Null: one of the pages is missing. */
  readonly features: FeatureChange | null;
  readonly ownedFeatures: FeatureChange | null;
  /** Other targets in the same search whose rank differs. Null: not found to its depth. */
  readonly otherTargets: readonly {
    readonly target: string;
    readonly isOwn: boolean;
    readonly previousRank: number | null;
    readonly rank: number | null;
  }[];
  /** After the earlier date, up to the later one. */
  readonly notes: readonly NoteRecord[];
  /** Null: the same source, or unknown. */
  readonly sourceChange: { readonly from: string; readonly to: string } | null;
  /** How all rows of the project changed between the same dates. */
  readonly projectChanges: Summary['changes'];
}

interface FeatureChange {
  readonly won: readonly string[];
  readonly lost: readonly string[];
}

interface ChangeQuery {
  readonly project: string;
  readonly id: string;
  readonly date?: string;
  readonly compare?: string;
}

/** Throws NotFound and InvalidQuery. */
export function changeFacts(reader: HistoryReader, { id, ...query }: ChangeQuery): ChangeFacts {
  const table = { ...query, filter: {}, sort: [] };
  const row = reader.keywords(table).find((each) => each.id === id);
  if (row === undefined) throw new NotFound(`no row "${id}" in ${query.project}`);
  const { project } = query;
  const projectChanges = reader.summary(table).changes;
  const [from, to] = [row.previousDate, row.checkedAt === null ? null : row.date];
  if (from === null || to === null) return { ...noChange, row, isComparable: false, projectChanges };
  const { lines } = reader.keyword({ project, id, from, to });
  const own = lines.find(({ target }) => target === row.target);
  const [before, after] = [pointOf(own, from), pointOf(own, to)];
  const checks = reader.checks({ project, id, from, to });
  const owned = featureChange(before?.ownedFeatures, after?.ownedFeatures);
  const sourceOn = (date: string) => checks.find((check) => check.date === date)?.source ?? null;
  return {
    row,
    isComparable: row.changeClass !== 'not_comparable' && row.changeClass !== 'first_check',
    urlChange: difference(row.previousUrl, row.url),
    features: featureChange(before?.serpFeatures, after?.serpFeatures),
    ownedFeatures: withoutUnknown(
      owned,
      (date) => unlinkedIn(reader.serp({ ...namedMarket(row), project, keyword: row.keyword, date })),
      { from, to },
    ),
    otherTargets: lines.filter((line) => line !== own).flatMap((line) => moved(line, from, to)),
    notes: reader.notes({ project, from, to }).filter(({ date }) => date > from),
    sourceChange: difference(sourceOn(from), sourceOn(to)),
    projectChanges,
  };
}

const noChange = {
  urlChange: null,
  features: null,
  ownedFeatures: null,
  otherTargets: [],
  notes: [],
  sourceChange: null,
} as const;

type RankLine = KeywordHistory['lines'][number];

function pointOf(line: RankLine | undefined, date: string): RankPoint | undefined {
  return line?.points.find((point) => point.date === date);
}

function difference(from: string | null, to: string | null): { from: string; to: string } | null {
  return from === null || to === null || from === to ? null : { from, to };
}

function featureChange(
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
): FeatureChange | null {
  if (before === undefined || after === undefined) return null;
  return {
    won: after.filter((feature) => !before.includes(feature)),
    lost: before.filter((feature) => !after.includes(feature)),
  };
}

/** A page that shows a feature without links does not say whom: it is neither won nor lost. */
function withoutUnknown(
  change: FeatureChange | null,
  unlinkedOn: (date: string) => readonly string[],
  { from, to }: { readonly from: string; readonly to: string },
): FeatureChange | null {
  if (change === null || change.won.length + change.lost.length === 0) return change;
  const [unlinkedBefore, unlinked] = [unlinkedOn(from), unlinkedOn(to)];
  return {
    won: change.won.filter((feature) => !unlinkedBefore.includes(feature)),
    lost: change.lost.filter((feature) => !unlinked.includes(feature)),
  };
}

function unlinkedIn(serp: StoredSerpView | null): readonly string[] {
  if (serp === null) return [];
  const features = serp.features.map(({ type, urls }) => ({ type, links: urls }));
  return unlinkedFeatures(features, serp.places.length);
}

/** Only between two complete checks: a failed page never becomes a rank. */
function moved(line: RankLine, from: string, to: string): ChangeFacts['otherTargets'][number][] {
  const [before, after] = [pointOf(line, from), pointOf(line, to)];
  if (before === undefined || after === undefined || !isComplete(before) || !isComplete(after)) return [];
  if (before.rank === after.rank) return [];
  return [{ target: line.target, isOwn: line.isOwn, previousRank: before.rank, rank: after.rank }];
}

function isComplete({ status }: RankPoint): boolean {
  return status === 'ranked' || status === 'not_found';
}
