// `export --partitions` into S3 and Google Cloud Storage, through their own clients and a server on loopback.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openApp } from '../../../src/app/app.ts';
import { type ObjectServer, startObjectServer } from '../../helpers/object-server.ts';
import { invoke } from '../fake-host.ts';
import { copyOf, type ProjectFolder, projectFolder } from '../project-folder.ts';
import { runSlots } from '../real-app.ts';

const config = `timezone: UTC
budget: { serpCredits: { perRun: 20 } }
projects:
  - { id: acme, targets: [acme.com], schedule: "0 6 * * *", market: { country: US, language: en }, depth: 1, keywords: [running shoes, trail shoes] }
  - { id: globex, targets: [globex.com], schedule: "0 6 * * *", market: { country: US, language: en }, depth: 1, keywords: [hats] }
`;

let recorded: ProjectFolder;
let folder: ProjectFolder;
let server: ObjectServer;
beforeAll(async () => {
  recorded = projectFolder(config);
  await runSlots(recorded, ['2026-01-30T06:00Z', '2026-01-31T06:00Z', '2026-02-01T06:00Z', '2026-03-01T06:00Z']);
});
beforeEach(async () => {
  folder = copyOf(recorded);
  server = await startObjectServer();
  for (const [name, value] of Object.entries(variables())) vi.stubEnv(name, value);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

/** As the clients read them. */
const variables = () => ({
  AWS_ENDPOINT_URL: server.url,
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'anyone',
  AWS_SECRET_ACCESS_KEY: 'any',
  STORAGE_EMULATOR_HOST: server.url,
});

async function cli(...argv: string[]) {
  return await invoke(argv, { cwd: folder.path, openApp, env: { AWS_ENDPOINT_URL: server.url } });
}

async function exported(to: string, ...argv: string[]) {
  const { out, err, exitCode } = await cli('export', '--partitions', to, '--json', ...argv);
  expect([exitCode, err]).toEqual([0, '']);
  return JSON.parse(out) as { folder: string; written: number; rows: number; unchanged: number };
}

const month = (project: string, of: string) => `lake/ranks/rankings/project=${project}/month=${of}/rankings.parquet`;
const manifest = (project: string) => `lake/ranks/rankings/project=${project}/_manifest.json`;

describe.each(['s3', 'gs'])('%s', (scheme) => {
  const to = `${scheme}://lake/ranks`;

  it('has the files of the folder, byte by byte, each before its entry in the manifest', async () => {
    expect(await exported(to)).toEqual({ folder: `${to}/rankings`, written: 6, rows: 12, unchanged: 0 });
    await exported('lake/ranks');
    for (const [object, bytes] of server.objects)
      expect([object, readFileSync(join(folder.path, object)).equals(bytes)]).toEqual([object, true]);
    expect(server.changes.slice(0, 4)).toEqual([
      `PUT ${month('acme', '2026-01')}`,
      `PUT ${manifest('acme')}`,
      `PUT ${month('acme', '2026-02')}`,
      `PUT ${manifest('acme')}`,
    ]);
    const [january] = [server.objects.get(month('acme', '2026-01')) as Buffer];
    const file = january.buffer.slice(january.byteOffset, january.byteOffset + january.length) as ArrayBuffer;
    const rows = await parquetReadObjects({ file });
    expect(rows.map((row) => [row['keyword'], row['local_date']])).toEqual([
      ['running shoes', '2026-01-30'],
      ['trail shoes', '2026-01-30'],
      ['running shoes', '2026-01-31'],
      ['trail shoes', '2026-01-31'],
    ]);
  });

  it('writes nothing a second time, and later only the month that changed or is not whole', async () => {
    await exported(to);
    server.changes.length = 0;
    expect(await exported(to)).toMatchObject({ written: 0, unchanged: 6 });
    expect(server.changes).toEqual([]);

    await cli('run', '--slot', '2026-03-10T06:00:00Z', '--project', 'acme');
    server.objects.set(month('globex', '2026-01'), Buffer.from('cut short'));
    const again = await exported(to);
    expect(server.changes.filter((change) => !change.includes('manifest'))).toEqual([
      `PUT ${month('acme', '2026-03')}`,
      `PUT ${month('globex', '2026-01')}`,
    ]);
    expect(again).toMatchObject({ written: 2, unchanged: 4 });
  });

  it('goes on where an export failed', async () => {
    server.refuses = (object) => object === month('acme', '2026-03');
    const failed = await cli('export', '--partitions', to, '--json');
    expect([failed.exitCode, JSON.parse(failed.out)]).toEqual([
      1,
      {
        error: {
          code: 'STORE_FAILED',
          message: expect.stringMatching(/^(s3|gs):.*(the test says no|403)/),
          hint: expect.stringContaining('again'),
        },
      },
    ]);
    expect(server.objects.has(month('acme', '2026-03'))).toBe(false);
    server.refuses = () => false;
    expect(await exported(to)).toMatchObject({ written: 4, unchanged: 2 });
    expect(new Set(server.changes).size).toBe(server.objects.size);
  });

  it('goes on where an export was killed', async () => {
    const launcher = join(import.meta.dirname, '../../../src/cli/rankledger.mjs');
    const child = spawn(process.execPath, [launcher, 'export', '--partitions', to], {
      ...{ cwd: folder.path, stdio: 'ignore', env: { ...process.env, ...variables() } },
    });
    server.refuses = (object) => {
      if (object === manifest('globex')) child.kill('SIGKILL');
      return object === manifest('globex');
    };
    const [code, signal] = await once(child, 'exit');
    expect([code, signal]).toEqual([null, 'SIGKILL']);
    server.refuses = () => false;
    // the month whose entry is missing is written again
    expect(server.objects.has(month('globex', '2026-01'))).toBe(true);
    expect(await exported(to)).toMatchObject({ written: 3, unchanged: 3 });
    expect(await exported(to)).toMatchObject({ written: 0, unchanged: 6 });
  });

  it('removes a month that has no rows any more, and shows nothing of a table without rows', async () => {
    await exported(to, '--what', 'volumes');
    expect([...server.objects.keys()]).toEqual([]);
    await runSlots(folder, ['2026-03-31T06:00Z']); // the last page may be read in April
    const stray = month('acme', '2026-04');
    server.objects.set(stray, Buffer.from('of an earlier list of targets'));
    await exported(to);
    expect(server.objects.has(stray)).toBe(false);
  });
});

it('sends a large file in parts, and leaves none of them behind', async () => {
  const { openStore } = await import('../../../src/cli/subcommands/export-partitions.ts');
  const store = await openStore('s3://lake', { cwd: folder.path, s3Endpoint: server.url });
  const megabyte = new Uint8Array(1 << 20);
  const signal = new AbortController().signal;
  const pieces = () => Array.from({ length: 12 }, () => megabyte);
  expect(await store.write('large', pieces(), signal)).toBe(12 << 20);
  expect(server.objects.get('lake/large')).toHaveLength(12 << 20);
  const broken = function* () {
    yield* pieces();
    throw new Error('the database is gone');
  };
  await expect(store.write('broken', broken(), signal)).rejects.toThrow('the database is gone');
  const stop = new AbortController();
  const stopped = function* () {
    yield* pieces();
    stop.abort(new Error('stopped'));
    yield* pieces();
  };
  await expect(store.write('stopped', stopped(), stop.signal)).rejects.toThrow('stopped');
  expect([[...server.objects.keys()], server.open.size]).toEqual([['lake/large'], 0]);
});

it('says how to install a client that is missing', async () => {
  const { loadClient } = await import('../../../src/cli/subcommands/export-partitions.ts');
  const absent = '@rankledger/no-such-client';
  const place = { bucket: 'lake', prefix: '', address: 's3://lake' };
  const loading = loadClient(() => import(absent), place, '@aws-sdk/client-s3 @aws-sdk/lib-storage');
  await expect(loading).rejects.toMatchObject({
    message: 's3://lake needs a client that is not installed.',
    hint: expect.stringContaining('npm install @aws-sdk/client-s3 @aws-sdk/lib-storage'),
  });
});

it('refuses addresses that it does not know', async () => {
  for (const [to, says] of [
    ['s3://', 's3:// names no bucket.'],
    ['azure://lake/ranks', 'azure://lake/ranks cannot be written.'],
  ] as const) {
    const { exitCode, err } = await cli('export', '--partitions', to);
    expect([exitCode, err]).toEqual([2, expect.stringContaining(says)]);
  }
});
