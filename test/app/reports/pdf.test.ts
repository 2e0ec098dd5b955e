// `report --pdf` without a browser: its message, and that nothing was written.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { openApp } from '../../../src/app/app.ts';
import { reportWithPdf } from '../../../src/app/reports/pdf.ts';
import { run } from '../../../src/app/runs/run.ts';

test('a PDF without a browser is an error that names the key, and nothing is written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rankledger-pdf-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    join(folder, 'rankledger.yaml'),
    'reports: { browser: no/chromium }\nprojects:\n  - { id: acme, targets: [acme.com], depth: 1, keywords: [running shoes] }\n',
  );
  const app = await openApp(await loadConfig({ cwd: folder, env: {} }));
  onTestFinished(() => app.close());
  await run(app, { all: true });
  const out = join(folder, 'delivery');
  await expect(reportWithPdf(app, { pdf: true, out })).rejects.toMatchObject({
    code: 'INTERNAL_ERROR',
    hint: 'Install Chrome, or name a Chromium with `reports.browser`.',
  });
  expect(existsSync(out)).toBe(false);
  expect(await reportWithPdf(app, { out })).toHaveLength(1);
});
