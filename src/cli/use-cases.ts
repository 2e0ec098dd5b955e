// The use cases that commands call, each loaded when a command needs it. Tests replace them.

export const useCases = {
  run: async () => (await import('../app/runs/run.ts')).run,
  plan: async () => (await import('../app/runs/plan.ts')).plan,
  runSchedule: async () => (await import('../app/runs/schedule.ts')).runSchedule,
  readStatus: async () => (await import('../app/runs/status.ts')).readStatus,
  discardRun: async () => (await import('../app/runs/discard-run.ts')).discardRun,
  planRanksBackfill: async () => (await import('../app/backfill/ranks.ts')).planRanksBackfill,
  backfillRanks: async () => (await import('../app/backfill/ranks.ts')).backfillRanks,
  planVolumesBackfill: async () => (await import('../app/backfill/volumes.ts')).planVolumesBackfill,
  backfillVolumes: async () => (await import('../app/backfill/volumes.ts')).backfillVolumes,
  derive: async () => (await import('../app/backfill/derive.ts')).derive,
  importHistory: async () => (await import('../app/import/import-history.ts')).importHistory,
  report: async () => (await import('../app/reports/report.ts')).report,
  readHistory: async () => (await import('../app/reports/history.ts')).readHistory,
  exportRows: async () => (await import('../app/reports/export.ts')).exportRows,
  listNotes: async () => (await import('../app/reports/notes.ts')).listNotes,
  addNote: async () => (await import('../app/reports/notes.ts')).addNote,
  removeNote: async () => (await import('../app/reports/notes.ts')).removeNote,
  listUnsentAlerts: async () => (await import('../app/alerts/alerts.ts')).listUnsentAlerts,
  testChannels: async () => (await import('../app/alerts/alerts.ts')).testChannels,
  retryAlerts: async () => (await import('../app/alerts/alerts.ts')).retryAlerts,
  audit: async () => (await import('../app/upkeep/audit.ts')).audit,
  reconcile: async () => (await import('../app/upkeep/reconcile.ts')).reconcile,
  lookUpSerp: async () => (await import('../app/accounts/look-up.ts')).lookUpSerp,
  lookUpKeywords: async () => (await import('../app/accounts/look-up.ts')).lookUpKeywords,
  openAccounts: async () => (await import('../app/accounts/accounts.ts')).openAccounts,
  view: async () => (await import('../app/workspace/view.ts')).view,
  serve: async () => (await import('../app/accounts/serve.ts')).serve,
};

export type UseCases = typeof useCases;
