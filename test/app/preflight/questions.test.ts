// Settings that `check` asks about.
import { expect, it } from 'vitest';
import { invoke } from '../../cli/fake-host.ts';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';

const project = (more = '') => `projects:
  - id: acme
    targets: [acme.com]
    depth: 3
    keywords: [running shoes, trail shoes]
    schedule: "0 6 * * *"
${more}`;

async function asked(config: string): Promise<{ questions: unknown; out: string }> {
  const folder: ProjectFolder = projectFolder(config);
  const env = { KEY: 'key-of-a-vendor-1' };
  const { out: json, err } = await invoke(['check', '--json'], { cwd: folder.path, env });
  const { out } = await invoke(['check'], { cwd: folder.path, env });
  expect(json, err).not.toBe('');
  return { questions: JSON.parse(json).questions, out };
}

const deferred = 'no page is bought: every check is deferred';
const depth = (pages: number, cost: string, advice: string, costAsResults: string) =>
  `depth: ${pages} reads ${pages} pages of each search (${cost}). If you meant ${pages} results, ${advice} (${costAsResults}).`;

it.each<[string, string, string, string]>([
  [
    'a run that may buy nothing',
    `budget: { serpCredits: { perRun: 0 } }\n${project()}`,
    'budget.serpCredits.perRun: 0',
    deferred,
  ],
  [
    'a day that may buy nothing',
    `budget: { serpCredits: { perDay: 0, perRun: 9 } }\n${project()}`,
    'budget.serpCredits.perDay: 0',
    deferred,
  ],
  [
    'metrics that may cost nothing',
    `budget: { keywordDataUsd: { perMonth: 0 } }\n${project('    volumes: { schedule: "0 4 2 * *" }\n')}`,
    'budget.keywordDataUsd.perMonth: 0',
    'no keyword metrics and no AI answers are bought',
  ],
  [
    'a schedule of each minute',
    project().replace('0 6', '* *'),
    'projects.acme.schedule: * * * * *',
    '1440 runs a day: at worst 267,840 credits a month',
  ],
  [
    'a schedule of minutes in some hours',
    project().replace('0 6', '*/15 8-17'),
    'projects.acme.schedule: */15 8-17 * * *',
    '40 runs a day: at worst 7,440 credits a month',
  ],
  [
    'a schedule of some years',
    project().replace('0 6 * * *', '0 6 29 2 *'),
    'projects.acme.schedule: 0 6 29 2 *',
    'nothing is due before 2028-02-29',
  ],
  [
    'metrics at each minute',
    project('    volumes: { schedule: "* * * * *" }\n'),
    'projects.acme.volumes.schedule: * * * * *',
    '1440 runs a day: metrics are bought once a month',
  ],
  [
    'results taken for pages',
    project().replace('depth: 3', 'depth: 100'),
    'projects.acme.depth: 100',
    depth(100, '6,200 credits a month', 'write depth: 10', '620 credits a month'),
  ],
  [
    'results taken for pages, with a price',
    `services: { default: { mode: embedded, source: serper, apiKey: "\${KEY}" } }\nbudget: { serpCredits: { perRun: 500 } }\n${project().replace('depth: 3', 'depth: 50')}`,
    'projects.acme.depth: 50',
    depth(
      50,
      '3,100 credits a month, $3.10 by list prices',
      'write depth: 5',
      '310 credits a month, $0.31 by list prices',
    ),
  ],
  [
    'a deep check of many pages',
    project('    deep: { depth: 30, every: 7d }\n'),
    'projects.acme.deep.depth: 30',
    depth(30, '456 credits a month', 'remove deep', '186 credits a month'),
  ],
  [
    'a deep check of results taken for pages, deeper than the usual ones',
    project('    deep: { depth: 60, every: 7d }\n'),
    'projects.acme.deep.depth: 60',
    depth(60, '756 credits a month', 'write depth: 6', '216 credits a month'),
  ],
  [
    'a keyword with results taken for pages',
    project().replace('[running shoes,', '[{ keyword: running shoes, depth: 20 },'),
    'projects.acme.keywords.depth: 20',
    depth(20, '713 credits a month', 'write depth: 2', '155 credits a month'),
  ],
  [
    'results taken for pages in a project that has no schedule',
    project()
      .replace('depth: 3', 'depth: 100')
      .replace(/ {4}schedule.*\n/, ''),
    'projects.acme.depth: 100',
    depth(100, '200 credits a run', 'write depth: 10', '20 credits a run'),
  ],
  [
    'a market that no keyword uses',
    project().replace('[running shoes, trail shoes]', '[{ keyword: running shoes, country: GB }]'),
    'projects.acme.market: US en',
    'no keyword is searched there: each names another country or language',
  ],
])('check asks whether %s is meant, and says what it leads to', async (_, config, setting, consequence) => {
  const { questions, out } = await asked(config);
  expect(questions).toEqual([{ setting, consequence }]);
  expect(out).toContain(`\nIs this meant?\n  ${setting}\n    ${consequence}\n`);
});

it.each([
  ['hourly', project().replace('0 6', '0 *')],
  ['yearly', project().replace('0 6 * * *', '0 6 1 7 *')],
  ['ten pages', project().replace('depth: 3', 'depth: 10')],
])('check does not ask about what is usual: %s', async (_, config) => {
  const { questions, out } = await asked(config);
  expect(questions).toEqual([]);
  expect(out).not.toContain('Is this meant?');
});
