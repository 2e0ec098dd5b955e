// Direct fetching of recorded pages: config -> run -> CSV over HTTP, from an engine on loopback that serves them.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import Papa from 'papaparse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { openApp } from '../../src/app/app.ts';
import { run } from '../../src/app/runs/run.ts';
import { madeAt } from '../helpers/page-clock.ts';
import { type Asked, type EngineServer, startEngineServer } from '../service/sources/fetchers/engine-server.ts';

const corpus = resolve('../shared/corpus');
const isHere = existsSync(join(corpus, 'truth'));
if (!isHere) console.log('skipped: the recorded pages of ../shared/corpus are not beside the project');

/** Keyword, page of the engine, and rank in the truth; null if no rank may be concluded. */
const tracked = [
  ['google', 'why is the sky blue', 'ucr.edu', 'google/2026-02-05_desktop_en_why-is-the-sky-blue_aa594f'],
  ['google', 'a wall', 'wikipedia.org', 'google/c2026-07-28_desktop_ar_google-search_be7956'],
  ['bing', 'javascript tutorial', 'w3schools.com', 'bing/c2026-04-04_desktop_en_javascript-tutorial_483b3c'],
  ['bing', 'coffee', 'wikipedia.org', 'bing/c2021-01-22_nojs_en_coffee_b9889e'],
  ['duckduckgo', 'Plumber Dubai', 'mydubaibest.com', 'ddg/c2026-03-13_desktop_xx_plumber-dubai-at-duckduckgo_9215a7'],
] as const;

const engineOf = ({ path, query }: Asked): string =>
  path === '/html/' ? 'duckduckgo' : query.has('mkt') ? 'bing' : 'google';

function truthRank(file: string, domain: string): string {
  const name = file.replace(/^google\//, '').replace('/', '_');
  const { organic } = JSON.parse(readFileSync(join(corpus, 'truth', `${name}.json`), 'utf8')) as {
    organic: { link: string }[];
  };
  const index = organic.findIndex(({ link }) => `.${new URL(link).hostname}`.endsWith(`.${domain}`));
  return index < 0 ? '' : String(index + 1);
}

describe.skipIf(!isHere)('direct fetching of recorded pages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'own-fetching-'));
  let engine: EngineServer;
  let rows: readonly Readonly<Record<string, string>>[];

  beforeAll(async () => {
    engine = await startEngineServer();
    engine.answer = (asked) => {
      const found = tracked.find(([name, keyword]) => name === engineOf(asked) && keyword === asked.query.get('q'));
      if (found === undefined) return { status: 404 };
      // A recorded page belongs to its day: a live source refuses it on any other.
      const html = readFileSync(join(corpus, `${found[3]}.html`), 'latin1');
      return { body: Buffer.from(madeAt(html, Date.now()), 'latin1') };
    };
    const names = ['google', 'bing', 'duckduckgo'];
    const service = (source: string) => ({
      mode: 'embedded',
      source,
      baseUrl: engine.url,
      allowLoopback: true,
      requestsPerSecond: 500,
    });
    const config = {
      services: Object.fromEntries(names.map((name) => [name, service(name)])),
      projects: names.map((id) => ({
        id,
        service: id,
        targets: [...new Set(tracked.filter(([name]) => name === id).map(([, , target]) => target))],
        market: { country: 'US', language: 'en' },
        depth: 1,
        keywords: tracked.filter(([name]) => name === id).map(([, keyword]) => keyword),
      })),
    };
    writeFileSync(join(folder, 'rankledger.yaml'), JSON.stringify(config));
    const app = await openApp(await loadConfig({ cwd: folder, env: {} }));
    await run(app, { all: true });
    await app.close();
    rows = names.flatMap((name) => {
      const csv = readFileSync(join(folder, `reports/${name}/latest/rank-changes.csv`), 'utf8').replace('\uFEFF', '');
      return Papa.parse<Record<string, string>>(csv, { header: true, skipEmptyLines: true }).data;
    });
  });

  afterAll(async () => {
    await engine.close();
    rmSync(folder, { recursive: true });
  });

  it.each(tracked.filter(([, keyword]) => keyword !== 'a wall'))(
    '%s, "%s": %s has the rank of the truth',
    (name, keyword, target, file) => {
      const row = rows.find((each) => each['keyword'] === keyword && each['target'] === target);
      expect([row?.['status'], row?.['rank'], row?.['source']]).toEqual([
        'ranked',
        truthRank(file, target),
        `${name}/${name}`,
      ]);
    },
  );

  it('concludes nothing from a page whose results are added by scripts', () => {
    const row = rows.find((each) => each['keyword'] === 'a wall');
    expect([row?.['status'], row?.['rank']]).toEqual(['failed', '']);
  });
});
