// The tables of a report, by the names of their files without the ending.

export const reportTables = [
  ...(['rank-changes', 'summary', 'movers', 'competitors', 'problems', 'spend', 'volumes'] as const),
  ...(['intents', 'grid', 'grid-summary', 'answers', 'click-changes', 'serp-features', 'serp-movement'] as const),
  ...(['cannibalization', 'discovered-competitors', 'local-pack', 'destinations', 'period'] as const),
] as const;

export type ReportTableName = (typeof reportTables)[number];
