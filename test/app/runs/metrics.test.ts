// `services.<name>.metrics`: keyword data comes from another source than the pages, and each has its own label.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openApp } from '../../../src/app/app.ts';
import { SimulatedClock } from '../../../src/app/runs/simulation.ts';
import type { KeywordDataResponse } from '../../../src/service/index.ts';
import { invoke } from '../../cli/fake-host.ts';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';

const now = Date.UTC(2026, 0, 15, 12);

const config = (metrics: string) => `services:
  default: { mode: embedded, source: sandbox, sites: [acme.com], metrics: ${metrics} }
projects:
  - id: shop
    targets: [acme.com]
    depth: 1
    keywords: [running shoes, trail shoes]
    volumes: { schedule: "0 4 * * *" }
`;

let folder: ProjectFolder;

const go = (...argv: string[]) =>
  invoke(argv, {
    cwd: folder.path,
    now,
    openApp: (resolved, options) => openApp(resolved, { ...options, clock: new SimulatedClock(now) }),
  });

function withRecordings(keywords: string): void {
  folder = projectFolder(config('{ source: replay, dir: recorded }'));
  mkdirSync(join(folder.path, 'recorded'));
  folder.write('recorded/index.csv', 'keyword,device,page,file\nrunning shoes,desktop,1,a.html\n');
  folder.write('recorded/keywords.csv', keywords);
}

test('a run takes pages from one source and volumes from the other, and both are labelled', async () => {
  withRecordings('keyword,search_volume\nrunning shoes,4321\ntrail shoes,\n');
  expect((await go('run', '--all')).exitCode).toBe(0);
  const exported = async (what: string) => {
    const { out } = await go('export', '--what', what, '--format', 'jsonl');
    return out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  const volumes = await exported('volumes');
  expect(volumes.map((row) => [row['keyword'], row['search_volume'], row['source']])).toEqual([
    ['running shoes', 4321, 'default/replay'],
    ['trail shoes', null, 'default/replay'],
  ]);
  expect(new Set((await exported('checks')).map((row) => row['source']))).toEqual(new Set(['default/sandbox']));
});

test('an ad-hoc request for keywords goes to the source of metrics, one for a page to that of pages', async () => {
  withRecordings('keyword,search_volume\nrunning shoes,4321\n');
  const { out } = await go('keywords', 'running shoes', '--json');
  expect((JSON.parse(out) as KeywordDataResponse).data.map((row) => row.search_volume)).toEqual([4321]);
  expect((await go('serp', 'running shoes', '--json')).out).toContain('acme.com');
});

test('a source of metrics that cannot be created is reported with its service, by check and by run', async () => {
  folder = projectFolder(config('{ source: replay, dir: nowhere }'));
  const checked = await go('check');
  expect([checked.exitCode, checked.err]).toEqual([
    2,
    expect.stringMatching(/services\.default: Source "replay" of keyword metrics: .*nowhere/),
  ]);
  const run = await go('run', '--all');
  expect([run.exitCode, run.err]).toEqual([2, expect.stringContaining('of keyword metrics')]);
});
