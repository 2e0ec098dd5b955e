// Excel workbooks wherever imports read CSV: each command says of a workbook what it says of the same table as CSV.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { workbook } from '../../helpers/workbook.ts';
import { invoke } from '../fake-host.ts';
import { projectFolder } from '../project-folder.ts';

const config = `projects:
  - id: acme
    targets: [acme.example]
    market: { country: US, language: en, devices: [desktop] }
    depth: 1
    keywords: [running shoes, trail shoes]
    keywordsFile: keywords.csv
`;

const tables = {
  'backfill import': ['Keyword,Date,Rank,URL', 'running shoes,2026-01-05,7,https://acme.example/a', 'trail shoes,x,9,'],
  'keywords add': ['Keyword,Tags,Search Volume', 'boots,winter,1200', '"socks, long",,90'],
  'keywords import': ['Keyword,Volume,CPC (USD)', 'boots,1200,1.25', 'socks,12 per day,0.5'],
} as const;
const options: Readonly<Record<string, readonly string[]>> = {
  'backfill import': ['--target', 'acme.example'],
  'keywords import': ['--into', 'my.dataset', '--country', 'US', '--language', 'en'],
};

test.each(Object.entries(tables))('%s reads a workbook', async (command, lines) => {
  const said = [];
  for (const name of ['a.csv', 'a.xlsx']) {
    const folder = projectFolder(config);
    folder.write('keywords.csv', 'keyword\nhats\n');
    folder.write('a.csv', `${lines.join('\n')}\n`);
    const rows = lines.map((line) =>
      [...line.matchAll(/"([^"]*)"|([^,]+)|(?<=,)(?=,|$)/g)].map(([, quoted, plain]) => {
        const cell = quoted ?? plain ?? null;
        return cell !== null && /^[\d.]+$/.test(cell) ? Number(cell) : cell;
      }),
    );
    // a sheet that is no table of the command goes first
    writeFileSync(join(folder.path, 'a.xlsx'), workbook({ About: [['Made on', 'by', 'us']], Data: rows }));
    const { exitCode, out, err } = await invoke([...command.split(' '), name, ...(options[command] ?? [])], {
      cwd: folder.path,
    });
    said.push({ exitCode, out: out.replaceAll(name, 'FILE'), err });
  }
  expect(said[1]).toEqual(said[0]);
  expect(said[0]).toMatchObject({ err: '', out: expect.stringMatching(/[Ii]mport|add/) });
});
