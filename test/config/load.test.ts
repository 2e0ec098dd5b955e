import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { ConfigError } from '../../config/document/problems.ts';
import { loadConfig } from '../../config/load.ts';
import { Secret } from '../../config/resolve.ts';
import { usualTables } from '../../src/tracker/report-tables.ts';
import { failure, folderOf, load, problemsOf, projectWith } from './folder.ts';

const name = 'rankledger.yaml';
const root = resolve(import.meta.dirname, '../..');

const vendor = [
  'services:',
  '  vendor:',
  '    mode: remote',
  '    baseUrl: https://api.example.com/',
  `    user: \${API_USER}`,
  `    password: \${API_PASSWORD}`,
  `queue: { driver: bullmq, redisUrl: \${REDIS_URL}, concurrency: \${WIDTH} }`,
  'budget: { serpCredits: { perDay: 10 } }',
  '',
].join('\n');
const secrets = { API_USER: 'user-name', API_PASSWORD: '12345678', REDIS_URL: 'redis://:hunter2@db:6379', WIDTH: '7' };

test('an empty mapping is a config with every default', async () => {
  const folder = folderOf({ [name]: '{}\n' });
  expect(await loadConfig({ cwd: folder, env: {} })).toEqual({
    file: join(folder, name),
    directory: folder,
    engines: new Map(),
    timezone: 'UTC',
    databaseFile: join(folder, 'data/rankledger.sqlite'),
    fileAccess: 'owner',
    reports: {
      directory: join(folder, 'reports'),
      csv: { bom: true, delimiter: ',', safe: true },
      html: true,
      ctrCurve: 'sistrix-2020',
      compare: { kind: 'previous' },
      xlsx: false,
      tables: new Set(usualTables),
      agency: false,
      agencyDays: 30,
      deliveries: [],
      template: {
        name: null,
        logo: null,
        accent: null,
        series: [],
        introduction: null,
        comments: [],
        sections: null,
        columns: null,
      },
      templates: new Map(),
    },
    searchConsoles: new Map(),
    services: new Map([['default', { mode: 'embedded', source: 'sandbox', options: {} }]]),
    budget: { serpCredits: {}, microUsd: {} },
    queue: { driver: 'embedded', concurrency: 20 },
    retention: { rawPagesMs: 7_776_000_000 },
    heartbeat: {},
    alerts: { channels: new Map(), rules: [], ownRules: new Map() },
    notes: [],
    projects: [],
    formerly: { projects: new Map(), services: new Map(), firstServiceNames: new Map() },
    views: new Map(),
    keywordSources: new Map(),
    warnings: [],
    unset: [],
    unsetServices: new Set(),
    best: new Map(),
    broken: { projects: [], problems: [] },
  });
});

test('a project takes missing keys from the defaults, and its tags, market and depth apply to its keywords', async () => {
  const yaml = [
    'timezone: Asia/Tokyo',
    'projects:',
    '  - id: acme',
    '    targets: [acme.com, { match: prefix, value: "https://shop.example.com/acme/" }]',
    '    schedule: "0 6 * * *"',
    '    market: { country: de, language: PT-br, devices: [mobile, desktop] }',
    '    tags: [brand, brand]',
    '    deep: { depth: 10, every: 7d }',
    '    freshFor: 90m',
    '    volumes: { schedule: "0 4 2 * *" }',
    '    keywords:',
    '      - "  Café   au\tlait "',
    '      - { keyword: b, country: GB, language: en, devices: [mobile], tags: [b, brand], priority: high, depth: 9 }',
    '    keywordsFile: sub/words.csv',
    '',
  ].join('\n');
  const csv = 'Keyword;TAGS;device;depth;priority\r\nb;x|y;;2;low\r\n"say ""c""";;desktop;;\r\n';
  const [project] = (await load({ [name]: yaml, 'sub/words.csv': `\uFEFF${csv}` })).projects;
  expect(project).toEqual({
    id: 'acme',
    service: 'default',
    targets: [
      { match: 'domain', value: 'acme.com' },
      { match: 'prefix', value: 'https://shop.example.com/acme/' },
    ],
    competitors: [],
    schedule: '0 6 * * *',
    timezone: 'Asia/Tokyo',
    catchUp: 'latest',
    overlap: 'queue',
    jitterSeconds: 0,
    retryFailed: true,
    paging: 'until-found',
    deep: { depth: 10, everyMs: 604_800_000 },
    freshForMs: 5_400_000,
    volumes: { schedule: '0 4 2 * *', limit: 33 },
    keywords: [
      { keyword: 'Café au lait', ...german, tags: ['brand'], priority: 'normal', depth: 3 },
      {
        keyword: 'b',
        country: 'GB',
        language: 'en',
        devices: ['mobile'],
        tags: ['brand', 'b'],
        priority: 'high',
        depth: 9,
      },
      { keyword: 'b', ...german, tags: ['brand', 'x', 'y'], priority: 'low', depth: 2 },
      { keyword: 'say "c"', ...german, devices: ['desktop'], tags: ['brand'], priority: 'normal', depth: 3 },
    ],
  });
});
const german = { country: 'DE', language: 'pt-BR', devices: ['desktop', 'mobile'] };

test('the same keyword on another device, in another language or country is another search', async () => {
  const keywords = '[a, { keyword: A, devices: [mobile] }, { keyword: a, country: GB }, { keyword: a, language: de }]';
  const [project] = (await load({ [name]: projectWith().replace('[running shoes]', keywords) })).projects;
  expect(project?.keywords).toHaveLength(4);
});

test('hostile keywords and option names are kept as written', async () => {
  const keywords = '[__proto__, constructor, "=cmd()", "a,b", "日本 語"]';
  const services = 'services:\n  constructor: { mode: embedded, source: sandbox, __proto__: { a: 1 } }\n';
  const config = await load({
    [name]: `${services}${projectWith('service: constructor').replace('[running shoes]', keywords)}`,
  });
  expect(config.projects[0]?.keywords.map(({ keyword }) => keyword)).toEqual([
    '__proto__',
    'constructor',
    '=cmd()',
    'a,b',
    '日本 語',
  ]);
  const service = config.services.get('constructor');
  expect(service?.mode === 'embedded' && 'a' in service.options).toBe(false);
});

test('numbers and booleans are text as they were typed, where text belongs', async () => {
  const yaml = `services: { 1.50: { mode: embedded, source: sandbox } }
projects:
  - id: 007
    service: 1.50
    targets: [acme.com]
    tags: [1.10, true]
    keywords: [1.50, .5, 1_000, "2.50", { keyword: 3.0, tags: [0x10, 1e3] }]
`;
  const { projects } = await load({ [name]: yaml });
  expect(projects.map(({ id, service }) => [id, service])).toEqual([['007', '1.50']]);
  expect(projects[0]?.keywords.map(({ keyword, tags }) => [keyword, ...tags])).toEqual([
    ...['1.50', '.5', '1_000', '2.50'].map((keyword) => [keyword, '1.10', 'true']),
    ['3.0', '1.10', 'true', '0x10', '1e3'],
  ]);
});

test('dollars are converted to micro-dollars exactly', async () => {
  const budget = 'budget: { keywordDataUsd: { perRun: 0.1, perDay: 0.000001, perMonth: 999999.999999 } }\n';
  expect((await load({ [name]: budget })).budget.microUsd).toEqual({
    perRun: 100_000,
    perDay: 1,
    perMonth: 999_999_999_999,
  });
});

test('variables fill values, including numbers, and secrets are never printed', async () => {
  const config = await load({ [name]: vendor }, secrets);
  const service = config.services.get('vendor');
  if (service?.mode !== 'remote' || config.queue.driver !== 'bullmq') throw new Error('not as written');
  expect(service.baseUrl).toBe('https://api.example.com');
  expect(service.user.reveal()).toBe('user-name');
  expect(service.password.reveal()).toBe('12345678');
  expect(config.queue.redisUrl.reveal()).toBe('redis://:hunter2@db:6379');
  expect(config.queue.concurrency).toBe(7);
  const printed = [
    inspect(config, { depth: 9 }),
    JSON.stringify(config),
    JSON.stringify([...config.services]),
    `${service.password}`,
  ];
  for (const text of printed) expect(text).not.toMatch(/12345678|user-name|hunter2/);
  expect(inspect(new Secret('x'))).toBe('[secret]');
});

test('an option from the environment is read by its source and never printed', async () => {
  const yaml = `services: { default: { mode: embedded, source: replay, apiKey: "\${KEY}", dir: pages } }\n`;
  const folder = folderOf({ [name]: yaml });
  const service = (await loadConfig({ cwd: folder, env: { KEY: 'hunter2' }, offline: true })).services.get('default');
  if (service?.mode !== 'embedded') throw new Error('not as written');
  expect({ ...service.options }).toEqual({ apiKey: 'hunter2', dir: join(folder, 'pages') });
  expect(`${inspect(service, { depth: 9 })}${JSON.stringify(service)}`).not.toContain('hunter2');
  expect(JSON.parse(JSON.stringify(service.options))).toEqual({ apiKey: '[secret]', dir: join(folder, 'pages') });
});

test('keys in a list, and of sources behind a source, are read and never printed', async () => {
  const yaml = `services:
  several: { mode: embedded, source: serper, apiKey: ["\${ONE}", "\${TWO}"] }
  default:
    mode: embedded
    source: chain
    sources: [{ source: serper, apiKey: "\${ONE}" }, { source: serpapi, apiKey: "\${TWO}" }]
`;
  const folder = folderOf({ [name]: yaml });
  const { services } = await loadConfig({ cwd: folder, env: { ONE: 'hunter1', TWO: 'hunter2' } });
  const options = [...services.values()].map((service) => (service.mode === 'embedded' ? { ...service.options } : {}));
  expect(options).toEqual([
    { apiKey: ['hunter1', 'hunter2'] },
    {
      sources: [
        { source: 'serper', apiKey: 'hunter1' },
        { source: 'serpapi', apiKey: 'hunter2' },
      ],
    },
  ]);
  expect(`${inspect(services, { depth: 9 })}${JSON.stringify([...services])}`).not.toMatch(/hunter/);
});

test('a source of metrics has its own options: paths are absolute, and secrets are never printed', async () => {
  const yaml = `services:
  default: { mode: embedded, source: sandbox, metrics: { source: replay, apiKey: "\${KEY}", dir: pages, file: a.csv } }
`;
  const folder = folderOf({ [name]: yaml });
  const service = (await loadConfig({ cwd: folder, env: { KEY: 'hunter2' }, offline: true })).services.get('default');
  if (service?.mode !== 'embedded') throw new Error('not as written');
  expect({ ...service.options }).toEqual({});
  expect(service.metrics?.source).toBe('replay');
  const paths = { dir: join(folder, 'pages'), file: join(folder, 'a.csv') };
  expect({ ...service.metrics?.options }).toEqual({ apiKey: 'hunter2', ...paths });
  expect(`${inspect(service, { depth: 9 })}${JSON.stringify(service)}`).not.toContain('hunter2');
});

test('volumes of a service without keyword metrics are refused', async () => {
  const yaml = (source: string, ...more: string[]) =>
    `services: { default: { mode: embedded, source: ${source} } }\nbudget: { serpCredits: { perDay: 9 } }\n${projectWith(...more)}`;
  const volumes = 'volumes: { schedule: "@monthly" }';
  const serper = `serper, apiKey: "\${K}"`;
  expect((await failure({ [name]: yaml(serper, volumes) }, { K: 'x' })).message).toContain(
    'projects[0].volumes: the source "serper" of the service "default" has no keyword metrics; name a source of metrics',
  );
  expect((await load({ [name]: yaml(serper) }, { K: 'x' })).warnings).toEqual([]);
  expect((await load({ [name]: yaml('sandbox', volumes) })).warnings).toEqual([]);
});

test('options that contain themselves are read to the end', async () => {
  const yaml = 'services: { default: { mode: embedded, source: sandbox, x: &a { b: *a, c: 1 } } }\n';
  const { services } = await loadConfig({ cwd: folderOf({ [name]: yaml }), env: {}, offline: true });
  expect(services.get('default')?.mode).toBe('embedded');
  await expect(load({ [name]: yaml })).rejects.toThrow('services.default.x: unknown key');
});

test('text around a variable, a doubled dollar and a comment are left alone', async () => {
  const yaml = projectWith().replace('[running shoes]', () => `["\${WHAT} shoes", "$\${WHAT}"] # \${NOT_SET}`);
  const [project] = (await load({ [name]: yaml }, { WHAT: 'red' })).projects;
  expect(project?.keywords.map(({ keyword }) => keyword)).toEqual(['red shoes', `\${WHAT}`]);
});

test('each variable that is unset or empty is named with its position, and no value is printed', async () => {
  const error = await failure({ [name]: vendor }, { ...secrets, API_PASSWORD: '', WIDTH: 'hunter2' });
  expect(error.message.split('\n')).toEqual([
    'rankledger.yaml:6:5 services.vendor.password: the environment variable API_PASSWORD is not set; set API_PASSWORD before starting rankledger',
    'rankledger.yaml:7:50 queue.concurrency: expected a number, got text; write digits, without quotes',
  ]);
});

test('a number with an unset variable causes no further problem', async () => {
  const { WIDTH: _, ...rest } = secrets;
  expect((await problemsOf({ [name]: vendor }, rest)).map(({ message }) => message)).toEqual([
    'the environment variable WIDTH is not set',
  ]);
});

test('variables in keys and without a name are refused', async () => {
  const found = await problemsOf({ [name]: `database: "\${}"\n"\${X}": 1\n` }, { X: 'timezone' });
  expect(found.map(({ line, message }) => `${line} ${message}`)).toEqual([
    `1 "\${}" contains no variable name`,
    '2 environment variables are allowed in values only',
    '2 unknown key',
  ]);
});

test('the config and all its parts are frozen, down to the last keyword', async () => {
  const config = await load({ [name]: vendor + projectWith('service: vendor') }, secrets);
  const parts = [
    config,
    config.reports.csv,
    config.projects,
    config.projects[0]?.targets[0],
    config.budget.serpCredits,
  ];
  const keyword = config.projects[0]?.keywords[0];
  for (const part of [...parts, keyword, keyword?.tags, keyword?.devices, config.services.get('vendor')]) {
    expect(part).toBeDefined();
    expect(Object.isFrozen(part)).toBe(true);
  }
});

test.each([
  ['--config', { 'a.yaml': '{}', 'b.yaml': '{}', [name]: '{}' }, 'a.yaml'],
  ['RANKLEDGER_CONFIG', { 'b.yaml': '{}', [name]: '{}' }, 'b.yaml'],
  ['./rankledger.yaml', { [name]: '{}', 'config/rankledger.yaml': '{}' }, name],
  ['./config/rankledger.yaml', { 'config/rankledger.yaml': '{}' }, 'config/rankledger.yaml'],
])('the config is found by %s first', async (how, files, found) => {
  const cwd = folderOf(files);
  const env = how === '--config' || how === 'RANKLEDGER_CONFIG' ? { RANKLEDGER_CONFIG: 'b.yaml' } : {};
  const config = await loadConfig({ cwd, env, ...(how === '--config' ? { file: 'a.yaml' } : {}) });
  expect(config.file).toBe(join(cwd, found));
});

test('a missing config is reported with the remedies', async () => {
  const { message } = await failure({});
  expect(message).toContain('rankledger init');
  expect(message).toContain('--config');
  expect(message).toContain('RANKLEDGER_CONFIG');
});

const bytes = (text: string, encoding: BufferEncoding): Uint8Array => Buffer.from(text, encoding);

test.each<[string, string | Uint8Array, RegExp]>([
  ['is empty', '# nothing\n', /^rankledger\.yaml: is empty; rankledger init/],
  ['is a list', '- a\n', /is not a YAML mapping/],
  ['is UTF-16', bytes('\uFEFFtimezone: UTC\n', 'utf16le'), /is UTF-16, not UTF-8; save it as UTF-8$/m],
  ['is UTF-16 without a mark', bytes('timezone: UTC\n', 'utf16le'), /^rankledger\.yaml:1 contains zero bytes/],
  ['has a zero byte', 'timezone: UTC\ndatabase: a\u0000b\n', /^rankledger\.yaml:2 contains zero bytes/],
  ['is Latin-1', bytes('timezone: UTC\ndatabase: k\u00F6ln\n', 'latin1'), /^rankledger\.yaml:2 is not UTF-8/],
  ['is not a YAML', 'timezone: [UTC\n', /^rankledger\.yaml:\d+:\d+ not valid YAML: /],
  ['holds two documents', 'timezone: UTC\n---\ntimezone: UTC\n', /^rankledger\.yaml:2:1 a second document begins here/],
  ['has an unknown tag', 'timezone: !!js/function x\n', /^rankledger\.yaml:1:11 not valid YAML: Unresolved tag/],
  ['is an alias bomb', aliasBomb(), /cannot expand its aliases/],
  ['is nested without end', '['.repeat(50_000), /not valid YAML|nested too deeply/],
  ['is huge', `# ${'x'.repeat(4_194_304)}\n`, /is larger than 4 MiB .* move keywords to a keywordsFile/],
])('a config that %s is refused with one sentence', async (_, content, said) => {
  expect((await failure({ [name]: content })).message).toMatch(said);
});

function aliasBomb(): string {
  const levels = Array.from({ length: 12 }, (_, level) =>
    level === 0
      ? 'a0: &a0 [x, x]'
      : `a${level}: &a${level} [${Array(9)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
  );
  return `${levels.join('\n')}\n`;
}

test('a folder, a missing file and an unreadable file as config have different errors', async () => {
  const cwd = folderOf({ 'secret.yaml': '{}' });
  const errorOf = async (file: string | undefined, env = {}): Promise<string> => {
    try {
      await loadConfig({ cwd, env, ...(file === undefined ? {} : { file }) });
    } catch (error) {
      if (error instanceof ConfigError) return error.message;
    }
    return 'loaded';
  };
  mkdirSync(join(cwd, 'folder'));
  expect(await errorOf('folder')).toBe(
    'folder: is a folder, not a file; name the file, such as folder/rankledger.yaml',
  );
  expect(await errorOf('missing.yaml')).toMatch(/^missing\.yaml: does not exist; run `rankledger init`/);
  expect(await errorOf(undefined, { RANKLEDGER_CONFIG: 'missing.yaml' })).toMatch(
    /^missing\.yaml: .* RANKLEDGER_CONFIG/,
  );
  expect(await errorOf('secret.yaml/x')).toMatch(/does not exist/);
  chmodSync(join(cwd, 'secret.yaml'), 0);
  // The super-user reads everything.
  if (process.getuid?.() !== 0) expect(await errorOf('secret.yaml')).toMatch(/is not readable; check its permissions/);
});

test('aliases and merge keys work, and problems in them have a position', async () => {
  const yaml = [
    'projects:',
    '  - &base',
    '    id: a',
    '    targets: [a.com]',
    '    keywords: [x]',
    '  - { <<: *base, id: b, depth: 0 }',
    '  - { <<: *base, id: c, market: &m { country: XX } }',
    '',
  ].join('\n');
  const found = await problemsOf({ [name]: yaml });
  expect(found.map(({ line, path }) => `${line} ${path}`)).toEqual([
    '6 projects[1].depth',
    '7 projects[2].market.country',
  ]);
});

test('a cap below the pages of a check is a warning: the check would be deferred for ever', async () => {
  const capped = async (caps: string, ...more: string[]): Promise<readonly string[]> =>
    (await load({ [name]: `${projectWith('depth: 5', ...more)}budget: { serpCredits: ${caps} }\n` })).warnings;
  const message = (window: string, place: string, pages: number): string =>
    `rankledger.yaml:${place} budget.serpCredits.${window}: is less than the ${pages} pages of a check of project "acme": ` +
    `such a check is never made; at least ${pages}, or a smaller depth`;
  expect(await capped('{ perRun: 0, perDay: 5, perMonth: 90 }')).toEqual([]);
  expect(await capped('{ perRun: 4, perDay: 4 }')).toEqual([
    message('perRun', '6:26', 5),
    message('perDay', '6:37', 5),
  ]);
  expect(await capped('{ perDay: 9 }', 'deep: { depth: 10, every: 7d }')).toEqual([message('perDay', '7:26', 10)]);
});

test('warnings do not reject the config and have a position', async () => {
  const yaml = [
    'services:',
    `  default: { mode: remote, baseUrl: "http://api.example.com", user: me, password: "\${PW}" }`, // 2
    projectWith(
      'competitors: [shop.acme.com, www.globex.com]', // 7
      'schedule: "0 */6 * * *"',
      'freshFor: 6h', // 9
      'volumes: { schedule: "@monthly" }', // 10
    ),
  ].join('\n');
  const places = async (text: string): Promise<string[]> =>
    (await load({ [name]: text }, { PW: 'x' })).warnings.map((warning) => warning.split(': ', 1)[0] ?? '');
  expect(await places(yaml)).toEqual([
    'rankledger.yaml:2:28 services.default.baseUrl',
    'rankledger.yaml:4:5 projects[0].service',
    'rankledger.yaml:10:5 projects[0].volumes',
    'rankledger.yaml:7:34 projects[0].competitors[1]',
    'rankledger.yaml:7:19 projects[0].competitors[0]',
    'rankledger.yaml:9:5 projects[0].freshFor',
  ]);
  const budget = 'budget: { serpCredits: { perRun: 9, perDay: 8 }, keywordDataUsd: { perMonth: 1 } }\n';
  const calm = yaml.replace('http:', 'https:').replace('shop.acme.com, www.', '').replace('6h', '5h');
  expect(await places(budget + calm)).toEqual(['rankledger.yaml:1:26 budget.serpCredits.perRun']);
  expect(await places(calm.replace('https://api.example.com', 'http://127.0.0.1:8080') + budget)).toHaveLength(1);
});

test('of too many problems fifty are printed and all are counted', async () => {
  const rows = Array.from({ length: 3_000 }, (_, index) => `word ${index},x`).join('\n');
  const yaml = projectWith('keywordsFile: words.csv');
  const error = await failure({ [name]: yaml, 'words.csv': `keyword,depth\n${rows}\n` });
  const printed = error.message.split('\n');
  expect(printed).toHaveLength(51);
  expect(printed[50]).toBe('... and 2950 more problems');
  expect(error.problems).toHaveLength(1_000);
  expect(error.problemsTotal).toBe(3_000);
});

test('the environment of the process is the default', () => {
  const folder = folderOf({ 'elsewhere.yaml': `timezone: "\${ZONE}"\n` });
  const script = `import { loadConfig } from ${JSON.stringify(join(root, 'config/load.ts'))}; console.log((await loadConfig({ cwd: process.cwd() })).timezone);`;
  const env = { ...process.env, RANKLEDGER_CONFIG: 'elsewhere.yaml', ZONE: 'Asia/Tokyo' };
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  expect(run.stdout).toBe('Asia/Tokyo\n');
});

test('the example runs on the sandbox, with the keywords of the demo', async () => {
  const config = await loadConfig({ cwd: root, file: 'config/rankledger.example.yaml', env: {} });
  expect(config.warnings).toEqual([]);
  expect(config.timezone).toBe('Europe/Berlin');
  expect(config.services.get('default')).toMatchObject({ mode: 'embedded', source: 'sandbox' });
  expect(config.projects.map(({ id }) => id)).toEqual(['acme', 'trailblog']);
  const acme = config.projects[0];
  expect(acme?.targets.map(({ match }) => match)).toEqual(['domain', 'prefix']);
  expect(acme?.keywords.length).toBeGreaterThanOrEqual(30);
  expect(new Set(acme?.keywords.map(({ country }) => country))).toEqual(new Set(['US', 'GB']));
  const shared = config.projects[1]?.keywords.filter(({ keyword }) =>
    acme?.keywords.some((k) => k.keyword === keyword),
  );
  expect(shared?.length).toBeGreaterThanOrEqual(3);
  const text = readFileSync(join(root, 'config/rankledger.example.yaml'), 'utf8');
  expect(text.split('\n', 1)[0]).toBe('# yaml-language-server: $schema=./rankledger.schema.json');
});

test('a heartbeat is a file next to the config and a hidden URL; an invalid URL is refused without showing it', async () => {
  const files = { [name]: `heartbeat: { file: run/beat.json, url: "\${BEAT}" }\n` };
  const { heartbeat, directory } = await load(files, { BEAT: 'https://hc.example/secret-id' });
  expect(heartbeat.file).toBe(join(directory, 'run/beat.json'));
  expect(heartbeat.url?.reveal()).toBe('https://hc.example/secret-id');
  expect(`${inspect(heartbeat)}${JSON.stringify(heartbeat)}`).not.toContain('secret-id');
  const { message } = await failure(files, { BEAT: 'ftp://hc.example/secret-id' });
  expect(message).toContain('heartbeat.url');
  expect(message).not.toContain('secret-id');
});

test('a key of another form of the same object is not suggested in place of itself', async () => {
  const credentials = 'credentials: { keyFile: key.json, clientId: x }';
  const written = projectWith(`searchConsole: { property: "sc-domain:acme.com", ${credentials} }`);
  const [problem] = await problemsOf({ 'rankledger.yaml': written });
  expect(problem).toMatchObject({ message: 'unknown key', hint: 'it does not go with keyFile' });
});

test('a keyword that names a file is a warning that names the key for files', async () => {
  const { warnings } = await load({ [name]: projectWith().replace('[running shoes]', '[a, keywords/list.csv]') });
  expect(warnings.filter((text) => text.includes('list.csv'))).toEqual([
    `${name}:4:19 projects[0].keywords[1]: "keywords/list.csv" is tracked as a keyword, not read as a file; name a CSV file in keywordsFile`,
  ]);
});
