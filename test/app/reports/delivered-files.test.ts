// Reports that were delivered keep their bytes when other reports are written.
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { openApp } from '../../../src/app/app.ts';
import { type ReportOptions, report } from '../../../src/app/reports/report.ts';
import { run } from '../../../src/app/runs/run.ts';
import { SimulatedClock } from '../../../src/app/runs/simulation.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 7, 6, 0, 1);

test('`--compare`, `--as-of` and `--from --to` leave every byte of the daily reports as it was', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rankledger-delivered-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    join(folder, 'rankledger.yaml'),
    `reports: { xlsx: true, agency: true }
projects:
  - { id: acme, targets: [acme.com], schedule: "0 6 * * *", depth: 1, keywords: [running shoes, trail shoes] }
`,
  );
  const clock = new SimulatedClock(start);
  const app = await openApp(await loadConfig({ cwd: folder, env: {} }), { clock });
  onTestFinished(() => app.close());
  for (const day of [0, 1, 2, 3]) {
    clock.goTo(start + day * dayMs);
    await run(app, {});
  }
  const reports = join(folder, 'reports');
  /** SHA-256 of each file of a report, by its path below the reports folder. */
  const sums = (): ReadonlyMap<string, string> =>
    new Map(
      readdirSync(reports, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.includes('/') && !name.includes('latest') && statSync(join(reports, name)).isFile())
        .map((name) => [
          name,
          createHash('sha256')
            .update(readFileSync(join(reports, name)))
            .digest('hex'),
        ]),
    );
  const delivered = sums();
  expect([...delivered.keys()].filter((name) => name.endsWith('report.xlsx'))).toHaveLength(4);
  const questions: readonly ReportOptions[] = [
    { compare: '2d' },
    { asOf: '2026-01-08' },
    { asOf: '2026-01-10', compare: '2d' },
    { period: { from: '2026-01-07', to: '2026-01-10' } },
    { out: join(folder, 'elsewhere') },
  ];
  for (const question of questions) {
    // another time of writing would show in a file that is written again
    clock.goTo(clock.now() + 60_000);
    expect(report(app, question).length).toBeGreaterThan(0);
    const now = sums();
    for (const [name, sum] of delivered) expect([name, now.get(name)]).toEqual([name, sum]);
  }
  expect(sums().size).toBeGreaterThan(delivered.size);
  expect(readlinkSync(join(reports, 'acme/latest'))).toBe('2026-01-10T0600');
});
