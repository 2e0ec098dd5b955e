// What a source does not sell is refused with the config: it would be bought, or refused, in every run.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ConfigError } from '../../config/document/problems.ts';
import { openConnection } from '../../db/connection/client.ts';
import {
  createAnswerSource,
  createMetricsSource,
  createSource,
  type PageRequest,
  type ServiceError,
  type SourceContext,
  sourceKindOf,
  sourceNames,
  systemClock,
} from '../../src/service/index.ts';
import { invoke } from '../cli/fake-host.ts';
import { projectFolder } from '../cli/project-folder.ts';
import { subjects as answerSubjects } from '../contract/answers/subjects.ts';
import { subjects as metricsSubjects } from '../contract/metrics/subjects.ts';
import { subjects as pageSubjects } from '../contract/sources/subjects.ts';
import { startVendorServer } from '../contract/sources/vendor-server.ts';
import { closeLater } from '../helpers/closing.ts';
import { Random } from '../simulation/random.ts';
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

/** Texts that tell limits apart: of few words, of many, of many characters. */
const texts = [
  'shoes',
  'x'.repeat(81),
  'x'.repeat(399),
  ...[11, 41, 51].map((count) => Array.from({ length: count }, (_, index) => `w${index}`).join(' ')),
];
const prompts = ['best shoes?', ...[499, 501, 701].map((count) => 'x'.repeat(count))];
const countries = ['US', 'DE', 'QA', 'IE', 'RU', 'KP'];
const languages = ['en', 'el', 'fil', 'eu', 'pt-BR', 'nb', 'zh-HK', 'tlh'];
const inside = ['@30.27,-97.74,14z', 'Austin,Texas,United States'];

function drawSearch(random: Random) {
  const country = random.pick(countries);
  return {
    keyword: random.pick(texts),
    country,
    language: random.pick(languages),
    mobile: random.chance(0.3),
    page: random.pick([1, 1, 1, 10, 11, 25, 26, 100]),
    ...(country === 'US' && random.chance(0.3) && { location: random.pick(inside) }),
  };
}

/** What the config says that a source does not sell; throws where it says anything else. */
async function named(service: object, project: object): Promise<readonly string[]> {
  const budget = { serpCredits: { perDay: 9000 }, keywordDataUsd: { perMonth: 900 } };
  const services = { default: { mode: 'embedded', ...service } };
  const isSecret = (key: string, value: unknown) => typeof value === 'string' && /secret|password|token/i.test(key);
  const config = JSON.stringify({ services, budget, projects: [{ id: 'acme', ...project }] }, (key, value) =>
    isSecret(key, value) ? one : value,
  );
  const files = { 'rankledger.yaml': config.replaceAll(secret, one) };
  const said = await load(files, { KEY: secret }).then(
    ({ warnings }) => warnings.filter((text) => /has no .* with more than/.test(text)),
    (error: ConfigError) => error.problems.map(({ message }) => message),
  );
  const unsold =
    /sells \d+ pages of a search|has no (?:pages|mobile|desktop|keyword metrics|answers) |cannot request pages/;
  expect(said.filter((text) => !unsold.test(text))).toEqual([]);
  return said;
}

/** Whether the source itself refused, before its vendor was asked. */
async function isRefused(call: Promise<unknown>): Promise<boolean> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason as ServiceError,
  );
  return error?.code === 'INVALID_REQUEST' && error.charged === 'no';
}

const secret = 'a-key-of-a-vendor';
const searchesEach = 16;

describe('a search that a config asks a source for', () => {
  /** Refused by the config as by the call, in each of these searches; the seed is the name of the source. */
  async function agree(
    name: string,
    ask: (random: Random, context: SourceContext) => Promise<readonly [boolean, readonly string[], unknown]>,
  ) {
    const random = new Random(1, name);
    const context = { signal: new AbortController().signal, at: 0 };
    for (let round = 0; round < searchesEach; round += 1) {
      const [refused, said, search] = await ask(random, context);
      expect([name, search, said.length > 0], said.join('; ')).toEqual([name, search, refused]);
    }
  }

  const fetched = ['google', 'bing', 'duckduckgo'].flatMap((source) => [
    [source, source, {}] as const,
    [`${source} through an unlocker`, source, { fetcher: 'unlocker' }] as const,
  ]);
  const ofVendors = pageSubjects.map((subject) => [subject.source, subject.source, subject.options([secret])] as const);
  const own = ['sandbox', 'sandbox-maps'].map((source) => [source, source, {}] as const);

  it('has every source of pages but recordings and chains', () => {
    const tried = new Set([...fetched, ...ofVendors, ...own].map(([, source]) => source));
    expect([...tried, 'chain', 'replay'].sort()).toEqual(sourceNames.toSorted());
  });

  const maps = /-maps$/;
  const asProject = (source: string, { keyword, country, language, mobile, page, location }: PageRequest) => ({
    targets: maps.test(source) ? [{ match: 'place', value: 'cid:174459995934739710' }] : ['acme.com'],
    market: { country, language, devices: [mobile ? 'mobile' : 'desktop'], ...(location && { location }) },
    depth: page,
    keywords: [keyword],
  });
  async function serverOptions(source: string, given: object) {
    const vendor = await startVendorServer();
    closeLater(vendor);
    const isLive = sourceKindOf(source) === 'live';
    const template = 'fetcher' in given && { template: `${vendor.url}/?url={url}` };
    const base = template || { baseUrl: vendor.url };
    const more = source === 'searxng' ? { allowPrivate: true } : { allowLoopback: true };
    return isLive ? { ...given, ...base, ...more, requestsPerSecond: 1000 } : given;
  }

  it.each([...fetched, ...ofVendors, ...own])(
    'is refused as its call refuses it: pages of %s',
    async (name, source, given) => {
      const options = await serverOptions(source, given);
      const { serp } = await createSource(source, options, { clock: systemClock });
      if (serp?.close !== undefined) closeLater({ close: () => serp.close?.() });
      await agree(name, async (random, context) => {
        const search = drawSearch(random);
        const refused = await isRefused(Promise.resolve(serp?.fetchPage(search, context)));
        return [refused, await named({ source, ...options }, asProject(source, search)), search];
      });
    },
  );

  it('is refused as all parts of a chain refuse it', async () => {
    const part = async (source: string) => {
      const found = pageSubjects.find((subject) => subject.source === source);
      return { source, ...(await serverOptions(source, found?.options([secret]) ?? {})) };
    };
    const [brave, yandex] = [await part('brave'), await part('yandex')];
    const [serper, dataforseo] = [await part('serper'), await part('dataforseo')];
    await agree('chain', async (random, context) => {
      // one engine, and no locations: all parts of a chain must have them
      const sources = random.pick([
        [brave, brave],
        [serper, dataforseo],
        [yandex, yandex],
      ]);
      const { location: _, ...search } = drawSearch(random);
      const { serp } = await createSource('chain', { sources }, { clock: systemClock });
      const refused = await isRefused(Promise.resolve(serp?.fetchPage(search, context)));
      await serp?.close?.();
      return [refused, await named({ source: 'chain', sources }, asProject('chain', search)), search];
    });
  });

  it.each(metricsSubjects)('is refused as its call refuses it: keyword metrics of $source', async (subject) => {
    const vendor = await startVendorServer();
    closeLater(vendor);
    const options = { ...subject.options([secret], vendor.url), allowLoopback: true, requestsPerSecond: 1000 };
    const source = await createMetricsSource(subject.source, options, { clock: systemClock });
    closeLater({ close: () => source.close?.() });
    await agree(subject.source, async (random, context) => {
      const { keyword, country, language } = drawSearch(random);
      const search = { keyword, country, language, limit: 10 };
      const refused = await isRefused(source.fetchMetrics(search, context));
      const project = {
        targets: ['acme.com'],
        market: { country, language },
        keywords: [keyword],
        volumes: { schedule: '0 3 1 * *', limit: 10 },
      };
      const metrics = { source: subject.source, ...options };
      return [refused, await named({ source: 'sandbox', metrics }, project), search];
    });
  });

  it.each(answerSubjects)('is refused as its call refuses it: answers of $source', async (subject) => {
    const vendor = await startVendorServer();
    closeLater(vendor);
    const options = { ...subject.options(secret, vendor.url), allowLoopback: true, requestsPerSecond: 1000 };
    const source = await createAnswerSource(subject.source, options, { clock: systemClock });
    closeLater({ close: () => source.close?.() });
    await agree(subject.source, async (random, context) => {
      const { country, language } = drawSearch(random);
      const engine = random.pick(source.engines);
      const search = { engine, prompt: random.pick(prompts), country, language, sample: 1 };
      const refused = await isRefused(source.fetchAnswer(search, context));
      const project = {
        targets: ['acme.com'],
        market: { country, language },
        prompts: { engines: [engine], texts: [search.prompt] },
      };
      const answers = { source: subject.source, ...options };
      return [refused, await named({ source: 'sandbox', answers }, project), search];
    });
  });
});

describe('a limit that only one of several sources has', () => {
  it.each([
    [
      'location: "@30.27,-97.74"',
      'projects[0].service',
      'the service "b" (brave) cannot request pages for coordinates',
    ],
    ['devices: [mobile]', 'projects[0].market.devices', 'the service "b" (brave) has no mobile pages'],
  ])('is refused for a source of `mode: best`: %s', async (market, path, message) => {
    const sources = `  a: { mode: embedded, source: brightdata, apiKey: "${one}", zone: z }\n  b: { mode: embedded, source: brave, apiKey: "${one}" }`;
    const config = write(
      `${sources}\n  default: { mode: best, of: [a, b] }`,
      `market: { ${market} }, keywords: [shoes]`,
    );
    expect(await problems(config)).toContain(`${path}: ${message}`);
  });

  it('does not limit a chain that has another source for it', async () => {
    const part = (source: string) => `{ source: ${source}, apiKey: "${one}" }`;
    const chain = `  default: { mode: embedded, source: chain, sources: [${part('serper')}, ${part('serpapi')}] }`;
    await load({ 'rankledger.yaml': write(chain, 'market: { devices: [mobile] }, keywords: [shoes]') }, env);
  });
});

describe('a prompt that a source of answers does not take', () => {
  it.each([
    ['engines: [perplexity], texts: [why, LONG]', 'texts[1]', 'perplexity of prompts with more than 500 characters'],
    ['engines: [ai-mode], texts: [{ prompt: why, language: haw }]', 'texts[0]', 'ai-mode in the language haw'],
  ])('is refused by `check` and `plan` in one line: %s', async (written, at, said) => {
    const prompt = written.replace('LONG', 'x'.repeat(501));
    const answers = `answers: { source: dataforseo, login: me, password: "${one}" }`;
    const service = `  default: { mode: embedded, source: sandbox, ${answers} }`;
    const config = write(service, `keywords: [shoes], prompts: { ${prompt} }`).replace(
      'budget: {',
      'budget: { keywordDataUsd: { perMonth: 9 },',
    );
    const { path } = projectFolder(config);
    for (const argv of [['check'], ['plan', '--all']]) {
      const { exitCode, err } = await invoke(argv, { cwd: path, env });
      expect(exitCode).toBe(2);
      expect(err).toContain(`projects[0].prompts.${at}: the service "default" (dataforseo) has no answers of ${said}`);
    }
  });
});
