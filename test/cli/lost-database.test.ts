// A database that is gone, emptied or another one between two runs: nothing is bought until the loss is accepted.
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../db/store.ts';
import { closeLater } from '../helpers/closing.ts';
import { folderHere } from './folder-here.ts';
import { SpecProvider } from './spec-provider.ts';

const secrets = { PROVIDER_USER: 'ada', PROVIDER_PASSWORD: 'sesame' };
const commands = [
  ['check'],
  ['plan'],
  ['run'],
  ['run', '--all'],
  ['status'],
  ['status', '--check'],
  ['backfill', 'ranks'],
  ['backfill', 'volumes'],
  ['report'],
  ['history', 'a 0'],
  ['audit', '--json'],
  ['mcp'],
  ['reader', 'list'],
  ['clicks', 'suggest'],
  ['export'],
  ['why'],
  ['note', 'add', 'shown'],
  ['alerts', 'list'],
  ['schedule'],
  ['view', '--port', '0'],
  ['serp', 'a 0', '--service', 'default'],
] as const;

async function begin() {
  const provider = await SpecProvider.start();
  const folder = folderHere(
    {
      'rankledger.yaml': `services:
  default: { mode: remote, baseUrl: "${provider.baseUrl}", user: "\${PROVIDER_USER}", password: "\${PROVIDER_PASSWORD}" }
projects:
  - { id: acme, targets: [acme.com], depth: 1, keywords: [a 0, a 1], schedule: "0 0 * * *", timezone: Etc/UTC }
`,
    },
    secrets,
  );
  closeLater({
    async close() {
      folder.remove();
      await provider.stop();
    },
  });
  expect((await folder.run('run')).exitCode).toBe(0);
  const database = join(folder.path, 'data/rankledger.sqlite');
  return { provider, folder, database, asked: provider.asks.length };
}

/** Deletes the database as a whole. */
function removeAll(database: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(database + suffix, { force: true });
}

const losses: Record<string, readonly [harm: (database: string) => void, code: string]> = {
  deleted: [removeAll, 'DATABASE_LOST'],
  'deleted, with a damaged witness': [
    (database) => {
      removeAll(database);
      writeFileSync(`${database}.witness`, '{');
    },
    'DATABASE_LOST',
  ],
  'deleted, with its witness, beside its reports': [
    (database) => {
      removeAll(database);
      rmSync(`${database}.witness`);
    },
    'DATABASE_LOST',
  ],
  'replaced by a new one': [
    (database) => {
      removeAll(database);
      openStore(database).close();
    },
    'DATABASE_LOST',
  ],
  'cut to nothing': [
    (database) => {
      removeAll(database);
      writeFileSync(database, '');
    },
    'DATABASE_EMPTY_FILE',
  ],
};

describe('a database that was', () => {
  it.each(Object.entries(losses))(
    '%s is named by every command, with exit code 1, and nothing is bought',
    async (_, [harm, code]) => {
      const { folder, database, provider, asked } = await begin();
      harm(database);
      const existed = existsSync(database);
      for (const argv of commands) {
        const { exitCode, out, err } = await folder.run(...argv);
        expect({
          argv,
          exitCode,
          named: `${out}${err}`.includes(database) || err.includes('data/rankledger.sqlite'),
        }).toEqual({
          argv,
          exitCode: 1,
          named: true,
        });
      }
      const { document } = await folder.json('run');
      expect(document).toMatchObject({ error: { code } });
      expect(provider.asks.length).toBe(asked);
      expect(existsSync(database)).toBe(existed);
    },
  );

  it('replaced by that of another config is named, and nothing is bought', async () => {
    const [one, other] = [await begin(), await begin()];
    removeAll(one.database);
    copyFileSync(other.database, one.database);
    expect((await one.folder.run('run')).exitCode).toBe(1);
    expect((await one.folder.json('status')).document).toMatchObject({ error: { code: 'DATABASE_LOST' } });
    expect(one.provider.asks.length).toBe(one.asked);
  });

  it('lost is accepted by one flag in one place: what it had spent counts, and runs go on', async () => {
    const { folder, database, provider, asked } = await begin();
    expect((await folder.run('audit', '--accept-loss', 'none')).exitCode).toBe(2);
    removeAll(database);
    const accepted = await folder.run('audit', '--accept-loss', 'the disk is gone');
    expect({ exitCode: accepted.exitCode, out: accepted.out }).toEqual({
      exitCode: 0,
      out: expect.stringContaining('2 credits count as spent'),
    });
    expect((await folder.run('account', 'log')).out).toContain('loss-accept');
    expect((await folder.run('check')).exitCode).toBe(0);
    expect((await folder.run('run')).exitCode).toBe(0);
    expect(provider.asks.length).toBe(2 * asked);
    expect((await folder.json('audit')).document).toMatchObject({
      ok: true,
      totals: { serp_credit: { spent: 2, unknown: 2 } },
    });
  });

  it('lost with its witness is accepted, too, and a damaged witness is replaced', async () => {
    for (const spoil of [(file: string) => rmSync(file), (file: string) => writeFileSync(file, '{')]) {
      const { folder, database } = await begin();
      removeAll(database);
      spoil(`${database}.witness`);
      expect((await folder.run('audit', '--accept-loss', 'gone')).exitCode).toBe(0);
      expect((await folder.run('run')).exitCode).toBe(0);
      expect(JSON.parse(readFileSync(`${database}.witness`, 'utf8'))).toMatchObject({ days: [{ spent: 2 }] });
    }
  });

  it('replaced by an older copy is named by check, plan, run and status, and the run counts what it lacks', async () => {
    const { folder, database } = await begin();
    const copy = join(folder.path, 'copy.sqlite');
    expect((await folder.run('backup', copy)).exitCode).toBe(0);
    expect((await folder.run('run', '--all')).exitCode).toBe(0);
    removeAll(database);
    copyFileSync(copy, database);
    for (const argv of [['check'], ['plan'], ['run']]) {
      const { exitCode, out, err } = await folder.run(...argv);
      expect({ argv, exitCode }).toEqual({ argv, exitCode: 0 });
      expect(`${out}${err}`).toContain('is an older copy than');
    }
    expect((await folder.run('check')).out).not.toContain('older copy');
  });
});

it('a new folder, and one with reports of simulated pages only, are asked about nothing', async () => {
  const folder = folderHere({
    'rankledger.yaml': 'projects: [{ id: acme, targets: [acme.com], depth: 1, keywords: [a], schedule: "0 0 * * *" }]',
  });
  closeLater({ close: () => folder.remove() });
  expect((await folder.run('run')).exitCode).toBe(0);
  removeAll(join(folder.path, 'data/rankledger.sqlite'));
  expect((await folder.run('run')).exitCode).toBe(0);
});
