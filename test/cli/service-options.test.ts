// Options of every source on the command line: a missing, unknown or mistyped one is a config error with file and line.
import { describe, expect, test } from 'vitest';
import {
  describeMetricsSource,
  describeSource,
  metricsSourceNames,
  type SourceOption,
  sourceNames,
} from '../../src/service/index.ts';
import { invoke } from './fake-host.ts';
import { type ProjectFolder, projectFolder } from './project-folder.ts';

let folder: ProjectFolder;

/** A website, or a place where the pages are a map's. */
const project = (service: readonly string[]) => {
  const isMap = service.some((line) => /^source: .*-maps$/.test(line));
  const target = isMap ? '{ match: place, value: "cid:123456789" }' : 'acme.com';
  return `projects: [{ id: acme, targets: [${target}], keywords: [shoes] }]\n`;
};

/** The output of a command for a config whose only service is written like this. */
async function said(command: string, ...service: readonly string[]): Promise<{ exitCode: number; lines: string[] }> {
  const lines = service.map((line) => `    ${line}\n`).join('');
  folder = projectFolder(`services:\n  default:\n    mode: embedded\n${lines}${project(service)}`);
  const { exitCode, err, out, opened } = await invoke([command], { cwd: folder.path, env: { KEY: 'a-key' } });
  expect(out).toBe('');
  expect(opened).toEqual([]);
  expect(err).toMatch(/^Error: /);
  return { exitCode, lines: err.replace('Error: ', '').trimEnd().split('\n') };
}

/** For each way to write a source: its first line in the file and its path. */
const kinds = [
  {
    kind: 'pages',
    names: sourceNames,
    describe: describeSource,
    written: (name: string, options: readonly string[]) => [`source: ${name}`, ...options],
    path: 'services.default',
    line: 5,
  },
  {
    kind: 'metrics',
    names: metricsSourceNames,
    describe: describeMetricsSource,
    written: (name: string, options: readonly string[]) => [
      'source: sandbox',
      'metrics:',
      `  source: ${name}`,
      ...options.map((option) => `  ${option}`),
    ],
    path: 'services.default.metrics',
    line: 7,
  },
];

const cases = kinds.flatMap((kind) => kind.names.map((name) => ({ ...kind, name })));

async function optionsOf({ describe: found, name }: (typeof cases)[number]): Promise<readonly SourceOption[]> {
  return (await found(name))?.options ?? [];
}

describe.each(cases)('$kind of $name', (source) => {
  const { name, written, path, line } = source;

  test('names every required option that is missing', async () => {
    const required = (await optionsOf(source)).filter(({ isRequired }) => isRequired);
    const unknown = written(name, ['colour: red']);
    const { exitCode, lines } = await said('run', ...unknown);
    expect(exitCode).toBe(2);
    for (const option of required) expect(lines.join('\n')).toContain(`${path}.${option.name}: is missing`);
    expect(lines.filter((each) => each.includes('unknown key'))).toEqual([
      expect.stringMatching(new RegExp(`^rankledger\\.yaml:${line}:\\d+ ${path}\\.colour: unknown key; known here: `)),
    ]);
    for (const option of await optionsOf(source)) expect(lines.at(-1)).toContain(option.name);
  });

  test('names the line of an option with a wrong type', async () => {
    const options = await optionsOf(source);
    const { exitCode, lines } = await said(
      'plan',
      ...written(
        name,
        options.map((option) => `${option.name}: { a: 1 }`),
      ),
    );
    expect(exitCode).toBe(2);
    for (const [index, option] of options.entries()) {
      const start = `rankledger.yaml:${line + index}:`;
      const found = lines.filter((each) => each.startsWith(start) && each.includes(` ${path}.${option.name}`));
      expect(found.join('\n'), option.name).toMatch(/: expected |secret/);
    }
  });
});

test('wrong options are listed with the other problems of the config by each command that calls services', async () => {
  for (const command of ['run', 'plan', 'check', 'schedule', 'worker', 'serve']) {
    const { exitCode, lines } = await said(
      command,
      'source: serper',
      'apikey: x',
      'concurrency: many',
      '',
      'budget: 5',
    );
    expect({ command, exitCode }).toEqual({ command, exitCode: 2 });
    expect(lines.map((each) => each.replace(/: .*/, ''))).toEqual([
      'rankledger.yaml:5:5 services.default.apikey',
      'rankledger.yaml:5:5 services.default.apikey',
      'rankledger.yaml:6:5 services.default.concurrency',
      'rankledger.yaml:8:5 services.default.budget',
    ]);
    expect(lines[0]).toContain('did you mean apiKey?');
  }
  folder = projectFolder();
});

test('a missing key is reported with how to write it', async () => {
  const { lines } = await said('run', 'source: serper');
  expect(lines).toEqual([
    `rankledger.yaml:2:3 services.default.apiKey: is missing: write text or a list; write apiKey: \${NAME} and set NAME in the environment`,
  ]);
});

test('sources inside a source are checked as well', async () => {
  const { exitCode, lines } = await said(
    'run',
    'source: chain',
    'sources:',
    '  - { source: serpr }',
    '  - { source: sandbox }',
    `  - { source: serper, apiKey: "\${KEY}", zone: a }`,
    '  - { source: google, fetcher: unlocker }',
    '  - 5',
  );
  expect(exitCode).toBe(2);
  expect(lines.map((each) => each.replace('services.default.sources', ''))).toEqual([
    'rankledger.yaml:6:11 [0].source: there is no source "serpr"; did you mean serper?',
    'rankledger.yaml:7:11 [1].source: "sandbox" is not a live source, and a chain takes live sources only',
    expect.stringMatching(/^rankledger\.yaml:8:\d+ \[2\]\.zone: unknown key; known here: source, apiKey, /),
    expect.stringMatching(/^rankledger\.yaml:9:9 \[3\]\.template: is missing: `fetcher: unlocker` needs a template/),
    expect.stringMatching(/^rankledger\.yaml:10:9 \[4\]: expected a mapping, got the number 5/),
  ]);
});

test('a number from the environment is a number for a source, too', async () => {
  folder = projectFolder(
    `services: { default: { mode: embedded, source: serper, apiKey: "\${KEY}", concurrency: "\${CONCURRENCY}" } }\n${project([])}`,
  );
  const run = (concurrency: string) =>
    invoke(['plan'], { cwd: folder.path, env: { KEY: 'k', CONCURRENCY: concurrency } });
  const wrong = await run('many');
  expect(wrong.err).toContain('services.default.concurrency: expected a number, got text');
  const right = await run('7');
  const service = right.opened[0]?.config.services.get('default');
  expect(service?.mode === 'embedded' ? service.options['concurrency'] : null).toBe(7);
});
