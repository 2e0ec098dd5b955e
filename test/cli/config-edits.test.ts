// Edits of a config: what each does to history, due slots, reports and budget, as docs/configuration.md lists.
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { beforeAll, expect, test } from 'vitest';
import { historyReader } from '../../src/app/workspace/workspace.ts';
import { type ProjectFolder, projectFolder } from './project-folder.ts';
import { commandAt, readingApp, runSlots } from './real-app.ts';

const days = ['2026-01-12', '2026-01-13', '2026-01-14'];
const now = Date.parse('2026-01-15T08:00:00Z');

const config = `services:
  default: { mode: embedded, source: sandbox }
budget:
  serpCredits: { perRun: 100, perMonth: 1000 }
projects:
  - id: blog # since 2019
    targets: [globex.com]
    competitors: [acme.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en }
    depth: 2
    paging: full
    tags: [all]
    keywords: [Running Shoes, trail shoes]
`;

type Edit = readonly [from: string, to: string];

interface Outcome {
  /** Warnings of `check`, their first words. */
  readonly warns?: readonly string[];
  readonly due?: boolean;
  /** Change classes of the own target in the next report, one per keyword. */
  readonly changes?: readonly string[];
  /** Checks of "running shoes" that `history` shows after the next run, by target. */
  readonly history?: Readonly<Record<string, number>>;
  readonly bought?: number;
}

const usual: Outcome = {
  warns: [],
  due: true,
  changes: ['unchanged', 'unchanged'],
  history: { 'globex.com': 4, 'acme.com': 4 },
  bought: 4,
};

let base: ProjectFolder;
let folder: ProjectFolder;
beforeAll(async () => {
  base = projectFolder(config);
  await runSlots(
    base,
    days.map((day) => `${day}T06:00:00Z`),
  );
});

/** A copy of the folder of three days, with another config. */
function edit(edits: readonly Edit[]): void {
  folder = projectFolder(null);
  cpSync(base.path, folder.path, { recursive: true });
  write(edits);
}

function write(edits: readonly Edit[]): void {
  const text = edits.reduce((written, [from, to]) => {
    expect(written).toContain(from);
    return written.replaceAll(from, to);
  }, config);
  folder.write('rankledger.yaml', text);
}

const cli = (...argv: readonly string[]) => commandAt(folder, now, ...argv);
/** A later day. */
const runOn = async (day: string) => {
  const { err, exitCode } = await commandAt(folder, Date.parse(`${day}T08:00:00Z`), 'run');
  expect(exitCode, err).toBe(0);
};
const checksOf = async (project: string): Promise<number> =>
  ((await json('history', 'running shoes', '-p', project, '--target', 'globex.com')) as unknown[]).length;
const json = async (...argv: readonly string[]) => {
  const { out, err } = await cli(...argv, '--json');
  expect(out, err).not.toBe('');
  return JSON.parse(out);
};

function changesOf(project: string): Record<string, string>[] {
  const file = join(folder.path, 'reports', project, 'latest', 'rank-changes.csv');
  if (!existsSync(file)) return [];
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  return Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true }).data;
}

async function outcome(project: string): Promise<Outcome> {
  const { warnings } = (await json('check')) as { warnings: string[] };
  const plan = (await json('plan')) as { projects: { due: boolean }[] };
  const { runs } = (await json('run')) as { runs: { serpCredits: { spent: number } }[] };
  const rows = (await json('history', 'running shoes', '-p', project)) as { target: string }[];
  const history = Object.groupBy(rows, ({ target }) => target);
  return {
    warns: warnings.map((warning) => warning.split(' ').slice(0, 2).join(' ')),
    due: plan.projects.some(({ due }) => due),
    changes: changesOf(project).map((row) => row['change_class'] ?? ''),
    history: Object.fromEntries(Object.entries(history).map(([target, of = []]) => [target, of.length])),
    bought: runs.reduce((sum, { serpCredits }) => sum + serpCredits.spent, 0),
  };
}

const formerly: Edit = ['id: blog', 'formerly: [blog]\n    id: journal'];
const otherService: Edit = ['  default:', '  other:'];
const atOther: Edit = ['id: blog', 'service: other\n    id: blog'];
const beside: Edit = ['  default:', '  other: { mode: embedded, source: sandbox }\n  default:'];
const gone = { 'globex.com': 1, 'acme.com': 1 };

test.each<[string, readonly Edit[], Outcome]>([
  ['nothing', [], {}],
  ['another id', [['id: blog', 'id: journal']], { warns: ['project "blog"'], history: gone }],
  ['another id, with `formerly`', [formerly], {}],
  [
    'another service name',
    [otherService, atOther],
    { warns: ['project "blog"'], changes: ['not_comparable', 'not_comparable'] },
  ],
  [
    'another service beside the first',
    [beside, atOther],
    { warns: ['project "blog"'], changes: ['not_comparable', 'not_comparable'] },
  ],
  [
    'another service name, with `formerly`',
    [otherService, atOther, ['source: sandbox', 'formerly: [default], source: sandbox']],
    {},
  ],
  ['a keyword in another spelling', [['Running Shoes', 'running  SHOES']], {}],
  [
    'another keyword',
    [['Running Shoes', 'jogging shoes']],
    { changes: ['first_check', 'unchanged'], history: { 'globex.com': 3, 'acme.com': 3 } },
  ],
  [
    'a keyword less',
    [['Running Shoes, ', '']],
    { changes: ['unchanged'], history: { 'globex.com': 3, 'acme.com': 3 }, bought: 2 },
  ],
  ['another tag', [['[all]', '[some]']], {}],
  [
    'another target',
    [['[globex.com]', '[initech.com]']],
    {
      warns: ['project "blog"'],
      changes: ['first_check', 'first_check'],
      history: { 'initech.com': 4, 'acme.com': 4 },
    },
  ],
  [
    'targets and competitors exchanged',
    [
      ['[globex.com]', '[x]'],
      ['[acme.com]', '[globex.com]'],
      ['[x]', '[acme.com]'],
    ],
    {},
  ],
  [
    'another competitor',
    [['[acme.com]', '[initech.com]']],
    { warns: ['project "blog"'], history: { 'globex.com': 4, 'initech.com': 4 } },
  ],
  [
    'another country',
    [['country: US', 'country: GB']],
    { warns: ['project "blog"'], changes: ['first_check', 'first_check'] },
  ],
  [
    'another engine',
    [['language: en }', 'language: en, engine: bing }']],
    { warns: ['project "blog"'], changes: ['not_comparable', 'not_comparable'] },
  ],
  ['more depth', [['depth: 2', 'depth: 3']], { bought: 6 }],
  ['less depth', [['depth: 2', 'depth: 1']], { changes: ['unchanged', 'not_comparable'], bought: 2 }],
  ['an earlier schedule', [['0 6', '0 5']], {}],
  [
    'a later schedule, before its first slot',
    [['0 6', '0 9']],
    { due: false, history: { 'globex.com': 3, 'acme.com': 3 }, bought: 0 },
  ],
  [
    'a weekly schedule',
    [['0 6 * * *', '0 6 * * 1']],
    { due: false, history: { 'globex.com': 3, 'acme.com': 3 }, bought: 0 },
  ],
  [
    'a time zone to the west',
    [['depth: 2', 'depth: 2\n    timezone: America/New_York']],
    { due: false, history: { 'globex.com': 3, 'acme.com': 3 }, bought: 0 },
  ],
  ['a time zone to the east', [['depth: 2', 'depth: 2\n    timezone: Asia/Tokyo']], {}],
])('%s', async (_, edits, expected) => {
  edit(edits);
  const project = edits.some(([, to]) => to.includes('id: journal')) ? 'journal' : 'blog';
  expect(await outcome(project)).toEqual({ ...usual, ...expected });
});

const bike = `projects:
  - { id: bike, targets: [bike.com], schedule: "0 6 * * *", depth: 1, keywords: [bike repair, touring bike] }`;
const ends = 'project "blog" no longer tracks globex.com: the history ends after 3 runs, the last on 2026-01-14';
const begins =
  'ranks of initech.com begin with the next check, and `rankledger backfill derive --project blog` adds those';

test.each<[string, readonly Edit[], readonly (string | RegExp)[]]>([
  ['another target', [['[globex.com]', '[initech.com]']], [`${ends}, and stays in the database. The ${begins}`]],
  [
    'a target less',
    [
      ['[globex.com]', '[acme.com]'],
      ['competitors: [acme.com]', 'competitors: []'],
    ],
    [`${ends}, and stays`],
  ],
  ['a target more', [['[globex.com]', '[globex.com, initech.com]']], []],
  [
    'another language',
    [['language: en', 'language: es']],
    [
      'project "blog" has no searches in US en desktop any more: their history ends with the run of 2026-01-14, and stays in the database. Searches in US es desktop are new',
    ],
  ],
  [
    'another device',
    [['language: en }', 'language: en, devices: [mobile] }']],
    [/no searches in US en desktop any more.* US en mobile are new/],
  ],
  ['a device more', [['language: en }', 'language: en, devices: [desktop, mobile] }']], []],
  [
    'another location',
    [['country: US, ', 'country: US, location: "40.7,-74.0", ']],
    [/no searches in US en desktop any more/],
  ],
  [
    'another engine',
    [['language: en }', 'language: en, engine: bing }']],
    [
      'project "blog" was checked with sandbox until 2026-01-14, and is checked with sandbox-bing now: its history goes on',
    ],
  ],
  [
    'another source',
    [['source: sandbox', 'source: searxng, allowLoopback: true, baseUrl: "http://127.0.0.1:9"']],
    [/was checked with sandbox until 2026-01-14, and is checked with searxng now/],
  ],
  [
    'a new project in its place, with other sites and keywords',
    [
      ['projects:', bike],
      [config.slice(config.indexOf('  - id: blog')), ''],
    ],
    [
      'project "blog" has 3 runs in the database, the last on 2026-01-14, and is not in the config: its history ends, and stays',
    ],
  ],
  [
    'a new project in its place, with one of its keywords',
    [
      ['projects:', bike.replace('touring bike', 'TRAIL shoes')],
      [config.slice(config.indexOf('  - id: blog')), ''],
    ],
    [/in which "bike" is new.*run `rankledger rename project blog bike`/],
  ],
])('`check` and `plan` say what ends, since when, and what begins: %s', async (_, edits, warnings) => {
  edit(edits);
  for (const command of ['check', 'plan']) {
    const found = ((await json(command)).warnings ?? []) as string[];
    expect(found).toEqual(
      warnings.map((text) => (typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text))),
    );
  }
});

test('a removed project ends beside others, and no rename joins two clients', async () => {
  edit([['projects:', bike]]);
  await runOn('2026-01-15');
  const cafe = 'projects:\n  - { id: cafe, targets: [cafe.com], depth: 1, keywords: [espresso bar] }';
  write([['projects:', cafe]]);
  const [warning, ...others] = ((await json('check')) as { warnings: string[] }).warnings;
  expect([warning, others]).toEqual([
    'project "bike" has 1 run in the database, the last on 2026-01-15, and is not in the config: its history ends, and stays in the database. If the project comes back, it goes on.',
    [],
  ]);
});

test('a history that was split by a rename becomes one when `formerly` is added later', async () => {
  edit([['id: blog', 'id: journal']]);
  await runOn('2026-01-15');
  expect(await checksOf('journal')).toBe(1);
  write([formerly]);
  expect(await checksOf('journal')).toBe(4);
  await runOn('2026-01-16');
  expect(await checksOf('journal')).toBe(5);
  expect((await cli('verify')).out).toContain('The database is intact.');
  expect((await cli('audit')).exitCode).toBe(0);
});

test('two projects that ran side by side stay apart, and `check` says so', async () => {
  edit([
    [
      'projects:',
      `projects:\n  - { id: journal, targets: [globex.com], schedule: "0 6 * * *", keywords: [Running Shoes] }`,
    ],
  ]);
  await runOn('2026-01-15');
  write([formerly]);
  expect((await cli('check')).out).toContain('both ran at the same slots');
  expect(await checksOf('journal')).toBe(1);
});

test('a change of vendor is a seam once; the first vendor is compared with its own last check when it comes back', async () => {
  edit([otherService, atOther]);
  const seams: string[] = [];
  for (const [day, edits] of [
    ['2026-01-15', [otherService, atOther]],
    ['2026-01-16', [otherService, atOther]],
    ['2026-01-17', []],
    ['2026-01-18', []],
  ] as const) {
    write(edits);
    await runOn(day);
    const [row] = changesOf('blog');
    seams.push(
      `${row?.['change_class']} ${row?.['previous_rank'] === row?.['rank']} ${/other source|another source/.exec(row?.['note'] ?? '') !== null}`,
    );
  }
  expect(seams).toEqual([
    'not_comparable true true',
    'unchanged true false',
    'unchanged true false',
    'unchanged true false',
  ]);
  expect(await checksOf('blog')).toBe(7);
});

test('a project keeps its keyword metrics at another service, and buys none again this month', async () => {
  const metrics: Edit = ['depth: 2', 'volumes: { schedule: "0 5 * * *" }\n    depth: 2'];
  edit([metrics]);
  await runOn('2026-01-15');
  const before = changesOf('blog').map((row) => row['search_volume']);
  expect(Number(before[0])).toBeGreaterThan(0);
  write([metrics, otherService, atOther]);
  await runOn('2026-01-16');
  expect(changesOf('blog').map((row) => row['search_volume'])).toEqual(before);
  const spent = historyReader(await readingApp(folder.path, now)).spend({ from: '2026-01-15' });
  expect(spent.map(({ date, currency }) => `${date} ${currency}`)).toEqual([
    '2026-01-15 micro_usd',
    '2026-01-15 serp_credit',
    '2026-01-16 serp_credit',
  ]);
  expect((await cli('verify')).out).toContain('The database is intact.');
});

test('searches that another project buys from the old service stay there', async () => {
  const shop = `projects:\n  - { id: shop, targets: [globex.com], schedule: "0 6 * * *", depth: 2, paging: full, keywords: [Running Shoes] }`;
  edit([['projects:', shop]]);
  await runOn('2026-01-15');
  write([['projects:', shop], beside, atOther]);
  await runOn('2026-01-16');
  expect(changesOf('shop').map((row) => row['change_class'])).toEqual(['unchanged']);
  expect(changesOf('blog').map((row) => row['change_class'])).toEqual(['first_check', 'not_comparable']);
});

test.each<[string, readonly Edit[], Outcome]>([
  ['a project', [['id: blog', 'id: shop']], { warns: ['project "shop"'] }],
  ['a keyword', [['Running Shoes, ', '']], { history: { 'globex.com': 4, 'acme.com': 4 } }],
  ['a competitor', [['competitors: [acme.com]', 'competitors: []']], { history: { 'globex.com': 5, 'acme.com': 5 } }],
  ['a tag', [['tags: [all]', 'tags: []']], { history: { 'globex.com': 5, 'acme.com': 5 } }],
])('%s that is removed and comes back has its history again', async (_, edits, expected) => {
  edit(edits);
  await commandAt(folder, Date.parse('2026-01-14T09:00:00Z'), 'run', '--all');
  write([]);
  expect(await outcome('blog')).toEqual({ ...usual, ...expected });
});

test('two configs on one database have their own projects, and one budget', async () => {
  edit([]);
  await runOn('2026-01-15');
  write([['id: blog # since 2019', 'id: shop']]);
  const { projects, budget } = (await json('plan')) as {
    projects: { project: string }[];
    budget: { scope: string; spent: number }[];
  };
  expect(projects.map(({ project }) => project)).toEqual(['shop']);
  expect(budget.map(({ spent }) => spent)).toContain(16);
  await runOn('2026-01-15');
  write([]);
  await runOn('2026-01-16');
  expect(await checksOf('blog')).toBe(5);
});

test('`rename` edits the config, moves reports, and every command still knows the old name', async () => {
  edit([]);
  await cli('reader', 'add', 'client', '-p', 'blog');
  const renamed = await cli('rename', 'project', 'blog', 'journal');
  expect(renamed).toMatchObject({
    exitCode: 0,
    err: '',
    out: 'The project blog is called journal now, in rankledger.yaml.\n',
  });
  expect(readFileSync(join(folder.path, 'rankledger.yaml'), 'utf8')).toBe(
    config.replace('  - id: blog # since 2019\n', '  - id: journal # since 2019\n    formerly: [blog]\n'),
  );
  expect(readdirSync(join(folder.path, 'reports'))).toEqual(['index.html', 'journal']);
  const old = await cli('history', 'Running Shoes', '-p', 'blog');
  expect(old.err).toMatch(/^Hint: project blog is journal now/);
  expect(old.out).toContain('| globex.com | journal');
  expect((await cli('report', '-p', 'blog')).out).toContain('reports/journal/');
  const api = historyReader(await readingApp(folder.path, now));
  expect(api.of('blog').facts().project).toBe('journal');
  expect(api.runs({ project: 'blog' })).toHaveLength(3);
  expect((await cli('reader', 'list')).out).toContain('project journal');
  const search = { country: 'US', language: 'en', device: 'desktop' };
  expect(api.of('blog').serp({ keyword: 'RUNNING shoes', ...search })?.results.length).toBeGreaterThan(5);
  expect((await cli('note', 'add', 'relaunch', '-p', 'blog')).out).toContain(', journal: relaunch');
  const missing = ['backfill', 'ranks', '-p', 'blog', '--keyword', 'running SHOES', '--dry-run'];
  expect(await cli(...missing)).toMatchObject({ exitCode: 0 });
  expect(await cli('rename', 'project', 'none', 'other')).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('there is no project "none"'),
  });
  expect((await cli('rename', 'service', 'default', 'a b')).exitCode).toBe(2);
  expect((await cli('rename', 'service', 'default', 'main')).exitCode).toBe(0);
  expect(await outcome('journal')).toEqual(usual);
});
