// Knowledge points one way: every import in the product against the table of DESIGN.md section 1 (repeated in ARCHITECTURE.md).
import { readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { productFiles } from './helpers/files.ts';

type Room = 'service' | 'tracker' | 'report' | 'import' | 'config' | 'db' | 'jobs' | 'app' | 'cli';

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

/** What each room may import: `value`, or `type` where types are all. Its own files are always free, see the sibling rules below. */
const table: Readonly<Record<Room, Partial<Record<Room, 'value' | 'type'>>>> = {
  service: {},
  tracker: { service: 'type' },
  report: { tracker: 'value' },
  import: { tracker: 'value' },
  config: { service: 'value', tracker: 'value' },
  db: { service: 'type', tracker: 'value' },
  jobs: { service: 'value', tracker: 'value', report: 'value', import: 'value', db: 'value' },
  app: {
    service: 'value',
    tracker: 'value',
    report: 'value',
    import: 'value',
    config: 'value',
    db: 'value',
    jobs: 'value',
  },
  cli: { service: 'value', tracker: 'value', report: 'value', import: 'value', config: 'value', app: 'value' },
};

function roomOf(file: string): Room | null {
  if (/^src\/app(\.ts$|\/)/.test(file)) return 'app';
  const found = /^(?:src\/)?(service|tracker|report|import|config|db|jobs|cli)\//.exec(file);
  return found === null ? null : (found[1] as Room);
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8');
  const found: Import[] = [];
  const pattern =
    /^\s*(?:import|export)\s+(type\s+)?([^'"`;]*?)\s*from\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|^import\s+'([^']+)'/gm;
  for (const [, typeWord, names, named, dynamic, bare] of text.matchAll(pattern)) {
    const to = named ?? dynamic ?? bare ?? '';
    const members = (names ?? '')
      .replace(/[{}]/g, '')
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean);
    const typeOnly =
      typeWord !== undefined || (members.length > 0 && members.every((name) => name.startsWith('type ')));
    found.push({ from: file, to: to.startsWith('.') ? posix.normalize(posix.join(dirname(file), to)) : to, typeOnly });
  }
  return found;
}

const files = productFiles();
const imports = files.flatMap(importsOf);
const own = imports.filter(({ to }) => roomOf(to) !== null);
const shown = ({ from, to }: Import): string => `${from} -> ${to}`;

describe('imports', () => {
  it('are found at all, so that the rules below have something to hold', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(own.length).toBeGreaterThan(300);
  });

  it('follow the table: no room knows what it may not', () => {
    const broken = own.filter(({ from, to, typeOnly }) => {
      const [a, b] = [roomOf(from), roomOf(to)];
      if (a === null || b === null || a === b) return false;
      const allowed = table[a][b];
      return allowed === undefined || (allowed === 'type' && !typeOnly);
    });
    expect(broken.map(shown)).toEqual([]);
  });

  it('enter the service core by its only door', () => {
    const past = own.filter(
      ({ from, to }) => roomOf(from) !== 'service' && roomOf(to) === 'service' && to !== 'src/service/index.ts',
    );
    expect(past.map(shown)).toEqual([]);
  });

  it('give the commands values of the service only lazily, and of the app only through its root', () => {
    const past = own.filter(({ from, to }) => roomOf(from) === 'cli' && roomOf(to) === 'app' && to !== 'src/app.ts');
    expect(past.map(shown)).toEqual([]);
  });

  it('never run between siblings: sources, steps of a run, commands, reports', () => {
    const families = [
      /^src\/service\/sources\/(?!source\.ts|(metrics-)?registry\.ts)[a-z-]+\.ts$/,
      // a step of a run is named by what it does; what steps share is a noun
      /^jobs\/(plan|check|refresh|close|write|backfill|prune|ask)-(run|search|volumes|report|service|history)\.ts$/,
      /^src\/cli\/commands\/[a-z-]+\.ts$/,
      /^src\/report\/(rank-changes|summary|movers|manifest|competitors|serp-features|serp-movement|cannibalization|discovered-competitors)\.ts$/,
    ];
    const broken = own.filter(
      ({ from, to, typeOnly }) =>
        from !== to && !typeOnly && families.some((family) => family.test(from) && family.test(to)),
    );
    expect(broken.map(shown)).toEqual([]);
  });
});

describe('packages', () => {
  const users = (name: string): string[] =>
    [
      ...new Set(files.filter((file) => new RegExp(`['"]${name}(/[^'"]*)?['"]`).test(readFileSync(file, 'utf8')))),
    ].sort();

  it('of the store stay in db', () => {
    for (const name of ['drizzle-orm', 'better-sqlite3']) {
      expect(users(name).filter((file) => !file.startsWith('db/'))).toEqual([]);
    }
  });

  it('of the queue stay in its driver', () => {
    const importing = imports.filter(({ to }) => /^(bullmq|ioredis)$/.test(to));
    expect(importing.filter(({ from }) => !/^jobs\/(queue-)?bullmq[a-z-]*\.ts$/.test(from)).map(shown)).toEqual([]);
  });

  it('that cost start-up time are loaded by the files that need them only', () => {
    expect(users('htmlparser2').filter((file) => !file.startsWith('src/service/engines/'))).toEqual([]);
    expect(users('undici').filter((file) => !file.startsWith('src/service/'))).toEqual([]);
  });
});

describe('the outside world', () => {
  const holding = (pattern: RegExp, allowed: (file: string) => boolean): string[] =>
    files.filter((file) => !allowed(file) && pattern.test(readFileSync(file, 'utf8')));

  it('reaches the product through one reader of the environment', () => {
    expect(holding(/\bprocess\.env\b/, (file) => file === 'config/load.ts')).toEqual([]);
  });

  it('is printed to by the commands only', () => {
    expect(holding(/\bconsole\.|process\.std(out|err)/, (file) => file.startsWith('src/cli/'))).toEqual([]);
  });

  it('has names of vendors and engines only where pages come from', () => {
    const vendors =
      /\b(google|bing|duckduckgo|dataforseo|serpapi|serper|brightdata|oxylabs|zenserp|hasdata|searxng)\b/i;
    const allowed = (file: string): boolean =>
      /^src\/service\/(sources|engines)\//.test(file) || /^src\/cli\//.test(file) || file === 'src/service/serp.ts';
    const naming = files.filter((file) => !allowed(file) && vendors.test(withoutComments(readFileSync(file, 'utf8'))));
    expect(naming).toEqual([]);
  });
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '');
}
