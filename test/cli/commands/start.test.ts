// A domain in place of a command: from an empty folder to the workspace, without a question.
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { siteStarter } from '../../../config/starter.ts';
import { openApp } from '../../../src/app/app.ts';
import { firstKeywords } from '../../../src/app/import/home-page.ts';
import { environmentService } from '../../../src/app/opening/environment-service.ts';
import { describeSource, sourceKindOf, sourceNames } from '../../../src/service/index.ts';
import { serper } from '../../contract/sources/subjects/serper.ts';
import { startVendorServer } from '../../contract/sources/vendor-server.ts';
import { closeLater } from '../../helpers/closing.ts';
import { invoke, type Outcome, TextStream } from '../fake-host.ts';
import { projectFolder } from '../project-folder.ts';

/** Runs it until it serves the workspace, calls `work` with its address, and interrupts it. */
async function started(
  argv: readonly string[],
  cwd: string,
  { env = {}, work = () => {} }: { env?: Record<string, string>; work?: (url: string) => Promise<void> | void } = {},
): Promise<Outcome> {
  const stdout = new TextStream();
  let interrupt = () => {};
  let isOver = false;
  const ended = invoke(argv, {
    ...{ cwd, env, stdout, now: Date.now() },
    openApp: (config, { log: _, ...options }) => openApp(config, options),
    withSignal: (send) => {
      interrupt = send;
    },
  }).finally(() => {
    isOver = true;
  });
  const address = () => /http:\/\/127\.0\.0\.1:\d+/.exec(stdout.text)?.[0];
  while (address() === undefined && !isOver) await new Promise((next) => setImmediate(next));
  await work(address() ?? '');
  interrupt();
  return { ...(await ended), out: stdout.text };
}

describe('a domain in place of a command', () => {
  it('writes a config, runs it on the sandbox, says that all is simulated, and serves the workspace', async () => {
    const { path } = projectFolder(null);
    const { exitCode, out, err } = await started(['example.com'], path, {
      async work(url) {
        const page = await fetch(`${url}/`);
        expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
        const projects = await (await fetch(`${url}/v1/projects`)).text();
        expect(projects).toContain('example.com');
      },
    });
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toContain('SIMULATED: every rank and number below is invented');
    expect(existsSync(join(path, 'reports/example.com/latest/report.html'))).toBe(true);
    expect(readdirSync(path).sort()).toEqual(['data', 'keywords', 'rankledger.yaml', 'reports']);
    const again = await started(['www.example.com'], path);
    expect([again.exitCode, again.out]).toEqual([0, expect.stringContaining('Nothing is due')]);
    const other = await started(['example.org'], path);
    expect([other.exitCode, other.err]).toEqual([2, expect.stringContaining('does not track example.org')]);
  });

  it('is a public domain: a file name or a misspelt command is none', async () => {
    for (const word of ['rankledger.yaml', 'keywords.csv', 'chek', 'localhost', 'a/b.com']) {
      const { exitCode, err } = await invoke([word]);
      expect([exitCode, err]).toEqual([2, expect.stringContaining(`There is no command "${word}"`)]);
    }
  });

  it.each(['example.com', 'Example.COM', 'https://www.example.com/'])('written %s starts', async (word) => {
    expect((await invoke([word, '--help'])).out).toBe((await invoke(['start', '--help'])).out);
  });

  it.each(['localhost', 'a_b.example.com', '[::1]'])('is not %s, for which nothing is written', async (word) => {
    const { path } = projectFolder(null);
    const { exitCode, err } = await invoke(['start', word], { cwd: path });
    expect([exitCode, err]).toEqual([2, expect.stringContaining('is not a domain, such as example.com')]);
    expect(readdirSync(path)).toEqual([]);
  });
});

describe('a key in the environment', () => {
  const variablesOf = async (source: string) =>
    [...((await describeSource(source))?.facts.example ?? '').matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name);

  it('of each vendor gives a config without problems or warnings', async () => {
    const titles: string[] = [];
    for (const source of sourceNames.filter((each) => sourceKindOf(each) === 'live')) {
      const env = Object.fromEntries((await variablesOf(source)).map((name) => [name, 'a-key-of-mine']));
      const service = await environmentService(env);
      if (service === null) continue;
      titles.push(service.title);
      const starter = siteStarter('example.com', {}, service);
      if ('complaint' in starter) throw new Error(starter.complaint);
      const { path: cwd } = projectFolder(starter.config);
      const config = await loadConfig({ cwd, env, readsKeywordFiles: false });
      expect([config.warnings, config.services.get('default')]).toMatchObject([[], { options: expect.anything() }]);
    }
    expect(titles).toEqual(expect.arrayContaining(['Serper', 'SerpApi', 'DataForSEO', 'Oxylabs']));
    expect(titles.filter((title) => /Maps|own fetching/.test(title))).toEqual([]);
  });

  it('is that of the cheapest vendor all of whose variables are set', async () => {
    const titleOf = async (env: Record<string, string>) => (await environmentService(env))?.title;
    expect(await titleOf({ SERPAPI_KEY: 'one', SERPER_KEY: 'two' })).toBe('Serper');
    const yandex = { YANDEX_KEY: 'a', YANDEX_FOLDER: 'b' };
    expect(await titleOf({ ...yandex, SERPAPI_KEY: 'one' })).toBe('SerpApi');
    expect(await titleOf(yandex)).toMatch(/^Yandex/);
    expect(await titleOf({ SERPER_KEY: '', OXYLABS_USERNAME: 'me' })).toBeUndefined();
  });

  const env = { SERPER_KEY: 'canary-key' };

  /** A vendor that takes this key, and the folder of a site that buys from it. */
  async function site() {
    const vendor = closeLater(await startVendorServer());
    vendor.script = (request) => {
      if (request.headers['x-api-key'] !== env.SERPER_KEY) return { status: 403, body: { message: 'Unauthorized.' } };
      return { body: serper.page(serper.asked(request), ['https://www.example.com/shop', 'https://other.example/']) };
    };
    const service = await environmentService(env);
    const starter = siteStarter('example.com', {}, service ?? undefined);
    if ('complaint' in starter) throw new Error(starter.complaint);
    const key = '"$' + '{SERPER_KEY}"';
    const yaml = starter.config
      .replace(key, () => `${key}, baseUrl: "${vendor.url}", allowLoopback: true`)
      .replace(`keywordsFile: ${starter.keywordsPath}`, 'keywords: [example]');
    return projectFolder(yaml);
  }
  const cost =
    'Buying 1 search: at most 3 SERP credits ($0.0009 to $0.003 by list price); a run may spend 200 at most.';

  it('buys from that vendor, and prints before how much it may cost', async () => {
    const folder = await site();
    const { exitCode, out } = await started(['example.com'], folder.path, { env });
    expect(exitCode).toBe(0);
    expect(out).toContain(`SERPER_KEY is set: result pages are bought from Serper.\n${cost}`);
    expect(out).not.toContain('SIMULATED');
    expect(out).not.toContain('canary-key');
    expect(readFileSync(join(folder.path, 'reports/example.com/latest/summary.csv'), 'utf8')).toContain('serper');
  });

  it('that was wrong is corrected: the same command makes the first report', async () => {
    const folder = await site();
    const wrong = await started(['example.com'], folder.path, { env: { SERPER_KEY: 'mistyped' } });
    expect([wrong.exitCode, wrong.out]).toEqual([4, expect.stringContaining('Check the key of serper.')]);
    const right = await started(['example.com'], folder.path, { env });
    expect([right.exitCode, right.out]).toEqual([0, expect.stringContaining(cost)]);
    expect(right.out).toContain('1: 1 ok');
    const again = await started(['example.com'], folder.path, { env });
    expect(again.out).toContain('Nothing is due');
  });
});

describe('the home page of a site', () => {
  const serving = async (html: string, type = 'text/html; charset=utf-8') => {
    const server = createServer((_, response) => response.writeHead(200, { 'content-type': type }).end(html));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    closeLater({ close: () => server.closeAllConnections() ?? server.close() });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  };

  it('gives the first keywords: subjects of title and headings, no sentences, and each once', async () => {
    const html = `<!doctype html><html lang="de-AT"><head><title>Laufschuhe für Damen | Müller &amp; Sohn</title></head>
      <body><h1>Laufschuhe <em>für Damen</em></h1><h2>Trail&nbsp;Schuhe</h2><h2>Kontakt</h2>
      <h3>Wir versenden kostenlos, schon ab einem Paar!</h3><script>h2 = "<h2>falsche Worte</h2>"</script></body></html>`;
    expect(await firstKeywords(await serving(html))).toEqual({
      phrases: ['laufschuhe für damen', 'müller & sohn', 'trail schuhe'],
      market: { country: 'AT', language: 'de' },
    });
  });

  it('is left out where it is none, or does not answer', async () => {
    expect(await firstKeywords(await serving('%PDF', 'application/pdf'))).toBeNull();
    expect(await firstKeywords('http://127.0.0.1:9/')).toBeNull();
  });
});
