// `note`: added, listed with those of the config, and removed, over a real database.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openConnection } from '../../../db/connection/client.ts';
import { openApp } from '../../../src/app/app.ts';
import { listenOnLoopback } from '../../helpers/loopback.ts';
import { invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

let folder: ProjectFolder;
beforeEach(() => {
  folder = projectFolder(
    `notes:\n  - { date: 2026-01-10, text: "core  update" }\n  - { date: 2026-01-11, text: relaunch, project: acme }
projects:\n  - { id: acme, targets: [acme.com], keywords: [a] }\n  - { id: other, targets: [other.com], keywords: [b] }\n`,
  );
});

const note = (...argv: string[]) => invoke(['note', ...argv], { cwd: folder.path, openApp });

test('a note is added for today, or for another day, and listed by date', async () => {
  expect((await note('add', ' sale\tbegins ')).exitCode).toBe(0);
  expect((await note('add', 'earlier', '--date', '2026-01-09', '-p', 'other')).out).toContain(
    'Note 2 of 2026-01-09, other: earlier',
  );
  const { notes } = JSON.parse((await note('list', '--json')).out);
  expect(notes.map(({ text }: { text: string }) => text)).toEqual([
    'earlier',
    'core update',
    'relaunch',
    'sale begins',
  ]);
  expect(notes[1]).toEqual({ id: null, date: '2026-01-10', text: 'core update', project: null });
  const { out } = await note('list', '--project', 'other');
  expect(out).toMatch(/^ {2}2 +2026-01-09 +other +earlier$/m);
  expect(out).toMatch(/^ {2}config +2026-01-10 +all +core update$/m);
  expect(out).not.toContain('relaunch');
});

test('a note about a keyword or a tag is of one project, and listed with what it is about', async () => {
  folder.write(
    'rankledger.yaml',
    'projects:\n  - { id: acme, targets: [acme.com], keywords: [a, { keyword: b, tags: [shoes] }] }\n',
  );
  expect((await note('add', 'new title', '-p', 'acme', '--keyword', 'a')).out).toContain('acme, keyword a: new title');
  expect((await note('add', 'sale', '-p', 'acme', '--tag', 'shoes', '--json')).out).toContain('"tag": "shoes"');
  expect((await note('list')).out).toMatch(/acme, keyword a +new title\n.*acme, tag shoes +sale/);
  for (const [argv, message] of [
    [['--keyword', 'a'], 'needs its project'],
    [['-p', 'acme', '--keyword', 'c'], 'there is no keyword "c"'],
    [['-p', 'acme', '--tag', 'hats'], 'there is no tag "hats"'],
    [['-p', 'acme', '--tag', 'shoes', '--keyword', 'a'], 'not about both'],
  ] as const) {
    const { exitCode, err } = await note('add', 'x', ...argv);
    expect([exitCode, err]).toEqual([2, expect.stringContaining(message)]);
  }
});

test('a note is removed once', async () => {
  await note('add', 'a mistake');
  expect((await note('remove', '1')).out).toContain('a mistake');
  const { exitCode, err } = await note('remove', '1');
  expect(exitCode).toBe(2);
  expect(err).toContain('there is no note 1');
});

test.each([
  [['add', '  '], '<text> is empty'],
  [['add', 'x', '--date', '2026-02-30'], '"2026-02-30" is not a date'],
  [['add', 'x', '--project', 'acmee'], 'there is no project "acmee"'],
  [['add', 'x'.repeat(201)], 'longer than 200'],
  [['list', '-p', 'missing'], 'there is no project "missing"'],
  [['remove', 'config'], 'is not the number of a note'],
])('%j is refused', async (argv, message) => {
  const { exitCode, err } = await note(...argv);
  expect(exitCode).toBe(2);
  expect(err).toContain(message);
});

const incident = (id: string, name: string, begin: string, end: string | null) => ({
  ...{ id, begin, end, external_desc: name, service_name: 'Ranking', affected_products: [{ title: 'Ranking' }] },
});
const begun = incident('a', 'core update', '2026-01-02T08:00:00+00:00', null);
const ended = { ...begun, end: '2026-01-20T08:00:00+00:00' };
const old = incident('b', 'spam update', '2025-12-02T08:00:00+00:00', '2025-12-03T08:00:00+00:00');
const serving = {
  ...incident('c', 'outage', '2026-01-04T08:00:00Z', null),
  service_name: 'Serving',
  affected_products: [],
};

test('announced updates are imported from a file or a URL; a later feed says when they ended, and older ones stay', async () => {
  folder.write('incidents.json', JSON.stringify([begun, old, serving]));
  const first = await note('import', 'incidents.json', '--json');
  expect([first.exitCode, JSON.parse(first.out)]).toEqual([0, { updates: 2, new: 2, others: 1 }]);
  const feed = await listenOnLoopback((_request, response) => void response.end(JSON.stringify([ended])));
  expect((await note('import', `${feed.url}/incidents.json`)).out).toContain('1 announced update, 0 of them new');
  const { notes } = JSON.parse((await note('list', '--json')).out);
  const announced = { id: null, project: null, confirmed: true };
  expect(notes.filter(({ confirmed }: { confirmed?: true }) => confirmed)).toEqual([
    { ...announced, date: '2025-12-02', text: 'update confirmed: spam update (until 2025-12-03)', until: '2025-12-03' },
    { ...announced, date: '2026-01-02', text: 'update confirmed: core update (until 2026-01-20)', until: '2026-01-20' },
  ]);
  expect((await note('list', '--project', 'other')).out).toMatch(/^ {2}feed +2026-01-02 +all +update confirmed: core/m);
});

test.each(['utf8', 'utf16le'] as const)(
  'a feed that Windows saved as %s with a byte order mark is read',
  async (encoding) => {
    const text = Buffer.from(`\ufeff${JSON.stringify([begun])}`, encoding);
    writeFileSync(join(folder.path, 'saved.json'), text);
    const { exitCode, out, err } = await note('import', 'saved.json');
    expect([exitCode, err, out]).toEqual([0, '', expect.stringContaining('1 announced update')]);
  },
);

test.each([
  ['a missing file', 'nothing.json', 'cannot be read'],
  ['another document', 'rankledger.yaml', 'not a status feed'],
  ['a host that does not answer', 'http://127.0.0.1:3/incidents.json', 'cannot be read: connect ECONNREFUSED'],
])('%s is refused as a status feed', async (_what, source, reason) => {
  const { exitCode, err } = await note('import', source);
  expect([exitCode, err]).toEqual([2, expect.stringContaining(reason)]);
});

test('a database that fails is not blamed on the feed', async () => {
  folder.write('incidents.json', JSON.stringify([begun]));
  const { exitCode, err } = await invoke(['note', 'import', 'incidents.json'], {
    cwd: folder.path,
    async openApp(config, options) {
      const app = await openApp(config, options);
      const other = openConnection(config.databaseFile);
      other.sql('DROP TABLE engine_updates').run();
      other.close();
      return app;
    },
  });
  expect([exitCode, err]).toEqual([1, expect.not.stringContaining('incidents.json')]);
});
