// `keywords import`: its destination, its report and its exit code.
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openKeywordDataset } from '../../../db/dataset/keyword-dataset.ts';
import type { KeywordImportReport } from '../../../src/cli/subcommands/keywords-import.ts';
import { invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

const service = (file: string) => `{ mode: embedded, source: sandbox, metrics: { source: dataset, file: ${file} } }`;
const config = (...files: string[]) =>
  `services:\n  default: { mode: embedded, source: sandbox }\n${files.map((file, at) => `  s${at}: ${service(file)}\n`).join('')}projects: []\n`;

let folder: ProjectFolder;
let dataset: string;
beforeEach(() => {
  folder = projectFolder(config('my.dataset'));
  dataset = join(folder.path, 'my.dataset');
  folder.write(
    'list.csv',
    'keyword,volume,country,language\nshoes,1200,US,en\nboots,-,US,en\nhats,12 per day,US,en\nscarves,5,XX,en\nsocks,7,,\n',
  );
});

const go = (...argv: string[]) => invoke(['keywords', ...argv], { cwd: folder.path });
const market = ['--country', 'US', '--language', 'en'];

function contents(file = dataset) {
  const opened = openKeywordDataset(file);
  try {
    return opened.contents().markets.reduce((sum, { keywords }) => sum + keywords, 0);
  } finally {
    opened.close();
  }
}

describe('the report of keywords import', () => {
  test('lists what was taken and what was not, where and why, and the exit code is 3', async () => {
    const { exitCode, out } = await go('import', 'list.csv');
    expect(exitCode).toBe(3);
    expect(out).toBe(`Imported 3 keywords into my.dataset: list.csv (csv)
  3 new
  2 without a volume

Not imported, or not completely: 3 rows
  1 x has no country or no language
      line 6: socks
      Name them with --country and --language.
  1 x has an unknown country or language
      line 5: scarves
  1 x has a cell of the wrong type, such as a word instead of a number
      line 4: hats: 12 per day
      Name the right column: --map volume=COLUMN.
`);
    expect(contents()).toBe(3);
  });

  test('counts a row once, however much of it is rejected', async () => {
    folder.write('euro.csv', 'keyword,volume,cpc,low bid,high bid,currency\nshoes,5,1,2,3,EUR\nhats,6,1,,2,EUR\n');
    const bids = 'bid_low=low bid,bid_high=high bid,currency=currency,keyword=keyword,volume=volume,cpc=cpc';
    const { out } = await go('import', 'euro.csv', ...market, '--map', bids);
    expect(out).toContain('Not imported, or not completely: 2 rows\n  2 x has an amount in a currency');
    expect(out.match(/^ +line \d+/gm)).toEqual(['      line 2', '      line 3']);
  });

  test('leaves out rows of a place inside a country, whose numbers are a part of those of the country', async () => {
    folder.write('places.csv', 'Keyword,Volume,Location\ndentist,50,"Austin, Texas"\ndentist,900,United States\n');
    const argv = ['import', 'places.csv', '--language', 'en', '--into', 'places.dataset', '--json'];
    const { exitCode, out } = await go(...argv);
    expect(exitCode).toBe(3);
    expect(JSON.parse(out).files[0]).toMatchObject({
      refused: [{ reason: 'segment', first: [{ line: 2 }] }],
    });
  });

  test('is one JSON document for scripts', async () => {
    const { out } = await go('import', 'list.csv', ...market, '--json');
    const report = JSON.parse(out) as KeywordImportReport;
    expect(report).toMatchObject({ into: dataset, isDryRun: false, isInterrupted: false, notTaken: 2 });
    expect(report.files[0]).toMatchObject({
      format: 'csv',
      delimiter: ',',
      rows: 4,
      volumes: 2,
      ranges: 0,
      added: { new: 4, replaced: 0, repeated: 0 },
    });
  });

  test('is the same in a dry run, which creates nothing', async () => {
    const { exitCode, out } = await go('import', 'list.csv', '--dry-run');
    expect([exitCode, out.split('\n')[0]]).toEqual([3, 'Would import 3 keywords into my.dataset: list.csv (csv)']);
    expect(existsSync(dataset)).toBe(false);
    await go('import', 'list.csv');
    const before = statSync(dataset).mtimeMs;
    await go('import', 'list.csv', '--dry-run', ...market);
    expect([statSync(dataset).mtimeMs, contents()]).toEqual([before, 3]);
  });
});

describe('the destination of keywords import', () => {
  test('is the dataset of the config if there is one; otherwise it must be named', async () => {
    folder.write('rankledger.yaml', config('a.dataset', 'b.dataset', './a.dataset'));
    const { exitCode, err } = await go('import', 'list.csv');
    expect([exitCode, err]).toEqual([2, expect.stringContaining('names 2 datasets')]);
    folder.write('rankledger.yaml', config());
    expect((await go('import', 'list.csv')).err).toContain('names no dataset');
    folder.write('rankledger.yaml', config('a.dataset', './a.dataset'));
    expect((await go('import', 'list.csv')).out).toContain('into a.dataset');
  });

  test('may be any path without a config, and a file that is not a dataset is left alone', async () => {
    const text = join(folder.path, 'list.csv');
    const { exitCode, err } = await invoke(['keywords', 'import', 'list.csv'], { cwd: join(folder.path, '..') });
    expect([exitCode, err]).toEqual([2, expect.stringContaining('--into')]);
    const before = statSync(text);
    const result = await go('import', 'list.csv', '--into', 'list.csv');
    expect([result.exitCode, result.err]).toEqual([1, expect.stringContaining('is not a SQLite database')]);
    expect(statSync(text).mtimeMs).toBe(before.mtimeMs);
    expect((await go('import', 'list.csv', '--into', 'deep/er.dataset')).exitCode).toBe(3);
    expect(contents(join(folder.path, 'deep/er.dataset'))).toBe(3);
  });
});

describe('the arguments of keywords import', () => {
  test.each([
    [['import', 'none.csv'], 'none.csv: the file does not exist'],
    [['import', 'bare.csv', '--language', 'en'], 'bare.csv does not name the country of its keywords'],
    [['import', 'bare.csv', '--country', 'US'], 'bare.csv does not name the language of its keywords'],
    [['import', 'bare.csv', '--country', 'UK', '--language', 'en'], 'did you mean GB?'],
    [['import', 'list.csv', '--map', 'volum=Searches'], '--map: "volum=Searches" is not ROLE=COLUMN'],
    [['import', 'list.csv', '--map', 'volume=Searches'], 'list.csv: it has no column "Searches"'],
    [['import', 'list.csv', '--format', 'semrush'], 'list.csv: it is not an export of semrush'],
    [['import', 'list.csv', '--usd-per-unit', '0'], 'the value of one unit'],
    [['import', 'list.csv', '--limit', '3'], '--limit and --service are for look-ups'],
    [['import'], "missing required argument 'files'"],
  ])('%j is refused before anything is taken', async (argv, message) => {
    folder.write('bare.csv', 'keyword,volume\nshoes,1\n');
    const { exitCode, err } = await go(...argv);
    expect([exitCode, err.toLowerCase()]).toEqual([2, expect.stringContaining(message.toLowerCase())]);
    expect(existsSync(dataset)).toBe(false);
  });

  test('may name several files: all are recognised before the first is taken', async () => {
    folder.write('b.csv', 'nothing,known\n1,2\n');
    expect((await go('import', 'list.csv', 'b.csv')).exitCode).toBe(2);
    expect(existsSync(dataset)).toBe(false);
    folder.write('b.csv', 'Search term;Volume\nhats;50\n');
    const { exitCode, out } = await go('import', 'list.csv', 'b.csv', ...market);
    expect([exitCode, contents()]).toEqual([3, 4]);
    expect(out).toContain('Imported 1 keyword into my.dataset: b.csv (csv)\n  1 known already, and replaced\n');
  });

  test('may be the keyword "import" itself', async () => {
    const asked = async (...argv: string[]) => (await invoke(['keywords', ...argv], { cwd: folder.path })).out;
    for (const argv of [['--', 'import'], ['--limit', '5', '--', 'import'], ['importer']])
      expect(await asked(...argv)).toMatch(/^ {2}keyword +searches a month/);
    expect(await asked('import', 'duty')).toBe('');
  });
});

test('a signal discards the file that was being read, and keeps those before it', async () => {
  const many = Array.from({ length: 30_000 }, (_, at) => `word ${at},${at}`).join('\n');
  writeFileSync(join(folder.path, 'many.csv'), `keyword,volume\n${many}\n`);
  folder.write('first.csv', 'keyword,volume\nshoes,1\n');
  const { exitCode, out } = await invoke(['keywords', 'import', 'first.csv', 'many.csv', ...market], {
    cwd: folder.path,
    withSignal: (interrupt) => setImmediate(interrupt),
  });
  expect([exitCode, out]).toEqual([130, expect.stringContaining('the others were not imported')]);
  expect(contents()).toBe(1);
});
