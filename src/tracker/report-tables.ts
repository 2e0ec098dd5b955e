// The tables of a report, by the names of their files without the ending.

/** Those that a report has unless `reports.tables` says otherwise. */
const usual = [
  'rank-changes',
  'causes',
  'attribution',
  'summary',
  'movers',
  'competitors',
  'problems',
  'spend',
  'volumes',
  // only of projects with AI answers, clicks, a grid or places, and of periods
  'answers',
  'click-changes',
  'grid',
  'grid-summary',
  'local-pack',
  'period',
] as const;

export const reportTables = [
  ...usual,
  'intents',
  'serp-features',
  'serp-movement',
  'cannibalization',
  'discovered-competitors',
  'destinations',
] as const;

export type ReportTableName = (typeof reportTables)[number];

export const usualTables: readonly ReportTableName[] = usual;
