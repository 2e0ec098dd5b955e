// Reads the SERP of each search, now and in its baseline, from archived pages.

import type { SearchContents, StoredSerp } from '../../../db/reads/reports/serp-contents.ts';
import { joinNotes } from '../../../src/read/note.ts';
import { buildSerp, type Serp, type SerpRow } from '../../../src/read/serp.ts';
import { comparableSource, comparisonText, incomparable } from '../../../src/tracker/changes/change.ts';
import { type Note, noteTextsBetween } from '../../../src/tracker/changes/note.ts';
import { monthWindowKey } from '../../../src/tracker/schedule/local-time.ts';
import { baselineWindow, findSuspicion } from './report-rows.ts';
import { projectNotes, type SerpScope } from './report-scope.ts';
import { type Batch, inBatches } from './search-batches.ts';
import type { ProjectSites } from './serp-sites.ts';

/**
 * Pages of more searches would live long enough to be taken for lasting ones: the heap would grow to several times what
 * is in use.
 */
const searchesPerRead = 20;

/** A search, and the check that its history starts from. */
export interface ReadSearch {
  readonly row: SerpRow;
  /** Null unless the check is complete. */
  readonly checkId: number | null;
}

/** The searches of a project, a batch at a time: market by market, keywords as configured. */
export function* serpRows(scope: SerpScope, sites: ProjectSites): Generator<readonly ReadSearch[]> {
  const { context, settings, runs, slot, project } = scope;
  const { comparison, toleranceMs } = settings;
  const { serpContents } = context.store;
  const baselines = baselineWindow({ comparison, slot, runs, toleranceMs });
  const baselineRuns = serpContents.baselineRuns(project.id, runs[0].moment, baselines);
  const month = monthWindowKey(Math.max(runs[0].moment, slot.at), slot.timezone);
  const notes = projectNotes(scope);
  for (const batch of inBatches(project, searchesPerRead)) {
    const keywords = batch.keywords.map(({ keyword }) => keyword);
    const contents = serpContents.of({
      runs,
      project: project.id,
      market: batch.market,
      keywords,
      baselines,
      baselineRuns,
      month,
    });
    sites.prepare(collectUrls(contents));
    yield contents.flatMap((search, index) => readSearch(scope, notes, batch, index, search, sites));
  }
}

function readSearch(
  scope: SerpScope,
  notes: readonly Note[],
  { market, keywords }: Batch,
  index: number,
  search: SearchContents,
  sites: ProjectSites,
): ReadSearch[] {
  const tracked = keywords[index];
  if (tracked === undefined) return [];
  const { check, now, before, hasHistory, searchVolume } = search;
  const current = now === null ? null : toSerp(now, sites);
  const isOther = now !== null && before !== null && comparableSource(before.source) !== comparableSource(now.source);
  const earlier = before === null || isOther ? null : toSerp(before, sites);
  const [from, until] = [earlier?.checkedAt ?? null, current?.checkedAt ?? null];
  const happened = noteTextsBetween(notes, tracked, scope.slot.timezone, from, until);
  const row: SerpRow = {
    project: scope.project.id,
    keyword: tracked.keyword,
    country: market.country,
    language: market.language,
    device: market.device,
    location: market.location,
    tags: tracked.tags,
    searchVolume,
    now: current,
    before: earlier,
    incomparable: earlier !== null ? null : hasHistory || now === null ? 'not_comparable' : 'first_check',
    note: chooseNote(scope, search, isOther ? before.source : null),
    happened: happened.join('; ') || undefined,
    runId: check?.runId ?? null,
  };
  return [{ row, checkId: now?.checkId ?? null }];
}

function toSerp({ checkedAt, source, depth, pages }: StoredSerp, sites: ProjectSites): Serp {
  return buildSerp({ checkedAt, source, depth }, pages, sites);
}

/** Why a search has no numbers, or none to compare with. */
function chooseNote(
  scope: SerpScope,
  { check, now, before, hasHistory }: SearchContents,
  otherSource: string | null,
): string | null {
  const notes: string[] = [];
  if (check === null) notes.push('not checked in this run');
  else if (now === null) notes.push(check.reason ?? `the check is ${check.status.replace('_', ' ')}`);
  else if (otherSource !== null) notes.push(`not comparable: ${incomparable.otherSource(otherSource)}`);
  else if (before === null && hasHistory) {
    notes.push(`not comparable: ${incomparable.noBaseline(comparisonText(scope.settings.comparison))}`);
  }
  if (findSuspicion({ ...scope, store: scope.context.store }) !== null) notes.push('suspect run');
  return joinNotes(notes);
}

/** All URLs of a batch. */
function collectUrls(contents: readonly SearchContents[]): number[] {
  const all: number[] = [];
  for (const { now, before } of contents) {
    for (const pages of [now?.pages ?? [], before?.pages ?? []]) {
      for (const { urlIds, features } of pages) {
        all.push(...urlIds);
        for (const { urlIds: links } of features) all.push(...links);
      }
    }
  }
  return all;
}
