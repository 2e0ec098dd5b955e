// `report` and its PDFs: the message without a browser, and that a signal ends it between two projects.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { openApp } from '../../../src/app/app.ts';
import { run } from '../../../src/app/runs/run.ts';
import { reportWithPdf } from '../../../src/cli/commands/report.ts';

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

test('a signal ends it after the report that is being written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rankledger-stop-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const projects = ['acme', 'globex'].map(
    (id) => `  - { id: ${id}, targets: [${id}.com], depth: 1, keywords: [running shoes] }\n`,
  );
  writeFileSync(join(folder, 'rankledger.yaml'), `projects:\n${projects.join('')}`);
  const app = await openApp(await loadConfig({ cwd: folder, env: {} }));
  onTestFinished(() => app.close());
  await run(app, { all: true });
  const out = join(folder, 'delivery');
  const stop = new AbortController();
  setImmediate(() => stop.abort());
  await expect(reportWithPdf(app, { out }, stop.signal)).rejects.toMatchObject({ name: 'AbortError' });
  expect([existsSync(join(out, 'acme')), existsSync(join(out, 'globex'))]).toEqual([true, false]);
  const index = join(folder, 'reports', 'index.html');
  rmSync(index);
  await expect(reportWithPdf(app, {}, stop.signal)).rejects.toMatchObject({ name: 'AbortError' });
  expect(existsSync(index)).toBe(true);
});
