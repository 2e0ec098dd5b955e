// `backfill clicks` against a Search Console API on loopback, into a real database.
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from '../../../db/store.ts';
import { openApp } from '../../../src/app/app.ts';
import type { Clock } from '../../../src/service/index.ts';
import { accountKey, apiError, type FakeRow, startSearchConsole } from '../../helpers/search-console.ts';
import { invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

const property = 'sc-domain:acme.com';
const now = Date.UTC(2026, 10, 20, 18);

let folder: ProjectFolder;
let api: Awaited<ReturnType<typeof startSearchConsole>>;

beforeEach(async () => {
  api = await startSearchConsole(property);
  folder = projectFolder(null);
  const account = {
    client_email: 'tracker@project.iam.example',
    private_key: accountKey.privateKey,
    private_key_id: '1',
  };
  folder.write('key.json', JSON.stringify(account));
  access('{ keyFile: key.json }');
});
afterEach(async () => {
  await api.close();
});

function access(credentials: string): void {
  folder.write(
    'rankledger.yaml',
    `database: history.sqlite
projects:
  - id: acme
    targets: [acme.com]
    keywords: [running shoes]
    searchConsole: { property: "${property}", credentials: ${credentials}, baseUrl: "${api.url}" }
`,
  );
}

const backfill = (...argv: string[]) =>
  invoke(['backfill', 'clicks', ...argv], {
    cwd: folder.path,
    now,
    env: { CONSOLE_TOKEN: 'refresh-token' },
    openApp: (config, options) => openApp(config, { ...options, clock: hastyClock() }),
  });

/** Sleeps take no time. */
function hastyClock(): Clock {
  let at = now;
  return {
    now: () => at,
    sleep: async (ms) => {
      at += ms;
    },
  };
}

function row(query: string, clicks: number, impressions: number, position = 3.5): FakeRow {
  return { keys: [query, 'https://acme.com/shoes', 'usa', 'MOBILE'], clicks, impressions, position };
}

function stored<T>(read: (store: ReturnType<typeof openStore>) => T): T {
  const store = openStore(`${folder.path}/history.sqlite`);
  try {
    return read(store);
  } finally {
    store.close();
  }
}

test('days are stored with hidden queries as the difference between totals and rows', async () => {
  api.days.set('2026-11-01', {
    rows: [row('shoes', 5, 100), row('boots', 0, 40, 9)],
    hidden: { clicks: 2, impressions: 30 },
  });
  const { exitCode, out } = await backfill('--json');
  expect(exitCode).toBe(0);
  const counts = { days: 1, fresh: 0, known: 0, rows: 2, clicks: 7, impressions: 170 };
  // by query alone, and by page alone: pages have the clicks of hidden queries
  const alone = { queryClicks: 5, pageClicks: 7 };
  const hidden = { hiddenClicks: 2, hiddenImpressions: 30, ...alone };
  const period = { from: '2025-07-20', to: '2026-11-20' };
  expect(JSON.parse(out).projects).toEqual([
    { project: 'acme', property, ...period, ...counts, ...hidden, refused: [] },
  ]);
  expect(stored(({ clicks }) => clicks.queries('acme', property, '2026-11-01', '2026-11-30'))).toMatchObject([
    { query: 'shoes', clicks: 5, impressions: 100, averagePosition: 3.5 },
    { query: 'boots', clicks: 0, impressions: 40, averagePosition: 9 },
  ]);
});

test('a query in several spellings has one row a day, in the form that keywords have', async () => {
  const rows = [row('Cafe\u0301  Shoes', 5, 100, 2), row('café shoes', 1, 300, 6), row('\u200b', 0, 1)];
  api.days.set('2026-11-01', { rows });
  expect((await backfill()).exitCode).toBe(0);
  const found = stored(({ clicks }) =>
    clicks.queriesByDay('acme', property, ['café shoes'], '2026-11-01', '2026-11-01'),
  );
  expect(found).toMatchObject([{ query: 'café shoes', clicks: 6, impressions: 400, averagePosition: 5 }]);
});

test('an incomplete day is fetched again until it is final, and a final day never', async () => {
  api.days.set('2026-11-17', { rows: [row('shoes', 5, 100)] });
  api.days.set('2026-11-19', { rows: [row('shoes', 1, 10)] });
  api.firstIncomplete = '2026-11-18';
  expect((await backfill()).out).toContain('2 fetched, 1 of them not final: fetched again next time, 0 known');
  api.days.set('2026-11-17', { rows: [row('shoes', 50, 1000)] });
  api.days.set('2026-11-19', { rows: [row('shoes', 9, 90)] });
  api.firstIncomplete = undefined;
  expect((await backfill()).out).toContain('1 fetched, 1 known');
  expect((await backfill()).out).toContain('0 fetched, 2 known');
  expect(stored(({ clicks }) => clicks.days('acme', property, '2026-11-01', '2026-11-30'))).toEqual([
    { date: '2026-11-17', isFinal: true, clicks: 5, impressions: 100 },
    { date: '2026-11-19', isFinal: true, clicks: 9, impressions: 90 },
  ]);
});

test('a day that an older version stored by page is fetched again by query, though it is final', async () => {
  api.days.set('2026-11-17', { rows: [row('shoes', 5, 100)] });
  await backfill();
  const sqlite = new Database(`${folder.path}/history.sqlite`);
  sqlite.exec("UPDATE click_days SET aggregation = 'by_page'; DELETE FROM click_queries");
  sqlite.close();
  expect((await backfill()).out).toContain('1 fetched, 0 known');
  expect((await backfill()).out).toContain('0 fetched, 1 known');
});

test('a day of more than 25,000 rows is read page by page', async () => {
  api.days.set('2026-11-01', { rows: Array.from({ length: 25_001 }, (_, at) => row(`query ${at}`, 0, 1)) });
  expect(JSON.parse((await backfill('--json', '--months', '1')).out).projects[0].rows).toBe(25_001);
});

test('a quota and a failing server are waited for', async () => {
  api.days.set('2026-11-01', { rows: [row('shoes', 1, 2)] });
  api.refusals.push(apiError(403, 'PERMISSION_DENIED', 'quotaExceeded', 'Search Analytics load quota exceeded.'));
  api.refusals.push(apiError(429, 'RESOURCE_EXHAUSTED', 'rateLimitExceeded', 'Rate Limit Exceeded'));
  api.refusals.push(apiError(503, 'UNAVAILABLE', 'backendError', 'Backend Error'));
  expect((await backfill()).exitCode).toBe(0);
});

test('a refresh token from the environment gives access, and is never printed', async () => {
  access(`{ clientId: client, clientSecret: hush-hush, refreshToken: "\${CONSOLE_TOKEN}" }`);
  api.days.set('2026-11-01', { rows: [row('shoes', 1, 2)] });
  const { exitCode, out, err } = await backfill();
  expect(exitCode).toBe(0);
  expect(out + err).not.toMatch(/hush-hush|refresh-token/);
});

test('a user without access to the property gets the remedy', async () => {
  api.days.set('2026-11-01', { rows: [] });
  const message = "User does not have sufficient permission for site 'sc-domain:acme.com'.";
  api.refusals.push(apiError(403, 'PERMISSION_DENIED', 'forbidden', message));
  const { exitCode, err } = await backfill();
  expect(exitCode).not.toBe(0);
  expect(err).toContain('sufficient permission');
  expect(err).toContain('Add the service account or user to the property');
});

test('a search type that is forbidden fails no other part', async () => {
  api.days.set('2026-11-01', { rows: [row('shoes', 5, 100)] });
  api.hours.set('2026-11-19T13:00:00-08:00', { clicks: 1, impressions: 10 });
  api.forbidden.push('discover');
  const { exitCode, out } = await backfill('--json');
  const { refused } = JSON.parse(out).projects[0];
  expect([exitCode, refused]).toEqual([
    0,
    [expect.stringMatching(/^search type discover: search-console answered 403/)],
  ]);
  const types = stored(({ clicks }) => clicks.typeTotals('acme', property, '2026-11-01', '2026-11-01'));
  expect(types.map(({ type }) => type)).toEqual(['googleNews', 'image', 'news', 'video', 'web']);
  expect(stored(({ clicks }) => clicks.hours('acme'))).toHaveLength(1);
});

test('clicks never become ranks', async () => {
  api.days.set('2026-11-01', { rows: [row('running shoes', 5, 100, 1)] });
  await backfill();
  const history = await invoke(['history', 'running shoes', '--json'], { cwd: folder.path, openApp });
  expect(history.out).not.toContain('"rank":1');
  const { out } = await invoke(['export', '--format', 'csv'], { cwd: folder.path, openApp });
  expect(out.trim().split('\n')).toHaveLength(1);
});

test('days of an export are refused without its file, instead of being ignored', async () => {
  const { exitCode, err } = await backfill('--from', '2026-10-01');
  expect(exitCode).toBe(2);
  expect(err).toContain('--from and --to name the days of an export.');
  expect(api.requests).toEqual([]);
});

test('without access, the message says what to add', async () => {
  folder.write('rankledger.yaml', 'projects:\n  - { id: acme, targets: [acme.com], keywords: [a] }\n');
  const { exitCode, err } = await backfill();
  expect(exitCode).toBe(2);
  expect(err).toContain('searchConsole: { property, credentials }');
});
