// The search engine of a market: named, or that of the service; never two in one service.
import { expect, test } from 'vitest';
import { load, problemsOf } from './folder.ts';

const env = { KEY: 'secret' };
const services = `services:
  pages: { mode: embedded, source: serper, apiKey: "\${KEY}" }
  bing: { mode: embedded, source: serpapi-bing, apiKey: "\${KEY}" }
  any: { mode: embedded, source: sandbox }
  mixed: { mode: embedded, source: chain, sources: [{ source: serper, apiKey: "\${KEY}" }, { source: brave, apiKey: "\${KEY}" }] }
  best: { mode: best, of: [pages, bing] }
budget: { serpCredits: { perDay: 10 } }
`;
const sound = services.replace(/ {2}mixed.*\n {2}best.*\n/, '');

const project = (id: string, service: string, more: string) =>
  `  - { id: ${id}, service: ${service}, targets: [acme.com], keywords: [shoes], ${more} }\n`;

test('the engine of a project is that of its service, or the one that its market names', async () => {
  const projects = [
    project('a', 'pages', 'market: { engine: google }'),
    project('b', 'bing', 'market: { country: US }'),
    project('c', 'any', 'market: { engine: yandex }'),
  ];
  const config = await load({ 'rankledger.yaml': `${sound}projects:\n${projects.join('')}` }, env);
  expect(config.projects.map(({ engine }) => engine)).toEqual([undefined, 'bing', 'yandex']);
});

test('an engine that the service does not sell, and clicks of another engine, are problems', async () => {
  const projects = [
    project('a', 'pages', 'market: { engine: bing }'),
    project('b', 'bing', 'searchConsole: { property: "sc-domain:acme.com", credentials: { keyFile: key.json } }'),
    project('c', 'any', 'market: { engine: yandex }'),
    project('d', 'any', 'market: { country: US }'),
  ];
  const problems = await problemsOf({ 'rankledger.yaml': `${sound}projects:\n${projects.join('')}` }, env);
  expect(problems.map(({ line, message, hint }) => ({ line, text: `${message}; ${hint}` }))).toEqual([
    {
      line: 7,
      text: 'the service "pages" sells pages of google; sources that sell it: bing, serpapi-bing',
    },
    {
      line: 8,
      text: 'Search Console counts clicks of google, and the project tracks bing; remove it, or give it to a project of google',
    },
    {
      line: 10,
      text: 'project "d" would share pages of "any" with a project that tracks yandex; write a service for each search engine',
    },
  ]);
});

test('a chain, and a service of several sources, have one engine', async () => {
  const problems = await problemsOf(
    { 'rankledger.yaml': `${services}projects:\n${project('a', 'pages', 'depth: 1')}` },
    env,
  );
  expect(problems.map(({ message }) => message)).toEqual([
    'mixes pages of google and brave',
    'mixes pages of google and bing',
  ]);
});

test('a service of several sources has the engine of those that have one, whichever is the first', async () => {
  const away = (of: string) => `services:
  away: { mode: remote, baseUrl: "https://api.example.com", user: ann, password: "\${KEY}", usdPerThousand: 1 }
  pages: { mode: embedded, source: serper, apiKey: "\${KEY}", usdPerThousand: 1 }
  bing: { mode: embedded, source: serpapi-bing, apiKey: "\${KEY}", usdPerThousand: 1 }
  best: { mode: best, of: [${of}] }
budget: { serpCredits: { perDay: 10 } }
projects:
${project('a', 'best', 'depth: 1')}`;
  const config = await load({ 'rankledger.yaml': away('away, bing') }, env);
  expect(config.projects.map(({ engine }) => engine)).toEqual(['bing']);
  const problems = await problemsOf(
    { 'rankledger.yaml': away('away, pages, bing') + project('b', 'away', 'market: { engine: bing }') },
    env,
  );
  expect(problems.map(({ message }) => message)).toEqual([
    'mixes pages of google and bing',
    'project "b" would share pages of "away" with a project that tracks google',
  ]);
});
