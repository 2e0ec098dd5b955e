// `reader`: tokens of the read API, added, listed and revoked over a real database.
import { readFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { openApp } from '../../../src/app/app.ts';
import { invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

let folder: ProjectFolder;
beforeEach(() => {
  folder = projectFolder();
});

const reader = (...argv: string[]) => invoke(['reader', ...argv], { cwd: folder.path, openApp });

test('a token is shown once, listed without it, and revoked', async () => {
  const { token, name } = JSON.parse((await reader('add', 'anna', '--json')).out);
  expect(name).toBe('anna');
  expect(token).toMatch(/^[\w-]{43}$/);
  expect((await reader('add', 'dashboards of sales')).out).toContain('Save the token now');
  const list = await reader('list');
  expect(list.out).toMatch(/anna +active/);
  expect(list.out).not.toContain(token);
  expect((await reader('revoke', 'anna')).out).toContain('anna is revoked');
  const { readers } = JSON.parse((await reader('list', '--json')).out);
  expect(readers).toMatchObject([{ name: 'anna' }, { name: 'dashboards of sales', revokedAt: null }]);
  expect(readers[0].revokedAt).toMatch(/Z$/);
  const log = await invoke(['account', 'log'], { cwd: folder.path, openApp });
  expect(log.out).toMatch(/reader-revoke.*reader "anna"/);
});

test('a reader is an editor only where the operator says so', async () => {
  await reader('add', 'anna');
  await reader('add', 'ben', '--role', 'editor');
  expect((await reader('list')).out).toMatch(/anna +active +reader[\s\S]*ben +active +editor/);
  expect((await reader('add', 'cleo', '--role', 'owner')).exitCode).toBe(2);
  const log = await invoke(['account', 'log'], { cwd: folder.path, openApp });
  expect(log.out).toMatch(/reader-add.*reader "ben", role "editor"/);
});

test('a share link names the page, and holds the token where no server sees it', async () => {
  const share = async (...argv: string[]) => JSON.parse((await reader('add', ...argv, '--json')).out);
  const acme = await share('acme-team', '--project', 'acme', '--url', 'https://ranks.example.com/');
  expect(acme.link).toBe(`https://ranks.example.com/p/acme/home#token=${acme.token}`);
  const phones = await share('phones', '-p', 'acme', '--view', 'On phones', '--until', '2027-01-31');
  expect(phones.link).toBe(`http://127.0.0.1:8090/p/acme/keywords?device=mobile&sort=-rank#token=${phones.token}`);
  expect((await share('anna')).link).toMatch(/^http:\/\/127\.0\.0\.1:8090\/#token=[\w-]{43}$/);
  const { readers } = JSON.parse((await reader('list', '--json')).out);
  expect(readers).toMatchObject([
    { name: 'acme-team', state: 'active', role: 'reader', project: 'acme', tag: null, view: null, endsAt: null },
    { name: 'anna', project: null, tag: null, view: null },
    // the day ends at midnight in Berlin
    { name: 'phones', project: 'acme', view: 'On phones', endsAt: '2027-01-31T23:00:00.000Z' },
  ]);
  expect((await reader('list')).out).toMatch(/phones +active +reader +project acme, view On phones +2027-01-31T23/);
  const log = await invoke(['account', 'log', '--json'], { cwd: folder.path, openApp });
  expect(log.out).not.toContain(acme.token);
  const facts = { reader: 'phones', project: 'acme', view: 'On phones', until: '2027-01-31' };
  expect(JSON.parse(log.out)).toContainEqual(expect.objectContaining({ event: 'reader-add', facts }));
});

test('a link is revoked although the config of another project is broken', async () => {
  await reader('add', 'acme-team', '--project', 'acme');
  const config = readFileSync(`${folder.path}/rankledger.yaml`, 'utf8');
  const broken = '  - { id: other, targets: [other.com], keywords: [shoes], nonsense: 1 }\n';
  folder.write('rankledger.yaml', config.replace('projects:\n', `projects:\n${broken}`));
  const { exitCode, out } = await reader('revoke', 'acme-team');
  expect([exitCode, out]).toEqual([0, expect.stringContaining('is revoked')]);
  expect((await reader('list')).out).toMatch(/acme-team +revoked/);
});

test('an empty list says how to add a reader', async () => {
  expect((await reader('list')).out).toContain('rankledger reader add NAME');
});

test.each([
  [['add', '-anna'], 'option'],
  [['add', '.'], 'cannot name a reader'],
  [['add', 'x'.repeat(65)], 'cannot name a reader'],
  [['revoke', 'nemo'], 'there is no reader "nemo"'],
  [['add', 'anna', '--project', 'nemo'], 'there is no project "nemo"'],
  [['add', 'anna', '--project', 'acme', '--tag', 'nemo'], 'nemo'],
  [['add', 'anna', '--project', 'acme', '--view', 'nemo'], 'nemo'],
  [['add', 'anna', '--project', 'acme', '--view', 'On phones', '--tag', 'nemo'], 'nemo'],
  [['add', 'anna', '--view', 'On phones'], 'need a --project'],
  [['add', 'anna', '--project', 'acme', '--role', 'editor'], 'an editor sees all projects'],
  [['add', 'anna', '--until', '2001-01-31'], '--until 2001-01-31 is over'],
  [['add', 'anna', '--until', 'tomorrow'], 'Write a date'],
  [['add', 'anna', '--url', 'https://ranks.example.com/seo'], 'without a path'],
])('%j is refused', async (argv, message) => {
  const { exitCode, err } = await reader(...argv);
  expect(exitCode).toBe(2);
  expect(err).toContain(message);
});

test('a name is taken until its reader is revoked', async () => {
  await reader('add', 'anna');
  const { exitCode, err } = await reader('add', 'anna');
  expect(exitCode).toBe(2);
  expect(err).toContain('there is a reader "anna" already');
  await reader('revoke', 'anna');
  expect((await reader('add', 'anna')).exitCode).toBe(0);
});
