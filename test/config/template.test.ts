// Report templates in the config, and mistakes in them.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { type Files, folderOf, load, problemsOf, projectWith } from './folder.ts';

const name = 'rankledger.yaml';
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const svg = '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>';

function withTemplate(template: string, files: Files = {}): Files {
  return { ...files, [name]: `reports: { template: ${template} }\n${projectWith()}` };
}

test('a project has the keys of all projects, after its own keys', async () => {
  const ofAll = '{ name: Northlight, logo: brand/logo.png, colours: { accent: "#7A1F5C" }, introduction: Hello }';
  const own =
    'template: { name: Acme, comments: [{ period: 2026-11, text: A month }], sections: [keywords, overview] }';
  const { reports } = await load({
    'brand/logo.png': png,
    [name]: `reports: { template: ${ofAll} }\n${projectWith(own)}`,
  });
  expect(reports.template).toMatchObject({ name: 'Northlight', accent: '#7a1f5c', sections: null });
  expect(reports.templates.get('acme')).toEqual({
    name: 'Acme',
    logo: { type: 'image/png', base64: png.toString('base64') },
    accent: '#7a1f5c',
    series: [],
    introduction: 'Hello',
    comments: [{ from: '2026-11-01', to: '2026-11-30', text: 'A month' }],
    sections: ['keywords', 'overview'],
    columns: null,
  });
});

test.each([
  ['{ logo: logo.png }', {}, 'logo.png does not exist'],
  ['{ logo: . }', {}, '. is not a file'],
  [
    '{ logo: logo.png }',
    { 'logo.png': 'GIF89a' },
    'logo.png is not a picture that reports can show: save it as PNG, JPEG or SVG',
  ],
  ['{ logo: a.svg }', { 'a.svg': '<!doctype html><html><svg></svg>' }, /^a\.svg is not a picture/],
  [
    '{ logo: a.png }',
    { 'a.png': Buffer.concat([png, Buffer.alloc(300_000)]) },
    /^a\.png is too large \(293 KiB\): a logo has at most 256 KiB/,
  ],
  [
    '{ colours: { accent: "#ffdd00" } }',
    {},
    /^"#ffdd00" is too pale: its contrast with white is 1\.3 to 1, and links need 4\.5 to 1; #[0-9a-f]{6} has that$/,
  ],
  ['{ colours: { accent: blue } }', {}, '"blue" is not a colour: write six hexadecimal digits, "#0b5394"'],
  ['{ colours: { series: ["#0b5394", "#0B5394"] } }', {}, '"#0B5394" is there twice'],
  ['{ sections: [overview, keyword] }', {}, /^expected one of "overview".*got "keyword"$/],
  ['{ columns: [rank, cpc] }', {}, /^expected one of "market".*got "cpc"$/],
  [
    '{ comments: [{ period: Nov 2026, text: x }] }',
    {},
    '"Nov 2026" is not a period: write a month (2026-11), a week (2026-W47) or a day (2026-11-20)',
  ],
  ['{ name: "two\\nlines" }', {}, 'has more than one line'],
  ['{ introduction: "  " }', {}, 'is empty'],
  ['{ colors: {} }', {}, 'unknown key'],
] as const)('the template %s is refused', async (template, files, message) => {
  const problems = await problemsOf(withTemplate(template, files));
  expect(problems).toHaveLength(1);
  expect(problems[0]?.path).toMatch(/^reports\.template\./);
  expect(problems[0]?.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
});

test('a misspelt section gets a suggestion', async () => {
  const [problem] = await problemsOf(withTemplate('{ sections: [keyword] }'));
  expect(problem?.hint).toBe('did you mean keywords?');
});

test('an SVG is accepted as a logo', async () => {
  const { reports } = await load(withTemplate('{ logo: a.svg }', { 'a.svg': svg }));
  expect(reports.template.logo?.type).toBe('image/svg+xml');
});

test('a run continues without a missing logo, with a warning', async () => {
  const cwd = folderOf(withTemplate('{ logo: logo.png, name: Northlight }'));
  const { reports, warnings, projects } = await loadConfig({ cwd, env: {}, leavesOutBroken: true });
  expect(projects).toHaveLength(1);
  expect(reports.template).toMatchObject({ logo: null, name: 'Northlight' });
  expect(warnings.join('\n')).toContain('logo.png does not exist');
});

test('the path of the PDF browser is relative to the file', async () => {
  const { reports, directory } = await load({ [name]: `reports: { browser: bin/chromium }\n${projectWith()}` });
  expect(reports.browser).toBe(join(directory, 'bin/chromium'));
});
