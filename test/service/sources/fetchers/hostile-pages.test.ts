// What hostile pages take of memory and time where one fetches oneself, measured in a process of its own.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { desktopPage, result } from '../../engines/google/pages.ts';
import { type Answer, type EngineServer, startEngineServer } from './engine-server.ts';

const run = promisify(execFile);
const child = join(import.meta.dirname, '..', '..', '..', 'helpers', 'hungry-child.ts');
const mebibyte = 1024 * 1024;
const gzip = { 'content-encoding': 'gzip' };

const answers: readonly (readonly [string, string, () => Answer])[] = [
  ['200 MiB in 200 KiB', 'unparseable', () => ({ headers: gzip, body: gzipSync(Buffer.alloc(200 * mebibyte, 32)) })],
  ['64 MiB', 'unparseable', () => ({ body: Buffer.alloc(64 * mebibyte, 32) })],
  ['20,000 nested tags', 'unparseable', () => ({ body: '<div>'.repeat(20_000) })],
  ['a million elements', 'unparseable', () => ({ body: '<b>x</b>'.repeat(700_000) })],
  ['five MB of Latin-1', 'unparseable', () => ({ body: Buffer.alloc(5_000_000, 233) })],
];

let engine: EngineServer;

beforeAll(async () => {
  engine = await startEngineServer();
});

afterAll(async () => {
  await engine.close();
});

it.each(answers)('%s takes at most 64 MiB', { timeout: 60_000 }, async (name, reason, answer) => {
  const hostile = answer();
  const warm = { body: desktopPage(result('https://a.example/', 'A'), { query: 'warm' }) };
  engine.answer = ({ query }) => (query.get('q') === 'warm' ? warm : hostile);
  const options = { baseUrl: engine.url, allowLoopback: true, requestsPerSecond: 1000 };
  const { stdout } = await run(process.execPath, [child, 'google', JSON.stringify(options)]);
  const told = JSON.parse(stdout) as { outcome: string; ms: number; moreMiB: number };
  console.info(`${name}: ${told.moreMiB} MiB, ${told.ms} ms`);
  expect(told.outcome).toBe(`SERP_FAILED ${reason} no`);
  expect(told.moreMiB).toBeLessThanOrEqual(64);
});
