// Names of places on the command line: resolved as in the config, or refused before anything is bought.
import { beforeAll, expect, test } from 'vitest';
import { openApp } from '../../../src/app/app.ts';
import { invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

const config = `services: { default: { mode: embedded, source: sandbox } }
budget: { serpCredits: { perMonth: 300 } }
projects:
  - id: acme
    targets: [acme.com]
    market: { country: US, language: en, location: "Dallas, TX" }
    depth: 1
    keywords: [dentist, { keyword: dentist, location: none }]
`;

let folder: ProjectFolder;
beforeAll(() => {
  folder = projectFolder(config);
});

const go = (...argv: string[]) => invoke(argv, { cwd: folder.path, openApp });

test('serp searches from the place that the name means, however it is written', async () => {
  const canonical = await go('serp', 'dentist', '--json', '--location', 'Dallas,Texas,United States');
  expect(canonical.exitCode).toBe(0);
  for (const name of ['Dallas, TX', 'dallas']) {
    expect((await go('serp', 'dentist', '--json', '--location', name)).out).toBe(canonical.out);
  }
});

test('serp buys nothing for a place that is unknown or ambiguous', async () => {
  await go('serp', 'dentist');
  const spent = async () => (await go('export', '--what', 'ledger')).out;
  const before = await spent();
  const ambiguous = await go('serp', 'dentist', '--location', 'Springfield');
  expect(ambiguous).toMatchObject({ exitCode: 2, err: expect.stringContaining('Springfield,Illinois,United States') });
  const unknown = await go('serp', 'dentist', '--location', 'Nowhere');
  expect(unknown).toMatchObject({ exitCode: 2, err: expect.stringContaining('no place "Nowhere" is known in US') });
  expect(await spent()).toBe(before);
});

test('history takes the names of the config, and refuses others', async () => {
  await go('run', '--all');
  const locations = async (name: string) => {
    const rows = JSON.parse((await go('history', 'dentist', '--json', '--location', name)).out);
    return rows.map(({ location }: { readonly location?: string }) => location);
  };
  expect(await locations('none')).toEqual([undefined]);
  expect(await locations('Dallas, TX')).toEqual(['Dallas,Texas,United States']);
  expect(await locations('Dallas,Texas,United States')).toEqual(['Dallas,Texas,United States']);
  const unknown = await go('history', 'dentist', '--location', 'Nowhere');
  expect(unknown).toMatchObject({ exitCode: 2, err: expect.stringContaining('no place "Nowhere" is known in US') });
});
