// `check`: what is tracked and its worst-case cost.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openApp } from '../../../src/app/app.ts';
import { type Invocation, invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';
import { runSlots } from '../real-app.ts';

let folder: ProjectFolder;
beforeAll(() => {
  folder = projectFolder();
});

const inFolder = (argv: readonly string[], invocation: Invocation = {}) =>
  invoke(argv, { cwd: folder.path, ...invocation });

describe('check', () => {
  test('prints what is tracked and its worst-case cost', async () => {
    const { exitCode, out } = await inFolder(['check', '--json']);
    expect(exitCode).toBe(0);
    const acme = JSON.parse(out).projects[0];
    // 2 searches of depth 3, one of depth 1: 7 credits; deep 3 x 10. 31 runs, 5 deep. Two keyword requests at 0.01 USD.
    expect(acme).toMatchObject({
      keywords: 2,
      searches: 3,
      slotsPerMonth: 31,
      creditsPerRun: 7,
      creditsPerDeepRun: 30,
      creditsPerMonth: 26 * 7 + 5 * 30,
      keywordRequestsPerMonth: 2,
      microUsdPerMonth: 20_000,
      costsMoney: false,
    });
  });

  test('counts paused keywords apart, in text where there are any', async () => {
    expect((await inFolder(['check'])).out).not.toContain('paused');
    const paused = projectFolder(
      'projects: [{ id: acme, targets: [acme.com], keywords: [hats], keywordsFile: words.csv }, { id: blog, targets: [blog.com], keywords: [hats] }]\n',
    );
    paused.write('words.csv', 'keyword,paused\nsocks,yes\nboots,\nbelts,yes\n');
    const { out } = await invoke(['check', '--json'], { cwd: paused.path });
    expect(JSON.parse(out).projects).toMatchObject([
      { keywords: 2, paused: 2 },
      { keywords: 1, paused: 0 },
    ]);
    expect((await invoke(['check'], { cwd: paused.path })).out).toMatch(
      /project +keywords +paused +searches.*\n +acme +2 +2 +2/,
    );
  });

  test('shows the expected month beside the worst, against the budget, where there is history', async () => {
    expect(JSON.parse((await inFolder(['check', '--json', '--forecast'])).out).expectedMonth).toBeNull();
    const lived = projectFolder();
    mkdirSync(join(lived.path, 'data'));
    writeFileSync(join(lived.path, 'data/rankledger.sqlite'), 'history');
    const broken = await invoke(['check', '--forecast'], { cwd: lived.path });
    expect([broken.exitCode, broken.out.includes(', expected ')]).toEqual([1, false]);
    rmSync(join(lived.path, 'data'), { recursive: true });
    await runSlots(lived, ['2026-01-14T06:00+01:00', '2026-01-15T06:00+01:00']);
    const { out } = await invoke(['check', '--forecast'], { cwd: lived.path });
    expect(out).toMatch(/at worst 332 a month \(332 %\), expected \d+ \(\d+ %\)/);
    expect(out).toContain('Expected: the next 31 days, simulated from your history.');
  });

  test('warns if the worst case exceeds the budget', async () => {
    const { out } = await inFolder(['check']);
    expect(out).toContain('OK  rankledger.yaml');
    expect(out).toContain('20 a run, 100 a month');
    expect(out).toContain('a run of acme may take 30 credits: 10 would be deferred');
    expect(out).toContain('a month may take 332 credits: 232 would be deferred');
  });

  test('says what bounds the speed of a run, for each service that sends requests', async () => {
    const remote = `mode: remote, baseUrl: http://127.0.0.1:9, user: u, password: "\${SECRET}"`;
    const paced = projectFolder(`services:
  default: { ${remote}, concurrency: 50, requestsPerSecond: 10 }
  vendor: { mode: embedded, source: serper, apiKey: "\${SECRET}" }
  third: { mode: embedded, source: serper, apiKey: "\${SECRET}", concurrency: 5 }
  both: { mode: best, of: [vendor, third] }
  free: { mode: embedded, source: sandbox }
queue: { driver: embedded, concurrency: 40 }
projects:
  - { id: acme, targets: [acme.com], keywords: [running shoes] }
  - { id: best, targets: [acme.com], keywords: [running shoes], service: both }
  - { id: free, targets: [acme.com], keywords: [running shoes], service: free }
`);
    const { out, err } = await invoke(['check'], { cwd: paced.path, env: { SECRET: 'abcdefghij0123456789' } });
    expect(err).toBe('');
    expect(out.split('\n').filter((line) => line.includes('pace of'))).toEqual([
      '  pace of default  10 requests a second, 40 at once; the first bounds a run where answers take less than 4 s',
      '  pace of third    50 requests a second, 5 at once; the first bounds a run where answers take less than 0.1 s',
      '  pace of vendor   50 requests a second, 20 at once; the first bounds a run where answers take less than 0.4 s',
    ]);
    expect(
      JSON.parse((await invoke(['check', '--json'], { cwd: paced.path, env: { SECRET: 'abcdefghij0123456789' } })).out)
        .paces[0],
    ).toEqual({
      service: 'default',
      requestsPerSecond: 10,
      concurrency: 40,
      heldBackBelowMs: 4000,
    });
  });

  test('opens the sources of embedded services, names each unusable one, and exits with 2', async () => {
    const config = `services:
  default: { mode: embedded, source: replay, dir: no-such-folder }
  other: { mode: embedded, source: replay, dir: empty, index: none.csv }
projects:
  - { id: acme, targets: [acme.com], keywords: [running shoes] }
`;
    const broken = projectFolder(config);
    for (const words of [['check'], ['run', '--all']]) {
      const { exitCode, err } = await invoke(words, { cwd: broken.path, openApp });
      expect(exitCode).toBe(2);
      expect(err).toMatch(/services\.default: .*no-such-folder/);
      expect(err).toMatch(/services\.other: .*empty/);
    }
  });

  test('names volumes that no source sells, and exits with 2', async () => {
    const config = `services:
  default: { mode: embedded, source: serper, apiKey: "\${PATH_OF_KEY}" }
projects:
  - { id: acme, targets: [acme.com], keywords: [running shoes], volumes: { schedule: "0 4 2 * *" } }
budget: { serpCredits: { perRun: 10 } }
`;
    const env = { PATH_OF_KEY: 'first-key-123' };
    const lacking = projectFolder(config);
    const whole = projectFolder(
      config.replace('KEY}" }', `KEY}", metrics: { source: semrush, apiKey: "\${PATH_OF_KEY}" } }`),
    );
    const [without, withMetrics] = [
      await invoke(['check'], { cwd: lacking.path, env }),
      await invoke(['check'], { cwd: whole.path, env }),
    ];
    expect([without.exitCode, withMetrics.exitCode]).toEqual([2, 0]);
    expect(without.err).toContain('the source "serper" of the service "default" has no keyword metrics');
  });

  test('names searches that their source would refuse in every run, and exits with 2', async () => {
    const config = `services:
  default: { mode: embedded, source: serper, apiKey: "\${PATH_OF_KEY}" }
projects:
  - id: acme
    targets: [acme.com]
    market: { devices: [desktop, mobile] }
    keywords: [running shoes, trail shoes]
budget: { serpCredits: { perRun: 10 } }
`;
    const lacking = projectFolder(config);
    const { exitCode, err } = await invoke(['check'], { cwd: lacking.path, env: { PATH_OF_KEY: 'first-key-123' } });
    expect(exitCode).toBe(2);
    expect(err).toContain(
      'projects[0].market.devices: the service "default" (serper) has no mobile pages; track desktop only, or use another source',
    );
    expect(err).not.toContain('first-key');
  });
});
