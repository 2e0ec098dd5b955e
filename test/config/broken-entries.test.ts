// On request, a broken entry of the config is left out; mistakes that affect the whole file are still refused.
import { expect, test } from 'vitest';
import { ConfigError } from '../../config/document/problems.ts';
import { loadConfig } from '../../config/load.ts';
import { type Files, folderOf } from './folder.ts';

const project = (id: string, ...more: readonly string[]): string =>
  [`  - id: ${id}`, '    targets: [acme.example]', ...more.map((line) => `    ${line}`), ''].join('\n');
const sound = project('sound', 'keywords: [running shoes]');
const configOf = (...projects: readonly string[]): string => `projects:\n${projects.join('')}`;
const services = (extra: string): string => `services:\n  default: { mode: embedded, source: sandbox }\n${extra}`;

const load = (files: Files, leavesOutBroken = true) => loadConfig({ cwd: folderOf(files), env: {}, leavesOutBroken });

test.each<[string, Files, readonly string[], RegExp]>([
  [
    'a keyword file that is missing',
    { 'rankledger.yaml': configOf(project('bad', 'keywordsFile: none.csv'), sound) },
    ['bad'],
    /rankledger\.yaml:4.*none\.csv does not exist/,
  ],
  [
    'a bad line in the keyword file of two projects',
    {
      'rankledger.yaml': configOf(project('bad', 'keywordsFile: k.csv'), sound, project('too', 'keywordsFile: k.csv')),
      'k.csv': 'keyword,depth\nshoes,many\n',
    },
    ['bad', 'too'],
    /k\.csv:2/,
  ],
  [
    'an unknown key of a project',
    { 'rankledger.yaml': configOf(sound, project('bad', 'keywords: [a]', 'depht: 3')) },
    ['bad'],
    /depht/,
  ],
  [
    'an id that cannot be read',
    { 'rankledger.yaml': configOf(sound, project('"no id!"', 'keywords: [a]')) },
    ['projects[1]'],
    /projects\[1\]\.id/,
  ],
  [
    'a project that is not a mapping',
    { 'rankledger.yaml': configOf(sound, '  - text\n') },
    ['projects[1]'],
    /projects\[1\]/,
  ],
  [
    'a service that is not there',
    { 'rankledger.yaml': configOf(project('bad', 'keywords: [a]', 'service: other'), sound) },
    ['bad'],
    /other/,
  ],
  [
    'a broken service that one project uses',
    {
      'rankledger.yaml':
        services('  other: { mode: remote }\n') + configOf(project('bad', 'keywords: [a]', 'service: other'), sound),
    },
    ['bad'],
    /services\.other/,
  ],
  [
    'a variable that is not set, of a service that no project uses',
    {
      'rankledger.yaml':
        services(
          // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the config
          '  other: { mode: remote, baseUrl: "https://a.example", user: u, password: "${NONE_SUCH}" }\n',
        ) + configOf(sound),
    },
    [],
    /NONE_SUCH is not set/,
  ],
])(
  '%s is left out with its projects, by name and line, and the sound project remains',
  async (_, files, broken, why) => {
    const config = await load(files);
    expect(config.projects.map(({ id }) => id)).toEqual(['sound']);
    expect(config.broken.projects).toEqual(broken);
    expect(config.broken.problems.join('\n')).toMatch(why);
    expect([...config.services.keys()]).toEqual(['default']);
    await expect(load(files, false)).rejects.toThrow(ConfigError);
  },
);

test.each([
  ['YAML that cannot be parsed', `${configOf(sound)}: [`],
  ['a broken budget', `budget: { serpCredits: { perRun: many } }\n${configOf(sound)}`],
  ['a broken queue', `queue: { driver: pigeon }\n${configOf(sound)}`],
  ['a database that is not a path', `database: [7]\n${configOf(sound)}`],
  ['no sound project', configOf(project('bad', 'keywordsFile: none.csv'))],
])('%s is refused although broken entries are left out', async (_, yaml) => {
  await expect(load({ 'rankledger.yaml': yaml })).rejects.toThrow(ConfigError);
});
