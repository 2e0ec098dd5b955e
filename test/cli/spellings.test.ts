// Spellings that an engine takes for one search are one search, and are shown as each project has written them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openConnection } from '../../db/connection/client.ts';
import { foldSearch, sharedSpellings } from '../../src/tracker/searches.ts';
import { csvRows } from './child.ts';
import { type ProjectFolder, projectFolder } from './project-folder.ts';
import { commandAt, runSlots } from './real-app.ts';

const slots = ['2026-01-02T06:00Z', '2026-01-03T06:00Z', '2026-01-04T06:00Z'] as const;
const dayMs = 86_400_000;

const config = (keywords: Readonly<Record<string, string | readonly string[]>>, rest = ''): string => `timezone: UTC
services: { default: { mode: embedded, source: sandbox, sites: [acme.com] } }
budget: { serpCredits: { perMonth: 500 } }
projects:
${Object.entries(keywords)
  .map(
    ([id, keyword]) =>
      `  - { id: ${id}, targets: [acme.com], schedule: "0 6 * * *", depth: 2, paging: full, keywords: ${JSON.stringify([keyword].flat())}${rest} }`,
  )
  .join('\n')}
`;

function rowsOf({ path }: ProjectFolder, sql: string): Record<string, unknown>[] {
  const database = openConnection(join(path, 'data/rankledger.sqlite'));
  const rows = database.sql(sql).all() as Record<string, unknown>[];
  database.close();
  return rows;
}
const pagesBought = (folder: ProjectFolder): number =>
  Number(rowsOf(folder, 'SELECT sum(charged) AS credits FROM purchases')[0]?.['credits']);

/** The rows of rank-changes.csv of a project's newest report. */
async function reportOf(folder: ProjectFolder, project: string, slot: string) {
  const now = Date.parse(slot) + dayMs / 2;
  const { out } = await commandAt(folder, now, 'export', '--project', project, '--what', 'rankings');
  return csvRows(out);
}

describe('a keyword that two projects spell differently', () => {
  it('is bought once: case, runs of spaces, other spaces, composed letters, case beyond ASCII', async () => {
    const first = [
      'Running Shoes',
      'trail  shoes',
      '\u00a0hiking\u00a0boots ',
      'cafe\u0301 running',
      'LAUFSCHUHE GR\u00dcN',
    ];
    const second = ['running shoes', 'trail shoes', 'hiking boots', 'caf\u00e9 running', 'laufschuhe gr\u00fcn'];
    const folder = projectFolder(config({ first, second }));
    await runSlots(folder, slots.slice(0, 2));
    expect(pagesBought(folder)).toBe(5 * 2 * 2);
    expect(rowsOf(folder, 'SELECT id FROM searches')).toHaveLength(5);
    for (const project of ['first', 'second']) expect(await reportOf(folder, project, slots[1])).toHaveLength(5 * 2);
  });

  it('is another search by an accent, \u00df and ss, compatibility forms and the order of words', async () => {
    const first = ['cafe paris', 'stra\u00dfe', 'preis m\u00b2', 'shoes running'];
    const second = ['caf\u00e9 paris', 'strasse', 'preis m2', 'running shoes'];
    const folder = projectFolder(config({ first, second }));
    await runSlots(folder, slots.slice(0, 1));
    expect(pagesBought(folder)).toBe(4 * 2 * 2);
  });

  it('is shown in each report as its project has written it', async () => {
    const folder = projectFolder(config({ first: 'Running Shoes', second: 'running shoes' }));
    await runSlots(folder, slots.slice(0, 2));
    for (const [project, written] of [
      ['first', 'Running Shoes'],
      ['second', 'running shoes'],
    ] as const) {
      const csv = await commandAt(folder, Date.parse(slots[1]) + dayMs / 2, 'report', '--project', project);
      expect(csv.exitCode).toBe(0);
      const rows = csvRows(readFileSync(join(folder.path, `reports/${project}/latest/rank-changes.csv`), 'utf8'));
      expect(rows.map((row) => [row['keyword'], row['change_class']])).toEqual([
        [written, expect.not.stringContaining('first')],
      ]);
    }
  });

  it('counts once in the plan and in its price', async () => {
    const folder = projectFolder(config({ first: 'Running Shoes', second: 'running shoes' }));
    const { out } = await commandAt(folder, Date.parse(slots[0]), 'plan', '--all', '--json');
    expect(JSON.parse(out)).toMatchObject({ creditsExpected: 2, creditsWorstCase: 2 });
  });
});

describe('a keyword that is spelled differently later', () => {
  const comparison = async (folder: ProjectFolder, project: string) => {
    const { readFileSync } = await import('node:fs');
    const rows = csvRows(readFileSync(join(folder.path, `reports/${project}/latest/rank-changes.csv`), 'utf8'));
    return rows.map((row) => [row['keyword'], row['previous_rank'] !== '']);
  };

  it('keeps its history while another project keeps the old text, and is not bought twice', async () => {
    const folder = projectFolder(config({ first: 'running shoes', second: 'running shoes' }));
    await runSlots(folder, slots.slice(0, 2));
    folder.write('rankledger.yaml', config({ first: 'Running  Shoes', second: 'running shoes' }));
    await runSlots(folder, slots.slice(2));
    expect(pagesBought(folder)).toBe(3 * 2);
    expect(rowsOf(folder, 'SELECT text FROM keywords')).toEqual([{ text: 'running shoes' }]);
    expect(await comparison(folder, 'first')).toEqual([['Running Shoes', true]]);
    expect(await comparison(folder, 'second')).toEqual([['running shoes', true]]);
    const { out } = await commandAt(
      folder,
      Date.parse(slots[2]) + dayMs / 2,
      'history',
      'RUNNING SHOES',
      '--project',
      'first',
    );
    for (const slot of slots) expect(out).toContain(slot.slice(0, 10));
  });

  it('keeps its history where both projects change it, each in its own way', async () => {
    const folder = projectFolder(config({ first: 'running shoes', second: 'running shoes' }));
    await runSlots(folder, slots.slice(0, 1));
    folder.write('rankledger.yaml', config({ first: 'Running Shoes', second: 'RUNNING SHOES' }));
    await runSlots(folder, slots.slice(1, 2));
    expect(pagesBought(folder)).toBe(2 * 2);
    expect(await comparison(folder, 'first')).toEqual([['Running Shoes', true]]);
    expect(await comparison(folder, 'second')).toEqual([['RUNNING SHOES', true]]);
  });

  it('is the same search for a project that comes later', async () => {
    const folder = projectFolder(config({ first: 'running shoes' }));
    await runSlots(folder, slots.slice(0, 1));
    folder.write('rankledger.yaml', config({ second: 'Running Shoes', first: 'running shoes' }));
    await runSlots(folder, slots.slice(1, 2));
    expect(pagesBought(folder)).toBe(2 * 2);
    expect(await comparison(folder, 'first')).toEqual([['running shoes', true]]);
  });
});

describe('a database in which an older version has bought two spellings', () => {
  /** What an older version left: both spellings with searches, checks and pages of their own, in one market. */
  async function olderDatabase() {
    const folder = projectFolder(config({ first: 'running shoes' }));
    await runSlots(folder, slots.slice(0, 1));
    folder.write('rankledger.yaml', config({ second: 'Running Shoes' }));
    const database = openConnection(join(folder.path, 'data/rankledger.sqlite'));
    // so that the search of the first spelling does not go on under the second one
    database.sql("UPDATE keywords SET text = 'other' WHERE text = 'running shoes'").run();
    database.close();
    await runSlots(folder, slots.slice(0, 1));
    const again = openConnection(join(folder.path, 'data/rankledger.sqlite'));
    again.sql("UPDATE keywords SET text = 'running shoes' WHERE text = 'other'").run();
    again.close();
    expect(rowsOf(folder, 'SELECT id FROM searches')).toHaveLength(2);
    expect(pagesBought(folder)).toBe(2 * 2);
    folder.write(
      'rankledger.yaml',
      config({ first: 'running shoes', second: 'Running Shoes', third: 'RUNNING SHOES' }),
    );
    return folder;
  }

  it.each([
    ['plan', '--all'],
    ['backfill', 'ranks', '--dry-run'],
  ])('counts once in the price of `%s`, at most what the run spends', async (...argv) => {
    const folder = await olderDatabase();
    const { out } = await commandAt(folder, Date.parse(slots[1]), ...argv, '--json');
    expect(JSON.parse(out)).toMatchObject({ creditsWorstCase: 2, creditsExpected: 2 });
    // the deeper of both is what is bought
    folder.write(
      'rankledger.yaml',
      config({ first: 'running shoes', second: 'Running Shoes' }).replace('depth: 2', 'depth: 5'),
    );
    const deeper = await commandAt(folder, Date.parse(slots[1]), 'plan', '--all', '--json');
    expect(JSON.parse(deeper.out)).toMatchObject({ creditsWorstCase: 5, creditsExpected: 5, pagesWorstCase: 5 });
    await runSlots(folder, slots.slice(1, 2));
    expect(pagesBought(folder)).toBe(2 * 2 + 5);
  });

  it('is bought once from then on, and each project keeps its history', async () => {
    const folder = await olderDatabase();
    await runSlots(folder, slots.slice(1));
    expect(pagesBought(folder)).toBe(2 * 2 + 2 * 2);
    const { readFileSync } = await import('node:fs');
    for (const [project, written] of [
      ['first', 'running shoes'],
      ['second', 'Running Shoes'],
      ['third', 'RUNNING SHOES'],
    ] as const) {
      const rows = csvRows(readFileSync(join(folder.path, `reports/${project}/latest/rank-changes.csv`), 'utf8'));
      expect(rows.map((row) => [row['keyword'], row['status'], row['previous_rank'] !== ''])).toEqual([
        [written, 'ranked', true],
      ]);
    }
    // every earlier row is still there, and the file is sound
    const now = Date.parse(slots[2]) + dayMs / 2;
    for (const project of ['first', 'second']) {
      const { out } = await commandAt(folder, now, 'history', 'running shoes', '--project', project);
      for (const slot of slots) expect(out).toContain(slot.slice(0, 10));
    }
    const { exitCode, out, err } = await commandAt(folder, now, 'audit');
    expect([exitCode, err, out]).toEqual([0, '', expect.any(String)]);
  });
});

describe('spellings', () => {
  const keywords = (language: string, ...texts: string[]) => ({
    keywords: texts.map((keyword) => ({ keyword, language })),
  });

  it('are groups over projects, in the order of the config', () => {
    expect(sharedSpellings([keywords('en', 'A b', 'c'), keywords('en', 'a b', 'd'), keywords('de', 'A B')])).toEqual([
      ['A b', 'a b', 'A B'],
    ]);
    expect(sharedSpellings([keywords('en', 'A b', 'a b')])).toEqual([]);
  });

  it('of capitals of i in Turkish and Azerbaijani are words apart', () => {
    for (const language of ['tr', 'az', 'tr-TR']) {
      expect(foldSearch('ISI', language)).not.toBe(foldSearch('isi', language));
      expect(foldSearch('\u0130stanbul Otel', language)).not.toBe(foldSearch('istanbul otel', language));
      expect(foldSearch('OTEL', language)).toBe(foldSearch('otel', language));
      expect(sharedSpellings([keywords(language, 'ISI'), keywords(language, 'isi')])).toEqual([]);
    }
    expect(foldSearch('ISI', 'en')).toBe(foldSearch('isi', 'en'));
  });
});
