import { expect, test } from 'vitest';
import { type Files, problemsOf, projectWith } from './folder.ts';

/** `file:line:column path: message; hint`, without the parts that are absent. */
async function lines(files: Files, env: Readonly<Record<string, string>> = {}): Promise<string[]> {
  return (await problemsOf(files, env)).map(({ file, line, column, path, message, hint }) => {
    const place = [file, line, column].filter((part) => part !== undefined).join(':');
    return `${place} ${path === undefined || path === '' ? '' : `${path}: `}${message}${hint === undefined ? '' : `; ${hint}`}`;
  });
}

const name = 'rankledger.yaml';
const services = (...more: string[]): string => ['services:', ...more.map((line) => `  ${line}`), ''].join('\n');
const remote = (more: string): string =>
  services(`vendor: { mode: remote, baseUrl: "https://api.example.com", user: me, password: "\${PW}", ${more} }`);

/** A config, and all its problems. */
const broken: readonly (readonly [about: string, yaml: string, said: readonly (string | RegExp)[]])[] = [
  [
    'an unknown key with a near one',
    projectWith('depht: 3'),
    [`${name}:5:5 projects[0].depht: unknown key; did you mean depth?`],
  ],
  ['an unknown key at the top', 'project: []\n', [`${name}:1:1 project: unknown key; did you mean projects?`]],
  [
    'an unknown key with no near one',
    'queue: { speed: 3 }\n',
    [`${name}:1:10 queue.speed: unknown key; known here: driver, redisUrl, signingKey, concurrency`],
  ],
  [
    'an unknown key of a keyword',
    projectWith().replace('[running shoes]', '[{ keyword: a, device: mobile }]'),
    [`${name}:4:30 projects[0].keywords[0].device: unknown key; did you mean devices?`],
  ],
  [
    'infinity where a number belongs',
    'budget: { serpCredits: { perDay: .inf } }\n',
    [`${name}:1:26 budget.serpCredits.perDay: expected a number, got .inf; write a value or omit the key`],
  ],
  [
    'a path whose backslash begins an escape',
    'database: "data\\runs.sqlite"\nreports: { dir: "D:\\0" }\n',
    [
      /:1:1 database: contains a control character; write it in single quotes/,
      /:2:12 reports\.dir: contains a control/,
    ],
  ],
  ['a key written twice', projectWith('depth: 3', 'depth: 4'), [`${name}:6:5 this key is written twice`]],
  [
    'a missing key',
    'projects:\n  - targets: [acme.com]\n    keywords: [a]\n',
    [`${name}:2:5 projects[0].id: is missing: write text`],
  ],
  [
    'nothing where text belongs',
    projectWith().replace('[running shoes]', '[null]'),
    [/:4:16 projects\[0\]\.keywords\[0\]: expected text or a mapping, got nothing; write a value or omit the key/],
  ],
  [
    'a number where a duration belongs',
    'retention: { rawPages: 90 }\n',
    [
      /:1:14 retention.rawPages: expected text, got the number 90; write a whole number and s, m, h, d or w, such as 90s/,
    ],
  ],
  [
    'a file where keywords belong',
    projectWith().replace('[running shoes]', 'keywords.csv'),
    [/:4:5 projects\[0\]\.keywords: expected a list, got text; .*; a CSV file belongs in keywordsFile$/],
  ],
  [
    'a number where a mapping belongs',
    'budget: { serpCredits: 500 }\n',
    [
      / budget.serpCredits: expected a mapping, got the number 500; write \{ perRun: ... \}; its keys: perRun, perDay, perMonth$/,
    ],
  ],
  [
    'text where a number belongs',
    projectWith('depth: three'),
    [`${name}:5:5 projects[0].depth: expected a number, got text; write digits, without quotes`],
  ],
  [
    'a fraction where a whole number belongs',
    projectWith('depth: 1.5'),
    [`${name}:5:5 projects[0].depth: expected a whole number, got a number with a fraction`],
  ],
  [
    'a comparison that is none',
    'reports: { compare: yesterday }\n',
    [/reports.compare: is none of: previous, last-month, a number of days such as 7d, or a date/],
  ],
  [
    'notes without a day, of no project, or blank',
    'notes: [{ date: 2026-02-30, text: a }, { date: 2026-02-20, text: b, project: acmee }, { date: 2026-02-20, text: " " }]\n' +
      projectWith(),
    [/notes\[0\].date: "2026-02-30" is not a date/, /notes\[2\].text: the note is empty/],
  ],
  [
    'a note of a project that is not there',
    `notes: [{ date: 2026-02-20, text: b, project: acmee }]\n${projectWith()}`,
    [/notes\[0\].project: there is no project "acmee"; did you mean acme\?/],
  ],
  [
    'a project in the folder of all projects',
    `reports: { agency: true }\n${projectWith().replace('acme', 'Agency')}`,
    [/projects\[0\].id: is the folder of the files of all projects/],
  ],
  [
    'a project in place of the page of all reports',
    projectWith().replace('acme', 'index.html'),
    [/projects\[0\].id: is the page of all reports/],
  ],
  ['too much', projectWith('depth: 101'), [`${name}:5:5 projects[0].depth: must be at most 100`]],
  ['too little', projectWith('depth: 0'), [`${name}:5:5 projects[0].depth: must be at least 1`]],
  [
    'nothing where a list belongs',
    'projects:\n',
    [`${name}:1:1 projects: expected a list, got nothing; write a value or omit the key`],
  ],
  ['an empty list of targets', projectWith().replace('[acme.com]', '[]'), [/targets: must not be empty$/]],
  [
    'a word that is not among the known ones',
    projectWith('paging: untilfound'),
    [
      `${name}:5:5 projects[0].paging: expected one of "until-found", "until-all-found", "full", "anchored", "adaptive", got "untilfound"; did you mean until-found?`,
    ],
  ],
  [
    'a share of nothing',
    projectWith('confirmShare: "0%"'),
    [/^rankledger.yaml:5:5 projects\[0\]\.confirmShare: is not a share; write 1% to 100%/],
  ],
  [
    'a duration without unit',
    projectWith('freshFor: "12"'),
    [/^rankledger.yaml:5:5 projects\[0\]\.freshFor: is not a duration/],
  ],
  ['a deep check every nothing', projectWith('deep: { depth: 9, every: 0d }'), [/deep\.every: must be longer than 0/]],
  [
    'a deep check that is not deeper',
    projectWith('depth: 5', 'deep: { depth: 5, every: 7d }'),
    [`${name}:6:13 projects[0].deep.depth: must be more than the depth of the project (5)`],
  ],
  [
    'a country that is none',
    projectWith('market: { country: UK }'),
    [`${name}:5:15 projects[0].market.country: "UK" is not an ISO 3166-1 country code; did you mean GB?`],
  ],
  [
    'a language that is none',
    projectWith('market: { language: jp }'),
    [`${name}:5:15 projects[0].market.language: "jp" is not a language code; did you mean ja?`],
  ],
  [
    'a time zone that is none',
    'timezone: Europe/Berlino\n',
    [/^rankledger.yaml:1:1 timezone: "Europe\/Berlino" is not a known time zone/],
  ],
  ['a schedule that never falls due', projectWith('schedule: "0 0 31 2 *"'), [/schedule: "0 0 31 2 \*" never fires/]],
  ['a schedule with seconds', projectWith('schedule: "0 0 6 * * *"'), [/schedule: .* has six fields, but seconds/]],
  [
    'a schedule with its time zone',
    projectWith('schedule: "CRON_TZ=Asia/Tokyo 0 6 * * *"'),
    [
      /schedule: .* names a time zone, which a schedule does not take: write it beside the schedule, as timezone: Asia\/Tokyo$/,
    ],
  ],
  [
    'a schedule of volumes with a time zone',
    projectWith('volumes: { schedule: "TZ=UTC @daily" }'),
    [/volumes.schedule: .* names a time zone/],
  ],
  ['a schedule that is none', projectWith('schedule: daily'), [/schedule: "daily" is not a schedule/]],
  [
    'a broken schedule of volumes',
    projectWith('volumes: { schedule: "99 * * * *" }'),
    [/volumes\.schedule: .* is not a schedule/],
  ],
  [
    'an id that is not a folder name',
    projectWith().replace('acme\n', '../acme\n'),
    [/projects\[0\]\.id: must be 1 to 64/],
  ],
  [
    'an id that differs only in case',
    `${projectWith()}${projectWith().replace('projects:\n', '').replace('acme\n', 'ACME\n')}`,
    [`${name}:5:5 projects[1].id: "ACME" is already the id of projects[0]`],
  ],
  [
    'a service that does not exist',
    `${services('vendor: { mode: embedded, source: sandbox }')}${projectWith('service: vendro')}`,
    [`${name}:7:5 projects[0].service: there is no service "vendro"; did you mean vendor?`],
  ],
  [
    'a view with a filter that there is not',
    projectWith('views: [{ name: Shoes, query: "tags=shoes" }]'),
    [/^rankledger.yaml:5:28 projects\[0\]\.views\[0\]\.query: tags: no such parameter; known: q, url, tag, /],
  ],
  [
    'a view with a value that its filter cannot have',
    projectWith('views: [{ name: Shoes, query: "?rank=top" }]'),
    [/views\[0\]\.query: rank: "top" is not a range; write 1\.\.10/],
  ],
  [
    'two views of one name',
    projectWith('views: [{ name: Shoes, query: "tag=shoes" }, { name: "Shoes ", query: "tag=boots" }]'),
    [`${name}:5:52 projects[0].views[1].name: "Shoes " is the name of views[0]`],
  ],
  [
    'no default service among those written',
    `${services('vendor: { mode: embedded, source: sandbox }')}${projectWith()}`,
    [/^rankledger.yaml:4:5 projects\[0\]\.service: there is no service "default"; known: vendor$/],
  ],
  [
    'a mode that is none',
    services('a: { mode: cloud }'),
    [`${name}:2:8 services.a.mode: expected embedded or remote or best, got "cloud"`],
  ],
  [
    'a source that does not exist',
    services('a: { mode: embedded, source: sandbx }'),
    [`${name}:2:24 services.a.source: there is no source "sandbx"; did you mean sandbox?`],
  ],
  [
    'a source of metrics where pages come from',
    services('a: { mode: embedded, source: semrush }'),
    [
      /:2:24 services\.a\.source: "semrush" has keyword metrics only, and no results pages; name a source of pages here/,
    ],
  ],
  [
    'a source of metrics that does not exist',
    services('a: { mode: embedded, source: sandbox, metrics: { source: semrsh } }'),
    [/a\.metrics\.source: there is no source "semrsh" of keyword metrics; did you mean semrush\?/],
  ],
  [
    'a source of pages where metrics come from',
    services('a: { mode: embedded, source: sandbox, metrics: { source: serper } }'),
    [
      /:2:52 services\.a\.metrics\.source: "serper" has results pages only, and no keyword metrics; known: sandbox, replay/,
    ],
  ],
  [
    'metrics without a source',
    services('a: { mode: embedded, source: sandbox, metrics: { seed: 2 } }'),
    [/a\.metrics\.source: is missing/],
  ],
  [
    'metrics that are no mapping',
    services('a: { mode: embedded, source: sandbox, metrics: sandbox }'),
    [/a\.metrics: expected a mapping, got text/],
  ],
  [
    'invented metrics beside real pages',
    services(`a: { mode: embedded, source: serper, apiKey: "\${PW}", metrics: { source: sandbox } }`),
    [/a\.metrics\.source: "sandbox" has simulated metrics, and the pages of "serper" are real/],
  ],
  [
    'a literal key of a source of metrics',
    services('a: { mode: embedded, source: sandbox, metrics: { source: semrush, apiKey: abc } }'),
    [/a\.metrics\.apiKey: is a literal secret.*write apiKey/],
  ],
  [
    'a misspelled key of an embedded service',
    services('a: { mode: embedded, source: sandbox, acount: x }'),
    [/acount: unknown key; did you mean account\?/],
  ],
  [
    'a folder option that is not a text',
    services('a: { mode: embedded, source: replay, dir: [a] }'),
    [/dir: expected text, got a list/],
  ],
  [
    'a literal password',
    remote('').replace(/"\$\{PW\}"/, 'hunter2'),
    [
      /services\.vendor\.password: is a literal secret; secrets come from the environment only; write password: \$\{NAME\}/,
    ],
  ],
  [
    'a password around a variable',
    remote('').replace(/"\$\{PW\}"/, '"x$' + '{PW}"'),
    [/password: is a literal secret/],
  ],
  [
    'a literal key of a source',
    services('a: { mode: embedded, source: serper, apiKey: abc }'),
    [/apiKey: is a literal secret/],
  ],
  [
    'a literal key in a list',
    services('a: { mode: embedded, source: serper, apiKey: [abc, def] }'),
    [/a\.apiKey\[0\]: is a literal secret.*write apiKey/, /a\.apiKey\[1\]: is a literal secret/],
  ],
  [
    'a literal key of a source behind a source',
    services(
      'a: { mode: embedded, source: chain, sources: [{ source: serper, apiKey: abc }, { source: searxng, baseUrl: "https://s.example.com" }] }',
    ),
    [/a\.sources\[0\]\.apiKey: is a literal secret/],
  ],
  [
    'a password in an address',
    remote('').replace('https://', 'https://me:pw@'),
    [/baseUrl: contains a user or password/],
  ],
  ['an address that is none', remote('').replace('https://', ''), [/baseUrl: is not an http or https URL/]],
  ['an address with a query', remote('').replace('.com', '.com/?a=1'), [/baseUrl: must end with the path/]],
  ['an address that ends with the version', remote('').replace('.com', '.com/v1'), [/baseUrl: ends with \/v1/]],
  [
    'bullmq without Redis',
    'queue: { driver: bullmq }\n',
    [`${name}:1:1 queue.redisUrl: is missing: bullmq needs Redis; write redisUrl: \${REDIS_URL}`],
  ],
  [
    'a signing key without bullmq',
    'queue: { signingKey: "0123456789abcdef" }\n',
    [/signingKey: is a literal secret/, /signingKey: has no effect with the embedded driver/],
  ],
  [
    'a signing key in the file',
    'queue: { driver: bullmq, redisUrl: "redis://a", signingKey: "0123456789abcdef" }\n',
    [/signingKey: is a literal secret/],
  ],
  ['Redis without bullmq', 'queue: { redisUrl: "redis://a" }\n', [/redisUrl: has no effect with the embedded driver/]],
  [
    'a Redis address that is none',
    'queue: { driver: bullmq, redisUrl: "http://a" }\n',
    [/redisUrl: is not a redis:\/\/ or rediss:\/\/ URL/],
  ],
  [
    'a literal password of Redis',
    'queue: { driver: bullmq, redisUrl: "redis://:pw@a" }\n',
    [/redisUrl: is a literal secret/],
  ],
  [
    'a curve that is none',
    'reports: { ctrCurve: sistrix-2021 }\n',
    [`${name}:1:12 reports.ctrCurve: there is no click-through curve "sistrix-2021"; did you mean sistrix-2020?`],
  ],
  [
    'a table that no report has',
    'reports: { tables: [summary, rank-change] }\n',
    [/reports\.tables\[1\]: there is no table "rank-change"; did you mean rank-changes\?$/],
  ],
  ['two letters swapped', 'reports: { htlm: true }\n', [/reports\.htlm: unknown key; did you mean html\?$/]],
  [
    'a seventh decimal beside others',
    'budget: { keywordDataUsd: { perDay: 0.1234567 } }\n',
    [/perDay: has more than six decimals/],
  ],
  [
    'a seventh decimal of a dollar',
    'budget: { keywordDataUsd: { perDay: 0.0000001 } }\n',
    [/keywordDataUsd\.perDay: has more than six decimals/],
  ],
  ['a negative budget', 'budget: { serpCredits: { perDay: -1 } }\n', [/serpCredits\.perDay: must be at least 0/]],
  [
    'nothing to track',
    projectWith().replace('    keywords: [running shoes]\n', ''),
    [`${name}:2:5 projects[0]: tracks no keywords; add keywords:, keywordsFile: or prompts:`],
  ],
  [
    'a target that is a public suffix',
    projectWith().replace('acme.com', 'co.uk'),
    [/targets\[0\]: "co\.uk" is a public suffix/],
  ],
  [
    'a target with a wildcard',
    projectWith().replace('acme.com', '"*.acme.com"'),
    [/targets\[0\]: "\*\.acme\.com": no wildcards/],
  ],
  ['a domain with a path', projectWith().replace('acme.com', 'acme.com/shop'), [/targets\[0\]: .* more than a domain/]],
  [
    'a prefix of another scheme',
    projectWith().replace('acme.com', '{ match: prefix, value: "ftp://acme.com/" }'),
    [`${name}:3:32 projects[0].targets[0].value: "ftp://acme.com/": only http and https pages have a rank`],
  ],
  [
    'a kind of target that is none',
    projectWith().replace('acme.com', '{ match: site, value: acme.com }'),
    [/targets\[0\]\.match: expected one of "domain"/],
  ],
  [
    'a competitor that is the target in another spelling',
    projectWith('competitors: [globex.com, ACME.com.]'),
    [`${name}:5:31 projects[0].competitors[1]: "ACME.com." is targets[0] already`],
  ],
  [
    'two targets that differ only in their match',
    projectWith('competitors: [{ match: host, value: acme.com }]'),
    [/competitors\[0\]: "acme\.com" is targets\[0\] already, with another match: reports could not distinguish them/],
  ],
  [
    'a keyword that is there already',
    projectWith().replace(
      '[running shoes]',
      '[running  Shoes, { keyword: RUNNING SHOES, devices: [mobile, desktop] }, "running shoes"]',
    ),
    [
      /^rankledger.yaml:4:32 projects\[0\]\.keywords\[1\]: "RUNNING SHOES" is tracked twice.* already at rankledger\.yaml:4$/,
      /:4:88 projects\[0\]\.keywords\[2\]/,
    ],
  ],
  ['a blank keyword', projectWith().replace('running shoes', '"  "'), [/keywords\[0\]: the keyword is empty/]],
  [
    'a keyword that is too long',
    projectWith().replace('running shoes', 'x'.repeat(401)),
    [/keywords\[0\]: the keyword is longer than 400 characters/],
  ],
  [
    'a keyword with a control character',
    projectWith().replace('running shoes', '"a\\u0007b"'),
    [/keywords\[0\]: the keyword contains control characters/],
  ],
  [
    'a cron expression in words',
    projectWith('schedule: every day'),
    [
      `${name}:5:5 projects[0].schedule: "every day" is not a schedule: write minute hour day month weekday, such as "0 6 * * *" for 06:00 every day`,
    ],
  ],
  ['a tab', 'projects:\n\t- id: acme\n', [/:2:1 not valid YAML: tabs .*; indent with spaces$/]],
  [
    'many tabs, of which only the first is reported',
    'projects:\n  - id: acme\n    targets:\n\t- acme.com\n    keywords:\n\t- shoes\n',
    [/:4:1 not valid YAML: tabs .*; indent with spaces, here and in 1 more lines$/],
  ],
  ['a tab after a space', 'budget:\n  serpCredits:\n \tperRun: 1\n', [/:3:2 not valid YAML: tabs /]],
  [
    'a tab within brackets',
    'projects: [\n\t{ id: acme },\n\t{ id: shop }\n]\n',
    [/:2:1 not valid YAML: tabs .* 1 more lines$/],
  ],
  [
    'a star without quotes',
    projectWith('schedule: * 6 * * *'),
    [/:5:15 not valid YAML: .*; put the value in quotes, such as "\* 6 \* \* \*"/, /:5:17 not valid YAML/],
  ],
  [
    'a bracket that nothing closes',
    'timezone: UTC\nretention: { rawPages: 90d\nprojects:\n  - id: acme\n',
    [/:2:12 not valid YAML: nothing closes the \{ that begins here; close it with \}$/],
  ],
  [
    'two brackets that nothing closes',
    `${projectWith('tags: [a, [b')}\n`,
    [/:5:11 not valid YAML: nothing closes the \[ that begins here; close it with \]$/],
  ],
  [
    'lines that stand in no column',
    'projects:\n  - id: acme\n   targets: [acme.com]\n',
    [/:3:1 not valid YAML: .*; align keys of one mapping in the same column/],
  ],
  [
    'a misspelt key, which is not missing as well',
    'projects:\n  - { id: acme, target: [acme.com], keywords: [a] }\n',
    [/projects\[0\]\.target: unknown key; did you mean targets\?/],
  ],
  ['a mapping of projects', 'projects:\n  acme: {}\n', [/projects: expected a list, got a mapping; write \[a, b\]/]],
  [
    'a text in place of a list',
    projectWith('market: { devices: desktop }'),
    [/projects\[0\]\.market\.devices: expected a list, got text; write \[a, b\]/],
  ],
  ['a tag that would split', projectWith('tags: ["a|b"]'), [/projects\[0\]\.tags\[0\]: the tag "a\|b" contains a \|/]],
  [
    'a device twice',
    projectWith('market: { devices: [mobile, mobile, mobile] }'),
    [/devices: may have at most 2 entries/],
  ],
];

test.each(broken)('reports everything about %s, and nothing else', async (_, yaml, said) => {
  const found = await lines({ [name]: yaml }, { PW: 'secret' });
  expect(found).toHaveLength(said.length);
  for (const [index, expected] of said.entries()) {
    if (typeof expected === 'string') expect(found[index]).toBe(expected);
    else expect(found[index]).toMatch(expected);
  }
});

test('all problems of the schema, the rules, the environment and the keyword files are reported at once', async () => {
  const yaml = [
    'timezone: Mars/Olympus', // 1
    'services:',
    '  default: { mode: embedded, source: sandbox, acount: x }', // 3
    `  vendor: { mode: remote, baseUrl: nowhere, user: "\${NOBODY}", password: x }`, // 4
    'projects:',
    '  - id: one',
    '    depht: 3', // 7
    '    targets: [acme.com]',
    '    competitors: [acme.com]', // 9
    '    market: { country: XX }', // 10
    '    keywordsFile: words.csv',
    '  - targets: [acme.com]', // 12
    '    service: nowhere', // 13
    '    keywords: [null, good, good]', // 14, twice
    '',
  ].join('\n');
  const found = await lines({ [name]: yaml, 'words.csv': 'keyword,depth\nshoes,0\n,3\n' });
  expect(found.map((line) => line.split(' ', 1)[0])).toEqual([
    `${name}:1:1`,
    `${name}:3:47`,
    `${name}:4:27`,
    `${name}:4:45`,
    `${name}:4:64`,
    `${name}:7:5`,
    `${name}:9:19`,
    `${name}:10:15`,
    `${name}:12:5`,
    `${name}:13:5`,
    `${name}:14:16`,
    `${name}:14:28`,
    'words.csv:2',
    'words.csv:3',
  ]);
});

test('an invalid key causes no further false problems', async () => {
  const yaml = projectWith('service: 5', 'depth: x', 'deep: { depth: 2, every: 1d }', 'market: 3');
  const found = await lines({ [name]: yaml.replace('[running shoes]', '[a, { keyword: a, country: US }]') });
  expect(found.map((line) => line.split(' ')[1])).toEqual([
    'projects[0].service:',
    'projects[0].depth:',
    'projects[0].market:',
  ]);
});

test('a placeholder of a template that was not filled is reported as a config problem only', async () => {
  const warnings: Error[] = [];
  const keep = (warning: Error): void => void warnings.push(warning);
  process.on('warning', keep);
  expect(await lines({ [name]: 'timezone: {{ zone }}\n' })).toEqual([expect.stringContaining('expected text')]);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', keep);
  expect(warnings).toEqual([]);
});
