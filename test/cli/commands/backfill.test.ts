// `backfill` on the command line: options, dry runs, exit codes, and a complete backfill on the sandbox.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { afterEach, describe, expect, it } from 'vitest';
import { openApp } from '../../../src/app/app.ts';
import { SimulatedClock } from '../../../src/app/runs/simulation.ts';
import { type Invocation, invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

const start = Date.UTC(2026, 0, 15, 6);
const hourMs = 3_600_000;

let folder: ProjectFolder | undefined;
afterEach(() => {
  folder = undefined;
});

const inFolder = (argv: readonly string[], invocation: Invocation = {}) => {
  folder ??= projectFolder();
  return invoke(argv, { cwd: folder.path, ...invocation });
};

describe('the options', () => {
  it.each([
    ['backfill', 'Name a subcommand: ranks, volumes, derive, clicks, bridge, import'],
    ['backfill ranks --page 5-4', 'Write pages from 1 to 100'],
    ['backfill ranks --page 0-4', 'Write pages from 1 to 100'],
    ['backfill ranks --page x', 'Write pages from 1 to 100'],
    ['backfill ranks --depth 101', 'Write a whole number from 1 to 100'],
    ['backfill ranks --depth 3 --page 1-2', '--page and --depth exclude each other'],
    ['backfill derive --keyword a', 'Unknown option'],
  ])('%s is refused', async (line, message) => {
    const { exitCode, err } = await inFolder(line.split(' '));
    expect({ exitCode, err }).toMatchObject({ exitCode: 2, err: expect.stringContaining(message) });
  });

  it.each([
    ['backfill ranks -p missing', 'no project "missing"'],
    ['backfill ranks -k unheard', 'no keyword "unheard"'],
    ['backfill ranks -t unheard', 'no tag "unheard"'],
    ['backfill volumes -k unheard', 'no keyword "unheard"'],
    ['backfill derive --target unheard.com', 'no target "unheard.com"'],
  ])('%s names what the config lacks', async (line, message) => {
    const { exitCode, err } = await inFolder(line.split(' '), { openApp });
    expect({ exitCode, err }).toMatchObject({ exitCode: 2, err: expect.stringContaining(message) });
  });
});

const config = (keywords: string, more = '') => `timezone: UTC
services: { default: { mode: embedded, source: sandbox, seed: 3, sites: [acme.com] } }
budget: { serpCredits: { perRun: 4, perMonth: 1000 }, keywordDataUsd: { perMonth: 5 } }
projects:
  - id: acme
    targets: [acme.com]
    ${more}
    schedule: "0 6 * * *"
    depth: 2
    paging: full
    keywords: [${keywords}]
    volumes: { schedule: "0 4 2 * *" }
`;

describe('on the sandbox', () => {
  const at =
    (now: number) =>
    async (...argv: string[]) => {
      const { exitCode, out, err } = await inFolder([...argv, '--json'], {
        now,
        openApp: (loaded, options) => openApp(loaded, { clock: new SimulatedClock(now), ...options }),
      });
      expect(err).not.toContain('Error');
      return { exitCode, said: JSON.parse(out) };
    };

  it('deferred and new searches are bought later, complete the report, and leave the next slot alone', async () => {
    folder = projectFolder(config('one shoe, two shoes, three shoes'));
    const first = await at(start)('run');
    expect(first).toMatchObject({
      exitCode: 3,
      said: { runs: [{ kind: 'volumes' }, { checks: { ok: 2, deferred: 1 } }] },
    });
    folder.write('rankledger.yaml', config('one shoe, two shoes, three shoes, four shoes'));
    const later = at(start + 2 * hourMs);
    for (const [gap, searches] of [
      ['--missing', 1],
      ['--failed', 1],
      ['--keyword', 1],
      ['--depth', 4],
    ] as const) {
      const value = { '--keyword': ['three shoes'], '--depth': ['3'] }[gap as string] ?? [];
      expect((await later('backfill', 'ranks', '--dry-run', gap, ...value)).said).toMatchObject({ searches });
    }
    expect((await later('backfill', 'ranks', '--dry-run', '--missing', '--failed')).said).toMatchObject({
      projects: [{ project: 'acme', missing: 1, failed: 1 }],
      searches: 2,
      creditsWorstCase: 4,
      deferred: { checks: 0 },
    });
    const filled = await later('backfill', 'ranks');
    expect(filled).toMatchObject({ exitCode: 0, said: { runs: [{ state: 'complete', serpCredits: { spent: 4 } }] } });
    const csv = readFileSync(join(folder.path, 'reports/acme/latest/rank-changes.csv'), 'utf8').replace(/^\uFEFF/, '');
    const { data } = Papa.parse<Record<string, string>>(csv, { header: true, skipEmptyLines: true });
    const seen = new Map(data.map((row) => [row['keyword'], row['checked_at']]));
    expect(seen.get('one shoe')).toBe('2026-01-15T06:00:00.000Z');
    expect(seen.get('three shoes')).toMatch(/^2026-01-15T08:00/);
    expect(seen.get('four shoes')).toMatch(/^2026-01-15T08:00/);
    expect((await later('backfill', 'ranks')).said).toEqual({ runs: [] });
    expect((await later('report')).said).toMatchObject({
      reports: [{ rows: 4, directory: expect.stringMatching(/T0800$/) }],
    });
    expect((await later('backfill', 'volumes')).said).toMatchObject({ runs: [{ kind: 'volumes', state: 'complete' }] });
    const { said } = await later('status');
    expect(said.projects).toContainEqual(
      expect.objectContaining({ kind: 'ranks', due: false, nextSlot: '2026-01-16T06:00 UTC' }),
    );
    expect((await later('audit')).said).toMatchObject({ ok: true });
  });

  it('a new competitor gets its history at no cost', async () => {
    folder = projectFolder(config('one shoe, two shoes'));
    for (const day of [0, 1, 2]) await at(start + day * 24 * hourMs)('run');
    folder.write('rankledger.yaml', config('one shoe, two shoes', 'competitors: [wikipedia.org]'));
    const later = at(start + 50 * hourMs);
    const counted = (await later('backfill', 'derive', '--dry-run')).said;
    expect(counted).toMatchObject({ checks: 6, known: 0 });
    const derived = await later('backfill', 'derive', '--target', 'wikipedia.org');
    expect(derived).toMatchObject({ exitCode: 0, said: { added: counted.added, interrupted: false } });
    const { ranked, notFound } = counted.added;
    expect(ranked + notFound).toBe(6);
    expect((await later('backfill', 'derive')).said).toMatchObject({
      known: 6,
      added: { ranked: 0, notFound: 0, notFollowed: 0, seen: 0 },
    });
    const history = (await later('history', 'one shoe', '--target', 'wikipedia.org')).said;
    expect(JSON.stringify(history)).toContain('wikipedia.org');
    expect((await later('audit')).said).toMatchObject({ ok: true });
  });

  it('prints what it would do and what it has done', async () => {
    folder = projectFolder(config('one shoe'));
    const say = (...argv: string[]) =>
      inFolder(['backfill', ...argv], {
        now: start,
        openApp: (loaded, options) => openApp(loaded, { clock: new SimulatedClock(start), ...options }),
      });
    expect((await say('ranks', '--dry-run')).out).toMatch(/acme +1 +0\n[\s\S]*SERP credits {2}2 expected, 2 at worst/);
    expect((await say('volumes', '--dry-run')).out).toMatch(/At most 1 request and \$0\.01/);
    expect((await say('ranks')).out).toMatch(/Ranks, run 1: acme 2026-01-15T06:00:00\.000\n/);
    expect((await say('ranks')).out).toMatch(/^Nothing is missing/);
    expect((await say('volumes')).out).toMatch(/Search volumes, run 2/);
    expect((await say('volumes', '--force')).out).toMatch(/Search volumes, run 3/);
    expect((await say('volumes')).out).toMatch(/^Nothing is missing/);
    expect((await say('derive')).out).toMatch(/1 examined, 1 of them known already\n +added +0 rankings/);
  });
});
