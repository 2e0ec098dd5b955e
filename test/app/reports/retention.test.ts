// `retention.reports`: which reports a run and `prune` delete, and which stay.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { openApp } from '../../../src/app/app.ts';
import { report } from '../../../src/app/reports/report.ts';
import { run } from '../../../src/app/runs/run.ts';
import { SimulatedClock } from '../../../src/app/runs/simulation.ts';
import { commandAt } from '../../cli/real-app.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 7, 6, 0, 1);

test('a run deletes reports past their age, but neither reports on request nor foreign files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rankledger-retention-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const config = (retention: string): string => `${retention}
projects:
  - { id: acme, targets: [acme.com], schedule: "0 6 * * *", depth: 1, keywords: [running shoes] }
`;
  const file = join(folder, 'rankledger.yaml');
  const reports = join(folder, 'reports/acme');
  const folders = (): string[] => readdirSync(reports).sort();
  const clock = new SimulatedClock(start);
  const runDays = async (...days: number[]): Promise<void> => {
    const app = await openApp(await loadConfig({ cwd: folder, env: {} }), { clock });
    for (const day of days) {
      clock.goTo(start + day * dayMs);
      await run(app, {});
    }
    if (days.includes(2)) {
      report(app, { asOf: '2026-01-08' });
      report(app, { compare: '7d' });
      report(app, { out: join(folder, 'delivery') });
    }
    await app.close();
  };
  writeFileSync(file, config(''));
  await runDays(0, 1, 2);
  writeFileSync(join(reports, '2026-01-08T0600/notes.txt'), 'mine');
  const before = folders();
  writeFileSync(file, config('retention: { reports: 2d }'));
  const dry = JSON.parse((await commandAt({ path: folder }, start + 4 * dayMs, 'prune', '--json')).out);
  expect(dry.reports).toMatchObject({ folders: 2 });
  expect(dry.reports.bytes).toBeGreaterThan(10_000);
  expect(folders()).toEqual(before);
  await runDays(4);
  expect(folders()).toEqual([
    '2026-01-08T0600',
    '2026-01-09T0600',
    '2026-01-09T0600-compare-7d',
    '2026-01-11T0600',
    'as-of-2026-01-08',
    'latest',
  ]);
  await commandAt({ path: folder }, start + 40 * dayMs, 'prune', '--yes');
  expect(folders()).toEqual([
    '2026-01-08T0600',
    '2026-01-09T0600-compare-7d',
    '2026-01-11T0600',
    'as-of-2026-01-08',
    'latest',
  ]);
  expect(readdirSync(join(reports, '2026-01-08T0600'))).toEqual(['notes.txt']);
  expect(existsSync(join(folder, 'delivery/acme/2026-01-09T0600/summary.csv'))).toBe(true);
});
