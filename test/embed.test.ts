// The service core works by itself: its folder alone, in another place, in another process of the same runtime.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** What another program would write to embed the core. */
const program = `
import { createSearchDataService, createSource, systemClock } from './service/index.ts';

const source = await createSource('sandbox', {}, { clock: systemClock });
const service = createSearchDataService({ source, clock: systemClock });
const at = Date.UTC(2026, 0, 15);
const serp = await service.serp({ keyword: 'running shoes', end_page: 2 }, { at });
const keywordData = await service.keywordData({ keyword: 'running shoes', limit: 5 }, { at });
const failure = await service.serp({ keyword: '' }).catch(({ code, status }) => ({ code, status }));
await service.close();
console.log(JSON.stringify({ source: service.source, serp, keywordData, failure }));
`;

let place: string;
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'embed-'));
  cpSync(resolve('src/service'), join(place, 'service'), { recursive: true });
  symlinkSync(resolve('node_modules'), join(place, 'node_modules'));
  writeFileSync(join(place, 'package.json'), '{"type": "module"}');
  writeFileSync(join(place, 'program.ts'), program);
});
afterAll(() => rmSync(place, { recursive: true }));

it('the service core serves both operations from a folder that holds nothing else of ours', () => {
  const env = { PATH: process.env['PATH'] };
  const output = execFileSync(process.execPath, ['program.ts'], { cwd: place, env, encoding: 'utf8' });
  const { source, serp, keywordData, failure } = JSON.parse(output);
  expect(source).toBe('sandbox');
  expect(serp.creditsCharged).toBe(2);
  expect(serp.pages.map(({ page }: { page: number }) => page)).toEqual([1, 2]);
  for (const { serp: page } of serp.pages) expect(page.organic.length).toBeGreaterThanOrEqual(4);
  expect(keywordData.response).toMatchObject({ success: true, cost: 0.01 });
  expect(keywordData.response.data.map(({ keyword }: { keyword: string }) => keyword)).toContain('running shoes');
  expect(failure).toEqual({ code: 'KEYWORD_REQUIRED', status: 400 });
});
