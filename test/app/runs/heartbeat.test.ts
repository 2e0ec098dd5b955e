// Heartbeats for external monitors: a file that is always complete, and a URL; neither can fail a run.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Secret } from '../../../config/resolve.ts';
import { StoreError } from '../../../db/connection/errors.ts';
import { openHeartbeat } from '../../../src/app/runs/heartbeat.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { World } from '../../helpers/jobs.ts';
import { listenOnLoopback } from '../../helpers/loopback.ts';

const at = Date.UTC(2026, 0, 15, 6);

function world() {
  const warned: { facts: object; message: string }[] = [];
  const one = new World({ projects: [], services: new Map() });
  const warn = (facts: object, message: string) => warned.push({ facts, message });
  return { ...one, store: one.store, warned, context: { ...one.context, log: { ...one.context.log, warn } } };
}

function end({ store }: Pick<World, 'store'>, state: 'complete' | 'halted'): void {
  store.transaction(() => {
    const slot = `2026-01-15T06:${String(store.runs.lastRuns(100).length).padStart(2, '0')}`;
    const claim = { project: 'acme', slot, at, timezone: 'UTC', localDate: '2026-01-15' };
    const { id = 0 } = store.runs.open({ kind: 'ranks', moment: at, owner: 'o', at }, [claim]) ?? {};
    store.runs.close(id, { state, reason: state === 'halted' ? 'no credits' : null, at: at + id });
  });
}

async function listener(status = 200) {
  const seen: { path: string | undefined; body: unknown }[] = [];
  const { url } = await listenOnLoopback((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      seen.push({ path: request.url, body: JSON.parse(body) });
      response.writeHead(status).end();
    });
  });
  return { seen, url: `${url}/ping/secret-id?x=1` };
}

it('the heartbeat file has the newest run, is always complete, and is written at each tick', async () => {
  const one = world();
  const folder = temporaryFolder();
  const file = join(folder, 'deep', 'beat.json');
  const heartbeat = openHeartbeat({ file }, one.context);
  const read = () => JSON.parse(readFileSync(file, 'utf8'));
  heartbeat.onTick();
  expect(read()).toMatchObject({ state: 'none', runId: null, runsUnderWay: 0, pid: process.pid });
  end(one, 'complete');
  heartbeat.onRunEnded();
  expect(read()).toMatchObject({ state: 'complete', runId: 1, kind: 'ranks', projects: ['acme'], reason: null });
  end(one, 'halted');
  heartbeat.onTick();
  expect(read()).toMatchObject({ state: 'halted', runId: 2, reason: 'no credits' });
  heartbeat.onFailure(new Error('the disk is full'));
  expect(read()).toMatchObject({ state: 'failed', runId: 2, reason: 'the disk is full' });
  expect(readdirSync(join(folder, 'deep'))).toEqual(['beat.json']);
  await heartbeat.close();
});

it('the heartbeat URL is called after each run, with /fail if the run was halted or failed', async () => {
  const one = world();
  const { seen, url } = await listener();
  const heartbeat = openHeartbeat({ url: new Secret(url) }, one.context);
  heartbeat.onTick();
  end(one, 'complete');
  heartbeat.onRunEnded();
  await heartbeat.close();
  end(one, 'halted');
  heartbeat.onRunEnded();
  await heartbeat.close();
  heartbeat.onFailure(new StoreError('RUN_IN_PROGRESS', 'run 1 is in progress', 'wait'));
  heartbeat.onFailure(new StoreError('DISK_FULL', 'the disk is full', 'free some'));
  await heartbeat.close();
  expect(seen.map(({ path }) => path)).toEqual([
    '/ping/secret-id?x=1',
    '/ping/secret-id/fail?x=1',
    '/ping/secret-id/fail?x=1',
  ]);
  expect(seen.map(({ body }) => (body as { state: string }).state)).toEqual(['complete', 'halted', 'failed']);
  expect(one.warned).toEqual([]);
});

it('the heartbeat follows no redirect: only the configured URL may learn of it', async () => {
  const one = world();
  const target = await listener();
  const { url } = await listenOnLoopback((request, response) => {
    request.resume();
    response.writeHead(307, { location: target.url }).end();
  });
  const heartbeat = openHeartbeat({ url: new Secret(url) }, one.context);
  heartbeat.onRunEnded();
  await heartbeat.close();
  expect(target.seen).toEqual([]);
  expect(one.warned).toMatchObject([{ facts: { error: expect.stringContaining('307, a redirect') } }]);
});

it('the heartbeat logs a failure without its URL, and continues', async () => {
  const one = world();
  const { url } = await listener(500);
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'beat.json'));
  for (const address of [url, 'http://127.0.0.1:9/secret-id']) {
    const heartbeat = openHeartbeat({ file: join(folder, 'beat.json'), url: new Secret(address) }, one.context);
    heartbeat.onRunEnded();
    await heartbeat.close();
  }
  expect(one.warned.map(({ message }) => message).toSorted()).toEqual([
    'the heartbeat URL could not be called',
    'the heartbeat URL could not be called',
    'the heartbeat file could not be written',
    'the heartbeat file could not be written',
  ]);
  expect(JSON.stringify(one.warned)).not.toContain('secret-id');
});
