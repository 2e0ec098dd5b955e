// Meaningless command lines: each is refused with exit code 2 and a helpful message, before anything is opened.
import { beforeAll, expect, test } from 'vitest';
import { commandTable } from '../../src/cli/command-table.ts';
import { invoke } from './fake-host.ts';
import { type ProjectFolder, projectFolder } from './project-folder.ts';

let folder: ProjectFolder;
beforeAll(() => {
  folder = projectFolder();
});

const said = (...words: readonly string[]) => invoke(words, { cwd: folder.path });

const cases: readonly [line: readonly string[], ...says: string[]][] = [
  [['intent', ''], '<keyword> is empty'],
  [['intent', 'shoes', '--feature', 'shoping'], '"shoping" is not a feature', 'Did you mean shopping?'],
  [['intent', 'shoes', '--feature', 'nonsense'], 'featured_snippet, ai_overview, people_also_ask'],
  [['intent', 'shoes', '--language', 'english'], '"english" is not a language code', 'en or pt-BR'],
  [['history', '  '], '<keyword> is empty'],
  [['history', 'runing shoes'], '"runing shoes" is not tracked', 'Did you mean "running shoes"?'],
  [['history', 'nothing like it'], '"nothing like it" is not tracked'],
  [['history', 'running shoes', '--target', 'acme.co'], 'No project tracks "acme.co"', 'Did you mean "acme.com"?'],
  [['history', 'running shoes', '--country', 'DE'], 'not tracked in DE', 'It is in US.'],
  [['history', 'x', '--from', '2026-02-30'], 'Write a date such as 2026-03-01'],
  [['history', 'x', '--from', '2026-02-02', '--to', '2026-02-01'], '--from 2026-02-02 is after --to 2026-02-01'],
  [['export', '--from', '2026-02-02', '--to', '2026-02-01'], 'is after --to 2026-02-01'],
  [['export', '--safe', '--format', 'jsonl'], '--safe needs --format csv'],
  [['export', '--project', ''], '--project is empty'],
  [['run', '--project', 'acme', '--project', ''], '--project is empty'],
  [['keywords', 'import', ''], '<files> is empty'],
  [['status', '--config', ''], '--config is empty'],
  [['account', 'credit', 'acme', '--serp-credits', '0'], 'An amount of 0 changes nothing'],
  [['parse', '.', '--engine', 'google'], '. is a folder', 'Name the file'],
];

test.each(cases)('%j is refused before anything is opened, and the message helps', async (line, ...says) => {
  const { exitCode, out, err } = await said(...line);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
  for (const words of says) expect(err).toContain(words);
});

test('a file where a folder is needed is refused', async () => {
  const { exitCode, err } = await said('export', '--output', '.');
  expect(exitCode).toBe(2);
  expect(err).toContain(`${folder.path} is a folder`);
});

test('no help shows a default in its internal form', async () => {
  for (const { name } of commandTable) expect((await said(name, '--help')).out).not.toMatch(/default: [{[]/);
});
