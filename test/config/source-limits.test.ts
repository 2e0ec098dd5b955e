// What a source does not sell is refused with the config: it would be bought, or refused, in every run.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openConnection } from '../../db/connection/client.ts';
import { invoke } from '../cli/fake-host.ts';
import { projectFolder } from '../cli/project-folder.ts';
import { closeLater } from '../helpers/closing.ts';
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
    ['brave', 'market: { country: IE }, keywords: [shoes]', 'market.country', '(brave) has no pages for IE'],
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
    ['brave', 'DE'],
    ['duckduckgo', 'GB'],
    ['duckduckgo', 'SI'],
  ])('is none of those that it has: %s, %s', async (source, country) => {
    await load({ 'rankledger.yaml': ofSource(source, `market: { country: ${country} }, keywords: [shoes]`) }, env);
  });
});

describe('a language that a source does not have', () => {
  it.each([
    ['market: { country: CA, language: el }, keywords: [shoes]', 'market.language', 'el'],
    ['keywords: [shoes, { keyword: boots, language: fil }]', 'keywords', 'fil'],
  ])('is refused: %s', async (project, path, language) => {
    expect(await problems(ofSource('brave', project))).toEqual([
      `projects[0].${path}: the service "default" (brave) has no pages in the language ${language}`,
    ]);
  });

  it.each(['en-GB', 'en-US', 'pt', 'pt-BR', 'zh-TW', 'ja', 'no'])(
    'is none of those that it has: %s',
    async (language) => {
      await load({ 'rankledger.yaml': ofSource('brave', `market: { language: ${language} }, keywords: [shoes]`) }, env);
    },
  );
});

const metricsSources = {
  'google-ads': `developerToken: "${one}", clientId: "${one}", clientSecret: "${one}", refreshToken: "${one}", customerId: 1234567890`,
  dataforseo: `login: me, password: "${one}"`,
  'keywords-everywhere': `apiKey: "${one}"`,
};
type MetricsName = keyof typeof metricsSources;
const ofMetrics = (metrics: MetricsName, project: string, more = '') =>
  write(
    `  default: { mode: embedded, source: sandbox, metrics: { source: ${metrics}, ${metricsSources[metrics]}${more} } }`,
    project,
  );

describe('keyword metrics that a source does not have', () => {
  const volumes = 'volumes: { schedule: "0 3 1 * *", limit: 10 }';
  it.each<[MetricsName, string, string, string]>([
    ['google-ads', 'market: { language: sw }, keywords: [shoes]', 'market.language', 'in the language sw'],
    ['dataforseo', 'market: { language: eu }, keywords: [shoes]', 'market.language', 'in the language eu'],
    ['dataforseo', 'keywords: [shoes, { keyword: boots, language: ka }]', 'keywords', 'in the language ka'],
    ['keywords-everywhere', 'market: { country: DE }, keywords: [shoes]', 'market.country', 'for DE'],
    ['keywords-everywhere', 'keywords: [shoes, { keyword: boots, country: FR }]', 'keywords', 'for FR'],
  ])('are refused where a project has volumes: %s, %s', async (source, project, path, where) => {
    expect(await problems(ofMetrics(source, `${volumes}, ${project}`))).toEqual([
      `projects[0].${path}: the service "default" (${source}) has no keyword metrics ${where}`,
    ]);
    // none are bought without volumes
    await load({ 'rankledger.yaml': ofMetrics(source, project) }, env);
  });

  it.each<[MetricsName, string]>([
    ['google-ads', 'language: nb'],
    ['google-ads', 'language: zh-HK'],
    ['dataforseo', 'language: he'],
    ['dataforseo', 'language: pt-BR'],
    ['keywords-everywhere', 'country: GB, language: sw'],
  ])('are none of those that it has: %s, %s', async (source, market) => {
    await load({ 'rankledger.yaml': ofMetrics(source, `${volumes}, market: { ${market} }, keywords: [shoes]`) }, env);
  });
});

describe('a keyword that is longer than a source takes', () => {
  const long = Array.from({ length: 51 }, (_, index) => `w${index}`).join(' ');
  const files = { 'words.csv': `keyword\nshoes\n${long}\n${'x'.repeat(81)}\na b c d e f g h i j k\n` };
  const warnings = async (config: string) =>
    (await load({ 'rankledger.yaml': config, ...files }, env)).warnings.filter((text) =>
      text.includes('of keywords with more than'),
    );

  it('is named with its file and line, and the others are tracked', async () => {
    const brave = ofSource('brave', 'keywordsFile: words.csv');
    expect(await warnings(brave)).toEqual([
      'words.csv:3 keyword: the keyword "w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 ..." has 193 characters and 51 words: the service "default" (brave) has no pages of keywords with more than 400 characters and 50 words; track a shorter keyword',
    ]);
    for (const source of ['google-ads', 'dataforseo'] as const) {
      const config = ofMetrics(source, 'volumes: { schedule: "0 3 1 * *", limit: 10 }, keywordsFile: words.csv');
      expect((await warnings(config)).map((text) => text.split(' ')[0])).toEqual([
        'words.csv:3',
        'words.csv:4',
        'words.csv:5',
      ]);
      expect(await warnings(ofMetrics(source, 'keywordsFile: words.csv'))).toEqual([]);
    }
    expect(await warnings(ofSource('serper', 'keywordsFile: words.csv'))).toEqual([]);
  });

  /** A vendor that counts its requests. */
  async function vendor() {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(String(request.url));
      response.end('{}');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    closeLater({ close: () => new Promise<void>((closed) => void server.close(() => closed())) });
    const { port } = server.address() as AddressInfo;
    return { asked, base: `baseUrl: "http://127.0.0.1:${port}", allowLoopback: true` };
  }

  it('is a failure of the run that costs nothing and is not tried again', async () => {
    const { asked, base } = await vendor();
    const config = write(
      `  default: { mode: embedded, ${sources['brave']}, ${base} }`,
      `depth: 2, keywords: ["${long}"]`,
    );
    const { path } = projectFolder(config);
    const { exitCode, out } = await invoke(['run', '--all', '--json'], { cwd: path, env });
    expect(exitCode).not.toBe(0);
    expect(out).toContain('of keywords with more than 400 characters and 50 words');
    expect(asked).toEqual([]);
    const database = openConnection(join(path, 'data/rankledger.sqlite'));
    const rows = (sql: string) => database.sql(sql).all();
    expect(rows('SELECT state FROM checks')).toEqual([{ state: 'failed' }]);
    expect(rows("SELECT count(*) AS n FROM purchases WHERE state <> 'free'")).toEqual([{ n: 0 }]);
    expect(rows('SELECT count(*) AS n FROM purchases')).toEqual([{ n: 1 }]);
    database.close();
  });

  it('has no metrics, which costs nothing, beside others that have', async () => {
    const { asked, base } = await vendor();
    const { path } = projectFolder(
      ofMetrics('dataforseo', `volumes: { schedule: "0 3 1 * *", limit: 10 }, keywords: ["${long}"]`, `, ${base}`),
    );
    const { out } = await invoke(['backfill', 'volumes', '--json'], { cwd: path, env });
    expect(out).toContain('dataforseo has no keyword metrics of keywords with more than 80 characters and 10 words');
    expect(asked).toEqual([]);
  });
});
