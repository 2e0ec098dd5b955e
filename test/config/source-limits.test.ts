// What a source does not sell is refused with the config: it would be bought, or refused, in every run.
import { describe, expect, it } from 'vitest';
import { invoke } from '../cli/fake-host.ts';
import { projectFolder } from '../cli/project-folder.ts';
import { type Files, load, problemsOf } from './folder.ts';

const env = { KEY: 'a-key-of-a-vendor' };
const one = `\${KEY}`;
const sources: Readonly<Record<string, string>> = {
  brave: `source: brave, apiKey: "${one}", usdPerThousand: 5`,
  duckduckgo: 'source: duckduckgo',
  searxng: 'source: searxng, baseUrl: "https://search.example.com", country: DE',
  serper: `source: serper, apiKey: "${one}"`,
};
const write = (service: string, project: string) => `services:
${service}
budget: { serpCredits: { perDay: 9 } }
projects:
  - { id: acme, targets: [acme.com], ${project} }
`;
const ofSource = (source: string, project: string) =>
  write(`  default: { mode: embedded, ${sources[source]} }`, project);
const problems = async (config: string, files: Files = {}) =>
  (await problemsOf({ 'rankledger.yaml': config, ...files }, env)).map(({ path, message }) => `${path}: ${message}`);
const said = 'the service "default" (brave) sells 10 pages of a search';

describe('a depth beyond what a source sells', () => {
  it.each([
    ['depth: 11, keywords: [shoes]', `projects[0].depth: ${said}`],
    ['depth: 3, deep: { depth: 20, every: 7d }, keywords: [shoes]', `projects[0].deep.depth: ${said}`],
    [
      'depth: 3, keywords: [{ keyword: shoes, depth: 12 }, { keyword: boots, depth: 11 }, hats]',
      `projects[0].keywords: "shoes" has the depth 12, as has one more keyword, and ${said}`,
    ],
    ['depth: 20, cadence: adaptive, keywords: [{ keyword: shoes, depth: 4 }]', `projects[0].depth: ${said}`],
  ])('is refused: %s', async (project, problem) => {
    expect(await problems(ofSource('brave', project))).toEqual([problem]);
  });

  it('is refused in a keyword file, once for all of its keywords', async () => {
    const keywords = { 'words.csv': 'keyword,depth\nshoes,12\nboots,13\nhats,14\nsocks,10\n' };
    expect(await problems(ofSource('brave', 'depth: 3, keywordsFile: words.csv'), keywords)).toEqual([
      `projects[0].keywordsFile: "shoes" has the depth 12, as have 2 more keywords, and ${said}`,
    ]);
  });

  it('is refused for a source among those of `mode: best`, and of a chain if no part sells it', async () => {
    const best = `  a: { mode: embedded, ${sources['brave']} }\n  b: { mode: embedded, ${sources['brave']} }\n  default: { mode: best, of: [a, b] }`;
    const sold = (name: string) => `projects[0].depth: the service "${name}" (brave) sells 10 pages of a search`;
    expect(await problems(write(best, 'depth: 11, keywords: [shoes]'))).toEqual([sold('a'), sold('b')]);
    const part = `{ source: brave, apiKey: "${one}" }`;
    const chain = `  default: { mode: embedded, source: chain, sources: [${part}, ${part}] }`;
    expect(await problems(write(chain, 'depth: 11, keywords: [shoes]'))).toEqual([
      'projects[0].depth: the service "default" (chain) sells 10 pages of a search',
    ]);
  });

  it('is what a source sells at most, or that of a source without a known limit', async () => {
    for (const [source, depth] of [
      ['brave', 10],
      ['serper', 100],
    ] as const) {
      const config = await load({ 'rankledger.yaml': ofSource(source, `depth: ${depth}, keywords: [shoes]`) }, env);
      expect(config.projects[0]?.keywords[0]?.depth).toBe(depth);
    }
  });

  it('is refused as a flag of `backfill ranks`', async () => {
    const { path } = projectFolder(ofSource('brave', 'depth: 3, keywords: [shoes]'));
    for (const flags of [
      ['--depth', '11'],
      ['--page', '4-11'],
      ['--depth', '11', '--dry-run'],
    ]) {
      const { exitCode, err } = await invoke(['backfill', 'ranks', ...flags], { cwd: path, env });
      expect(exitCode).toBe(2);
      expect(err).toContain('project acme: the service "default" (brave) sells 10 pages of a search, and not page 11.');
    }
    const { exitCode } = await invoke(['backfill', 'ranks', '--depth', '10', '--dry-run'], { cwd: path, env });
    expect(exitCode).toBe(0);
  });

  it('is refused by `check`, `plan` and `run`', async () => {
    const { path } = projectFolder(ofSource('brave', 'depth: 20, keywords: [shoes]'));
    for (const argv of [['check'], ['plan', '--all'], ['run', '--all']]) {
      const { exitCode, err } = await invoke(argv, { cwd: path, env });
      expect([exitCode, err]).toEqual([2, expect.stringContaining(said)]);
    }
  });
});

describe('a country that a source does not have', () => {
  it.each([
    ['searxng', 'market: { country: US }, keywords: [shoes]', 'market.country', '(searxng) has no pages for US'],
    ['duckduckgo', 'market: { country: QA }, keywords: [shoes]', 'market.country', '(duckduckgo) has no pages for QA'],
    [
      'duckduckgo',
      'market: { country: US }, keywords: [shoes, { keyword: boots, country: QA }]',
      'keywords',
      '(duckduckgo) has no pages for QA',
    ],
  ])('is refused: %s, %s', async (source, project, path, message) => {
    expect(await problems(ofSource(source, project))).toEqual([
      `projects[0].${path}: the service "default" ${message}`,
    ]);
  });

  it.each([
    ['searxng', 'DE'],
    ['duckduckgo', 'GB'],
    ['duckduckgo', 'SI'],
  ])('is none of those that it has: %s, %s', async (source, country) => {
    await load({ 'rankledger.yaml': ofSource(source, `market: { country: ${country} }, keywords: [shoes]`) }, env);
  });
});
