// A machine without the secrets of its config: commands that buy nothing work, others name each missing secret.
import { beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { openApp } from '../../src/app/app.ts';
import { deliver } from '../../src/app/runs/deliveries.ts';
import { run } from '../../src/app/runs/run.ts';
import { reconcile } from '../../src/cli/commands/audit.ts';
import { runSchedule } from '../../src/cli/commands/schedule.ts';
import { invoke } from './fake-host.ts';
import { type ProjectFolder, projectFolder } from './project-folder.ts';

const written = (source: string) => `services:
  default: ${source}
  vendor:
    mode: remote
    baseUrl: \${VENDOR_URL}
    user: \${VENDOR_USER}
    password: \${VENDOR_PASSWORD}
  limited: { mode: remote, baseUrl: "https://api.example.com", user: me, password: "\${LIMITED_PASSWORD}", concurrency: "\${LIMITED_CONCURRENCY}" }
heartbeat: { url: "\${HEARTBEAT_URL}" }
alerts:
  channels:
    ops: { type: webhook, url: "\${ALERT_URL}", authorization: "\${ALERT_TOKEN}" }
  rules:
    - { when: run-failed }
budget: { serpCredits: { perDay: 100 }, keywordDataUsd: { perMonth: 1 } }
projects:
  - { id: acme, service: limited, targets: [acme.com], depth: 1, keywords: [running shoes] }
`;
const variables = [
  'VENDOR_URL',
  'VENDOR_USER',
  'VENDOR_PASSWORD',
  'LIMITED_PASSWORD',
  'LIMITED_CONCURRENCY',
  'HEARTBEAT_URL',
  'ALERT_URL',
  'ALERT_TOKEN',
];

let folder: ProjectFolder;
const said = (...words: readonly string[]) => invoke(words, { cwd: folder.path, openApp, now: Date.now() });

beforeAll(async () => {
  folder = projectFolder('projects: [{ id: acme, targets: [acme.com], depth: 1, keywords: [running shoes] }]\n');
  expect((await said('run', '--all')).exitCode).toBe(0);
  // the same history, under a config whose sources need keys
  folder.write(
    'rankledger.yaml',
    written(`{ mode: embedded, source: serper, apiKey: "\${KEY}", concurrency: "\${CONCURRENCY}" }`),
  );
});

const reading = [
  'report',
  'status',
  'audit',
  'history running shoes',
  'export',
  'verify',
  'prune',
  'backup',
  'migrate',
  'backfill derive',
  'note list',
  'alerts list',
  'account list',
  'api-user list',
];

describe('a command that buys nothing', () => {
  test.each(reading)('needs no secrets: %s', async (line) => {
    const words = line.startsWith('history') ? ['history', 'running shoes'] : line.split(' ');
    const { exitCode, err } = await said(...words);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
  });
});

const asking = [
  'run',
  'plan',
  'check',
  'check --online',
  'schedule',
  'worker',
  'serve --port 0',
  'serp shoes',
  'keywords shoes',
  'backfill ranks --dry-run',
  'backfill volumes',
  'audit --reconcile',
  'alerts test',
  'alerts retry',
];

describe('a command that calls services', () => {
  test.each(asking)('names every variable that is not set: %s', async (line) => {
    const { exitCode, err, out } = await said(...line.split(' '));
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    const lines = err.trimEnd().split('\n');
    expect(lines).toHaveLength(variables.length + 2);
    for (const name of ['KEY', 'CONCURRENCY', ...variables]) {
      const pattern = new RegExp(
        `rankledger\\.yaml:\\d+:\\d+ \\S+: the environment variable ${name} is not set; set ${name} `,
      );
      expect(err).toMatch(pattern);
    }
  });
});

test('a variable name is never sent in place of a secret, even if the app was opened for reading', async () => {
  const config = await loadConfig({ cwd: folder.path, env: {}, offline: true });
  expect(config.unset).toHaveLength(variables.length + 2);
  const app = await openApp(config);
  try {
    for (const asked of [
      () => run(app, { all: true }),
      () => app.openServices(),
      () => reconcile(app, { kind: 'ask' }, new AbortController().signal),
      () => deliver(app),
      () => runSchedule(app, { signal: new AbortController().signal }),
    ]) {
      await expect(asked()).rejects.toThrow(/KEY is not set.*ALERT_TOKEN is not set/s);
    }
  } finally {
    await app.close();
  }
});

test('a variable that is not a secret must be set for every command', async () => {
  const pattern = projectFolder(
    `database: "\${DATABASE}"\nservices: { default: { mode: embedded, source: "\${SOURCE}" } }\n`,
  );
  const { exitCode, err } = await invoke(['status'], { cwd: pattern.path, openApp });
  expect(exitCode).toBe(2);
  expect(err).toMatch(/database: the environment variable DATABASE.*\n.*source: the environment variable SOURCE/);
});
