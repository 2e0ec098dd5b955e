// A new user's first session with the real program on the sandbox: demo, then a config from init to export.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openApp } from '../../src/app/app.ts';
import { SimulatedClock } from '../../src/app/runs/simulation.ts';
import { invoke } from './fake-host.ts';
import { type ProjectFolder, projectFolder } from './project-folder.ts';

const now = Date.UTC(2026, 0, 15, 12);

let folder: ProjectFolder;
beforeAll(() => {
  folder = projectFolder(null);
});

const go = (...argv: string[]) =>
  invoke(argv, {
    cwd: folder.path,
    now,
    openApp: (config, options) => openApp(config, { clock: new SimulatedClock(now), ...options }),
  });

describe('demo', () => {
  test('tracks invented sites over simulated days, and ends with reports, movers and the next steps', async () => {
    const { exitCode, out, err } = await go('demo', '--days', '2');
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(out).toMatch(/^Wrote demo\/rankledger\.yaml/);
    expect(out).toMatch(
      /\d SERP credits and \$\d+\.\d+ of keyword data spent so far, in play money; the ledger accounts/,
    );
    const tables = [...out.matchAll(/^ {2}\w+ {2}(demo\/reports\S+\.csv)$/gm)].map(([, file]) => file ?? '');
    expect(tables).toHaveLength(4);
    for (const table of tables) expect(existsSync(join(folder.path, table))).toBe(true);
    expect(out).toContain('Biggest movers since 2026-01-14');
    expect(out).toMatch(/npx rankledger history .+ --config demo\/rankledger\.yaml/);
  });

  test('buys nothing the second time', async () => {
    const { exitCode, out } = await go('demo', '--days', '2', '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ runs: 0, checks: 0, ledgerIsSound: true });
  });

  test('exits with 130 when it is interrupted, says so as JSON too, and continues next time', async () => {
    let interrupt = () => {};
    const stopped = await invoke(['demo', 'other', '--days', '2', '--json'], {
      cwd: folder.path,
      now,
      withSignal: (send) => {
        interrupt = send;
      },
      openApp: async (config, options) => {
        interrupt();
        return await openApp(config, options);
      },
    });
    expect(stopped.exitCode).toBe(130);
    expect(stopped.err).toBe('Interrupted. The next demo in this folder continues from here.\n');
    expect(JSON.parse(stopped.out)).toMatchObject({ error: { code: 'INTERRUPTED' } });
    expect(JSON.parse((await go('demo', 'other', '--days', '1', '--json')).out)).toMatchObject({ ledgerIsSound: true });
  });

  test('refuses a config whose service costs money', async () => {
    const paid = projectFolder(`services:
  default: { mode: remote, baseUrl: "https://api.example.com", user: u, password: "\${PASSWORD}" }
budget: { serpCredits: { perRun: 1 } }
projects: [{ id: acme, targets: [acme.com], schedule: "0 6 * * *", keywords: [shoes] }]
`);
    const { exitCode, err, opened } = await invoke(['demo', '.'], { cwd: paid.path, now, env: { PASSWORD: 'p' } });
    expect({ exitCode, opened }).toEqual({ exitCode: 2, opened: [] });
    expect(err).toContain('uses a service that costs money');
  });
});

test('every command from init to export works', async () => {
  expect(await go('init', 'mine')).toMatchObject({ exitCode: 0 });
  const config = ['--config', 'mine/rankledger.yaml'];
  const planned = JSON.parse((await go('plan', '--all', '--json', ...config)).out);
  const ran = await go('run', '--all', '--json', ...config);
  expect(ran.exitCode).toBe(0);
  const [run] = JSON.parse(ran.out).runs.filter(({ kind }: { kind: string }) => kind === 'ranks');
  expect(run.checks.ok).toBe(planned.searches);
  expect(run.serpCredits.spent).toBeLessThanOrEqual(planned.creditsWorstCase);
  const { out: status } = await go('status', ...config);
  expect(status).toMatch(/ranks +2026-01-15T06:00 +example +complete/);
  const exported = await go('export', '-o', 'history.csv', ...config);
  expect(exported.exitCode).toBe(0);
  const lines = readFileSync(join(folder.path, 'history.csv'), 'utf8').trimEnd().split('\r\n');
  // One row per search and target (own and competitor), and the header.
  expect(lines).toHaveLength(2 * planned.searches + 1);
  const history = JSON.parse((await go('history', 'running shoes', '--json', ...config)).out);
  expect(history).toHaveLength(4);
  const serp = JSON.parse((await go('serp', 'running shoes', '--pages', '1-2', '--json', ...config)).out);
  expect(serp).toHaveLength(2);
  expect(serp[0].organic[0]).toMatchObject({ rank: 1 });
  const { out: keywords } = await go('keywords', 'running shoes', '--limit', '3', '--json', ...config);
  expect(JSON.parse(keywords)).toMatchObject({ success: true, cost: 0.01 });
  expect(await go('report', ...config)).toMatchObject({ exitCode: 0 });
  expect(await go('audit', ...config)).toMatchObject({ exitCode: 0 });
  expect(await go('run', '--project', 'missing', ...config)).toMatchObject({ exitCode: 2 });
  expect((await go('serp', ' ', ...config)).exitCode).toBe(2);
});

test('a page that serp --raw printed is parsed like the page of serp', async () => {
  const config = ['--config', 'mine/rankledger.yaml'];
  const raw = await go('serp', 'hiking boots', '--raw', ...config);
  const file = folder.write('page.html', raw.out);
  const parsed = JSON.parse((await go('parse', file, '--engine', 'google', '--keyword', 'hiking boots', '--json')).out);
  expect(parsed.organic.length).toBeGreaterThan(3);
});
