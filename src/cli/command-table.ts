// Every command by its name: one row here, one file in commands/, loaded when it is asked for.
import type { CommandDefinition } from './command.ts';

export interface CommandEntry {
  readonly name: string;
  /** Heading it stands under in the help. */
  readonly group: string;
  readonly summary: string;
  readonly load: () => Promise<CommandDefinition>;
}

export const commandTable: readonly CommandEntry[] = [
  {
    name: 'demo',
    group: 'Start here',
    summary: 'track two made-up sites over 30 simulated days, at no cost',
    load: async () => (await import('./commands/demo.ts')).command,
  },
  {
    name: 'init',
    group: 'Start here',
    summary: 'write a commented starter config and keyword file',
    load: async () => (await import('./commands/init.ts')).command,
  },
  {
    name: 'check',
    group: 'Start here',
    summary: 'check the config: what is tracked, what it costs; --online: whether all answers',
    load: async () => (await import('./commands/check.ts')).command,
  },
  {
    name: 'plan',
    group: 'Track',
    summary: 'dry run: what the next run would buy, cost and defer',
    load: async () => (await import('./commands/plan.ts')).command,
  },
  {
    name: 'run',
    group: 'Track',
    summary: 'run what is due, and write its reports',
    load: async () => (await import('./commands/run.ts')).command,
  },
  {
    name: 'schedule',
    group: 'Track',
    summary: 'run what is due, again and again, until a signal ends it',
    load: async () => (await import('./commands/schedule.ts')).command,
  },
  {
    name: 'worker',
    group: 'Track',
    summary: 'carry out requests from Redis, on any machine',
    load: async () => (await import('./commands/worker.ts')).command,
  },
  {
    name: 'backfill',
    group: 'Track',
    summary: 'fill in what history lacks: ranks, volumes, new targets, other tools',
    load: async () => (await import('./commands/backfill.ts')).command,
  },
  {
    name: 'status',
    group: 'Track',
    summary: 'last runs, what is due next, budget left, failures',
    load: async () => (await import('./commands/status.ts')).command,
  },
  {
    name: 'alerts',
    group: 'Track',
    summary: 'what was not told yet; try a channel, or all of that again',
    load: async () => (await import('./commands/alerts.ts')).command,
  },
  {
    name: 'report',
    group: 'Read',
    summary: 'write the reports again from history, against any earlier date',
    load: async () => (await import('./commands/report.ts')).command,
  },
  {
    name: 'note',
    group: 'Read',
    summary: 'what happened on a day, for readers of changes: add, list, remove',
    load: async () => (await import('./commands/note.ts')).command,
  },
  {
    name: 'history',
    group: 'Read',
    summary: 'the ranks of one keyword over time',
    load: async () => (await import('./commands/history.ts')).command,
  },
  {
    name: 'export',
    group: 'Read',
    summary: 'all that is recorded, as CSV, JSON lines or Parquet',
    load: async () => (await import('./commands/export.ts')).command,
  },
  {
    name: 'serp',
    group: 'Look up',
    summary: 'buy the result pages of one keyword now, and print them',
    load: async () => (await import('./commands/serp.ts')).command,
  },
  {
    name: 'keywords',
    group: 'Look up',
    summary: 'buy search volume, cost and related keywords of one keyword now; import lists of them',
    load: async () => (await import('./commands/keywords.ts')).command,
  },
  {
    name: 'parse',
    group: 'Look up',
    summary: 'read a saved results page, offline',
    load: async () => (await import('./commands/parse.ts')).command,
  },
  {
    name: 'intent',
    group: 'Look up',
    summary: 'what searchers of a keyword want, and why, offline',
    load: async () => (await import('./commands/intent.ts')).command,
  },
  {
    name: 'serve',
    group: 'Serve',
    summary: 'the Search Data Service over HTTP',
    load: async () => (await import('./commands/serve.ts')).command,
  },
  {
    name: 'account',
    group: 'Serve',
    summary: 'accounts of the service: create, list, show, credit, whitelist, statement',
    load: async () => (await import('./commands/account.ts')).command,
  },
  {
    name: 'api-user',
    group: 'Serve',
    summary: 'who may call it: add, list, expire, revoke',
    load: async () => (await import('./commands/api-user.ts')).command,
  },
  {
    name: 'audit',
    group: 'Trust',
    summary: 'prove that every credit is accounted for',
    load: async () => (await import('./commands/audit.ts')).command,
  },
  {
    name: 'verify',
    group: 'Trust',
    summary: 'prove that a database or a backup holds what was written into it',
    load: async () => (await import('./commands/verify.ts')).command,
  },
  {
    name: 'backup',
    group: 'Trust',
    summary: 'a checked copy of the database, while runs go on',
    load: async () => (await import('./commands/backup.ts')).command,
  },
  {
    name: 'prune',
    group: 'Trust',
    summary: 'give up raw pages that are old, never history (dry run by default)',
    load: async () => (await import('./commands/prune.ts')).command,
  },
];
