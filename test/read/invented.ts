// Rows to test reports with: one plain input, and the differences from it.
import { HistoryRow, type RowInput, type RowTable } from '../../src/read/row.ts';
import type { Observation } from '../../src/tracker/observation.ts';
import type { TargetOutcome } from '../../src/tracker/targets/match.ts';

export const curve = 'sistrix-2020';
const checkedAt = Date.UTC(2026, 0, 2, 5);
const earlierAt = Date.UTC(2026, 0, 1, 5);

export function rankedAt(organicRank: number, page = Math.ceil(organicRank / 10)): TargetOutcome {
  return { kind: 'ranked', organicRank, absoluteRank: organicRank + 3, page, url: 'https://www.acme.com/shoes' };
}

export function observed(
  rank: number | null,
  depth = 3,
  page = rank === null ? null : Math.ceil(rank / 10),
): Observation {
  return {
    status: rank === null ? 'not_found' : 'ranked',
    rank,
    absoluteRank: null,
    page,
    url: rank === null ? null : 'https://www.acme.com/shoes',
    depth,
    resultsRead: null,
    checkedAt: earlierAt,
    source: 'default/sandbox',
  };
}

export const plainCheck: NonNullable<RowInput['check']> = {
  status: 'ok',
  reason: null,
  checkedAt,
  depth: 3,
  source: 'default/sandbox',
  runId: 7,
  features: ['people_also_ask', 'video'],
};

export const plainTable: RowTable = {
  project: 'acme',
  slot: { localDate: '2026-01-02', timezone: 'UTC' },
  ctrCurve: curve,
};

export const plainInput: RowInput = {
  search: {
    keyword: 'running shoes',
    market: { service: 'default', country: 'US', language: 'en', device: 'desktop' },
  },
  target: { match: 'domain', value: 'acme.com' },
  tags: ['brand'],
  check: plainCheck,
  outcome: rankedAt(5),
  ownedFeatures: ['video'],
  baseline: observed(8),
  bestRank: 4,
  metrics: {
    searchVolume: 1_000,
    month: '2025-12',
    cpcMicroUsd: 1_250_000,
    competition: 40,
    competitionLevel: 'medium',
    intent: 'commercial',
  },
  note: null,
};

/** The row of the plain input with these differences. */
export function rowOf(differences: Partial<RowInput> = {}): HistoryRow {
  return new HistoryRow({ ...plainInput, ...differences }, plainTable);
}

/** A row of this keyword and volume. */
export function keywordRow(
  keyword: string,
  searchVolume: number | null,
  differences: Partial<RowInput> = {},
): HistoryRow {
  return rowOf({
    search: { ...plainInput.search, keyword },
    metrics: plainInput.metrics === null ? null : { ...plainInput.metrics, searchVolume },
    ...differences,
  });
}
