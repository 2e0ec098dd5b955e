// Every command: one row here, one file in commands/, loaded when it runs.
import type { CommandDefinition, CommandEntry } from './command.ts';

type Row = readonly [name: string, load: () => Promise<{ readonly command: CommandDefinition }>, summary: string];

/** By the heading in the help. */
const groups: Readonly<Record<string, readonly Row[]>> = {
  'Start here': [
    [
      'start',
      () => import('./commands/start.ts'),
      'config, first report and workspace for a domain, without a question; short: `rankledger example.com`',
    ],
    ['demo', () => import('./commands/demo.ts'), 'track two synthetic sites over 30 simulated days, free'],
    ['init', () => import('./commands/init.ts'), 'write a commented starter config and keyword file'],
    ['check', () => import('./commands/check.ts'), 'check the config and its cost; --online also checks all services'],
  ],
  Track: [
    ['rename', () => import('./commands/rename.ts'), 'give a project or a service another name, and keep its history'],
    ['plan', () => import('./commands/plan.ts'), 'dry run: what the next run would buy, cost and defer'],
    [
      'simulate',
      () => import('./commands/simulate.ts'),
      'the credits of the next month under several policies, and the changes each finds',
    ],
    ['run', () => import('./commands/run.ts'), 'run what is due, and write its reports'],
    ['schedule', () => import('./commands/schedule.ts'), 'poll every minute and run what is due, until stopped'],
    ['worker', () => import('./commands/worker.ts'), 'execute page requests from Redis, on any machine'],
    [
      'backfill',
      () => import('./commands/backfill.ts'),
      'fill gaps in history: missing ranks and volumes, new targets, ranks of other tools',
    ],
    ['status', () => import('./commands/status.ts'), 'show last runs, next slots, remaining budget and failures'],
    ['alerts', () => import('./commands/alerts.ts'), 'list, test and resend notifications'],
  ],
  Read: [
    [
      'report',
      () => import('./commands/report.ts'),
      'write reports again from history, compared with any earlier date',
    ],
    ['view', () => import('./commands/view.ts'), 'show history in a browser, with a read-only API'],
    ['mcp', () => import('./commands/mcp.ts'), 'serve history to AI assistants, over the Model Context Protocol'],
    [
      'reader',
      () => import('./commands/reader.ts'),
      'tokens to read `view` and `mcp` from other machines: add, list, revoke',
    ],
    ['note', () => import('./commands/note.ts'), 'notes on dates, such as a relaunch: add, list, remove'],
    ['history', () => import('./commands/history.ts'), 'show the ranks of one keyword over time'],
    [
      'why',
      () => import('./commands/why.ts'),
      'explain why ranks changed: causes with their strength, strongest first',
    ],
    ['export', () => import('./commands/export.ts'), 'export recorded data as CSV, JSON lines or Parquet'],
  ],
  'Look up': [
    ['serp', () => import('./commands/serp.ts'), 'buy the result pages of one keyword now, and print them'],
    [
      'keywords',
      () => import('./commands/keywords.ts'),
      'buy search volume, cost and related keywords of one keyword now; import lists, track lists',
    ],
    [
      'clicks',
      () => import('./commands/clicks.ts'),
      'what measured clicks say: the curve of your site, changes, queries worth tracking',
    ],
    [
      'locations',
      () => import('./commands/locations.ts'),
      'find places for markets, and import the whole table of them',
    ],
    ['parse', () => import('./commands/parse.ts'), 'read a saved results page, offline'],
    ['intent', () => import('./commands/intent.ts'), 'classify the search intent of a keyword, offline'],
  ],
  Serve: [
    ['serve', () => import('./commands/serve.ts'), 'serve the Search Data Service over HTTP'],
    [
      'account',
      () => import('./commands/account.ts'),
      'accounts of the service: create, list, show, credit, whitelist, statement, invite, log',
    ],
    ['api-user', () => import('./commands/api-user.ts'), 'credentials for API users: add, list, expire, cap, revoke'],
  ],
  Trust: [
    [
      'audit',
      () => import('./commands/audit.ts'),
      'prove that every credit is accounted for, and that the database or a backup is intact',
    ],
    [
      'verify',
      async () => ({ command: (await import('./commands/audit.ts')).verifyCommand }),
      'older name of `audit`, for its checks alone',
    ],
    ['backup', () => import('./commands/backup.ts'), 'copy the database while runs continue, and verify the copy'],
    [
      'migrate',
      () => import('./commands/migrate.ts'),
      'bring the database of an older version to this one, after a copy',
    ],
    [
      'prune',
      () => import('./commands/prune.ts'),
      'delete raw SERP HTML past its retention, never history (dry run by default)',
    ],
  ],
};

export const commandTable: readonly CommandEntry[] = Object.entries(groups).flatMap(([group, rows]) =>
  rows.map(([name, load, summary]) => ({ name, group, summary, load: async () => (await load()).command })),
);
