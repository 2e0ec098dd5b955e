// An import that is killed leaves the dataset as it was or as it should be: whatever moment it dies at, and able to take the next one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openKeywordDataset } from '../../db/keyword-dataset.ts';
import { importKeywords } from '../../src/app/keyword-import.ts';

const oldRows = 500;
const newRows = 4_000;
/** Of the time that an undisturbed import takes, when each one dies. The last ones may be done before. */
const moments = [0.1, 0.4, 0.7, 0.9, 1];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rankledger-kill-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function list(name: string, rows: number, volume: number): string {
  const file = join(folder, name);
  const lines = Array.from({ length: rows }, (_, at) => `shoe number ${at},${volume}`);
  writeFileSync(file, `keyword,volume\n${lines.join('\n')}\n`);
  return file;
}

/** Every row by its volume, and whether SQLite and the index agree with them. */
function stateOf(file: string) {
  const sqlite = new Database(file);
  try {
    const volumes = sqlite.prepare('SELECT search_volume AS v, count(*) AS n FROM keywords GROUP BY 1').all();
    const indexed = sqlite
      .prepare("SELECT count(*) FROM keyword_search WHERE keyword_search MATCH 'shoe'")
      .pluck()
      .get();
    return { volumes, indexed, integrity: sqlite.pragma('integrity_check', { simple: true }) };
  } finally {
    sqlite.close();
  }
}

test('a kill leaves the old dataset or the new one, whole', async () => {
  const before = list('old.csv', oldRows, 1);
  const after = list('new.csv', newRows, 2);
  const origin = join(folder, 'origin');
  const asWas = { volumes: [{ v: 1, n: oldRows }], indexed: oldRows, integrity: 'ok' };
  const asNew = { volumes: [{ v: 2, n: newRows }], indexed: newRows, integrity: 'ok' };
  const market = { country: 'US', language: 'en' };
  await importKeywords({ files: [before], into: origin, ...market });
  let killed = 0;
  let wholeMs = 0;
  for (const moment of [Number.POSITIVE_INFINITY, ...moments]) {
    const dataset = join(folder, `of-${moment}`);
    copyFileSync(origin, dataset);
    const child = spawn(process.execPath, [join(import.meta.dirname, '../helpers/dataset-child.ts'), after, dataset], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    const start = performance.now();
    if (moment !== Number.POSITIVE_INFINITY) {
      await wait(moment * wholeMs);
      child.kill('SIGKILL');
    }
    const [code, signal] = await ended;
    if (moment === Number.POSITIVE_INFINITY) wholeMs = performance.now() - start;
    if (signal === 'SIGKILL') killed += 1;
    const state = stateOf(dataset);
    expect([asWas, asNew]).toContainEqual(state);
    if (code === 0) expect(state).toEqual(asNew);
    await importKeywords({ files: [after], into: dataset, ...market });
    expect(stateOf(dataset)).toEqual(asNew);
    const opened = openKeywordDataset(dataset);
    expect(opened.contents().markets[0]?.keywords).toBe(newRows);
    opened.close();
  }
  expect(killed).toBeGreaterThan(0);
});
