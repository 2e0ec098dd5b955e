// Imports point one way: every import of the product against the table of ARCHITECTURE.md.
import { readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { productFiles } from './helpers/files.ts';

type Room =
  | 'service'
  | 'tracker'
  | 'read'
  | 'report'
  | 'import'
  | 'config'
  | 'db'
  | 'jobs'
  | 'workspace'
  | 'app'
  | 'cli';

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
  readonly isDynamic: boolean;
}

/** What each folder may import: `value`, or `type` for types only. Its own files are always allowed, see below. */
const table: Readonly<Record<Room, Partial<Record<Room, 'value' | 'type'>>>> = {
  service: {},
  tracker: { service: 'type' },
  read: { tracker: 'value' },
  report: { tracker: 'value', read: 'value' },
  import: { tracker: 'value' },
  workspace: { tracker: 'value', read: 'value', report: 'value' },
  config: { service: 'value', tracker: 'value', read: 'value' },
  db: { service: 'type', tracker: 'value' },
  jobs: {
    service: 'value',
    tracker: 'value',
    read: 'value',
    report: 'value',
    import: 'value',
    workspace: 'value',
    db: 'value',
  },
  app: {
    service: 'value',
    tracker: 'value',
    read: 'value',
    report: 'value',
    import: 'value',
    workspace: 'value',
    config: 'value',
    db: 'value',
    jobs: 'value',
  },
  cli: {
    service: 'value',
    tracker: 'value',
    read: 'value',
    report: 'value',
    import: 'value',
    workspace: 'value',
    config: 'value',
    app: 'value',
    db: 'value',
    jobs: 'value',
  },
};

function roomOf(file: string): Room | null {
  if (file.startsWith('src/app/')) return 'app';
  const found = /^(?:src\/)?(service|tracker|read|report|import|workspace|config|db|jobs|cli)\//.exec(file);
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
    found.push({
      from: file,
      to: to.startsWith('.') ? posix.normalize(posix.join(dirname(file), to)) : to,
      typeOnly,
      isDynamic: dynamic !== undefined,
    });
  }
  return found;
}

const files = productFiles();
const imports = files.flatMap(importsOf);
const own = imports.filter(({ to }) => roomOf(to) !== null);
const shown = ({ from, to }: Import): string => `${from} -> ${to}`;

describe('imports', () => {
  it('are found, so that the rules below check something', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(own.length).toBeGreaterThan(300);
  });

  it('follow the table', () => {
    const broken = own.filter(({ from, to, typeOnly }) => {
      const [a, b] = [roomOf(from), roomOf(to)];
      if (a === null || b === null || a === b) return false;
      const allowed = table[a][b];
      return allowed === undefined || (allowed === 'type' && !typeOnly);
    });
    expect(broken.map(shown)).toEqual([]);
  });

  it('enter the service core only through its three doors', () => {
    const past = own.filter(
      ({ from, to }) =>
        roomOf(from) !== 'service' &&
        roomOf(to) === 'service' &&
        !['src/service/index.ts', 'src/service/terms.ts', 'src/service/client/client.ts'].includes(to),
    );
    expect(past.map(shown)).toEqual([]);
  });

  it('of the workspace by the config are saved views and types only', () => {
    const past = own.filter(
      ({ from, to, typeOnly }) =>
        roomOf(from) === 'config' && roomOf(to) === 'workspace' && !typeOnly && to !== 'src/read/saved-view.ts',
    );
    expect(past.map(shown)).toEqual([]);
  });

  it('load a command when it runs: only the files of commands import the app, jobs and the database', () => {
    const isCommand = /^src\/cli\/(commands|subcommands)\//;
    const atStart = own.filter(
      ({ from, to, typeOnly, isDynamic }) =>
        roomOf(from) === 'cli' &&
        !isCommand.test(from) &&
        ['app', 'jobs', 'db'].includes(roomOf(to) ?? '') &&
        !typeOnly &&
        !isDynamic,
    );
    expect(atStart.map(shown)).toEqual([]);
  });

  it('never connect siblings: sources, steps of a run, commands, reports', () => {
    const families = [
      /^src\/service\/sources\/(?!((metrics|answer)-)?registry\.ts)[a-z-]+\.ts$/,
      // a step of a run is named by what it does; what steps share is a noun
      /^jobs\/[a-z]+\/(?:[a-z]+\/)?(plan|check|refresh|close|write|backfill|prune|ask)-(run|search|volumes|report|service|history)\.ts$/,
      /^src\/cli\/commands\/[a-z-]+\.ts$/,
      /^src\/report\/tables\/(rank-changes|summary|movers|manifest|competitors|serp-features|serp-movement|cannibalization|discovered-competitors)\.ts$/,
    ];
    const broken = own.filter(
      ({ from, to, typeOnly }) =>
        from !== to && !typeOnly && families.some((family) => family.test(from) && family.test(to)),
    );
    expect(broken.map(shown)).toEqual([]);
  });
});

/** What the folders inside a folder may import from each other. `.` holds its own files. */
const inside: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'src/service': {
    model: [],
    access: ['model'],
    engines: ['model'],
    net: ['model', 'access', 'engines'],
    core: ['model', 'access', 'engines', 'net'],
    client: ['model', 'access', 'engines', 'net', 'core'],
    sources: ['model', 'access', 'engines', 'net', 'core', 'client'],
    server: ['model', 'access', 'engines', 'net', 'core', 'client'],
    '.': ['model', 'access', 'engines', 'net', 'core', 'client', 'sources', 'server'],
  },
  'src/report': {
    formats: [],
    tables: ['formats'],
    html: ['formats', 'tables'],
    alerts: ['formats', 'tables'],
  },
  'src/tracker': {
    schedule: [],
    '.': ['schedule'],
    targets: ['.', 'schedule'],
    trust: ['.', 'schedule'],
    intent: ['.', 'schedule'],
    answers: ['.', 'schedule', 'targets'],
    changes: ['.', 'schedule'],
    clicks: ['.', 'schedule'],
    signal: ['.', 'schedule', 'trust', 'changes'],
    causes: ['.', 'schedule', 'changes', 'signal', 'targets'],
  },
  'src/import': {
    text: [],
    cells: [],
    history: ['text', 'cells'],
    keywords: ['text', 'cells', 'history'],
    lists: ['text', 'cells', 'history', 'keywords'],
  },
  'src/cli': {
    terminal: ['.', 'text'],
    text: ['.', 'terminal'],
    subcommands: ['.', 'terminal', 'text'],
    commands: ['.', 'terminal', 'text', 'subcommands'],
    '.': ['terminal', 'text', 'commands'],
  },
  'src/app': {
    opening: [],
    '.': ['opening'],
    preflight: ['.', 'opening'],
    import: ['.', 'opening'],
    reports: ['.', 'opening'],
    runs: ['.', 'opening', 'reports'],
    workspace: ['.', 'opening', 'import', 'runs'],
    forecast: ['.', 'opening', 'preflight', 'runs'],
  },
  'src/read': {
    '.': [],
    sums: ['.'],
  },
  'src/workspace': {
    '.': [],
    embedded: ['.'],
    server: ['.'],
    web: ['.', 'embedded'],
    mcp: ['.'],
    editing: ['.', 'mcp', 'server'],
  },
  db: {
    schema: [],
    connection: ['schema'],
    accounts: ['schema', 'connection'],
    dataset: ['schema', 'connection'],
    ledger: ['schema', 'connection'],
    history: ['schema', 'connection', 'ledger'],
    reads: ['schema', 'connection', 'ledger', 'history'],
    integrity: ['schema', 'connection', 'ledger', 'history', 'reads'],
    '.': ['schema', 'connection', 'accounts', 'dataset', 'ledger', 'history', 'reads', 'integrity'],
  },
  jobs: {
    '.': [],
    queue: ['.'],
    clicks: ['.'],
    read: ['.', 'clicks', 'purchase', 'query'],
    report: ['.', 'clicks', 'read'],
    purchase: ['.', 'queue'],
    check: ['.', 'queue', 'purchase'],
    volumes: ['.', 'queue', 'purchase', 'check'],
    answers: ['.', 'queue', 'purchase', 'check'],
    alerts: ['.', 'read', 'report', 'purchase'],
    run: ['.', 'clicks', 'queue', 'read', 'report', 'purchase', 'check', 'volumes', 'answers', 'alerts'],
    backfill: ['.', 'queue', 'purchase', 'check', 'volumes', 'run'],
    query: ['.', 'queue', 'purchase', 'check', 'volumes', 'answers', 'run', 'causes'],
  },
};

/** The subfolder of a file in one of the folders of that table; `.` for the folder itself. */
function folderOf(file: string): { readonly room: string; readonly folder: string } | null {
  const room = Object.keys(inside).find((name) => file.startsWith(`${name}/`));
  if (room === undefined) return null;
  const [folder = '', ...rest] = file.slice(room.length + 1).split('/');
  return { room, folder: rest.length === 0 ? '.' : folder };
}

describe('imports inside a folder', () => {
  it('follow the order of its folders', () => {
    const broken = own.filter(({ from, to }) => {
      const [a, b] = [folderOf(from), folderOf(to)];
      if (a === null || b === null || a.room !== b.room || a.folder === b.folder) return false;
      return !inside[a.room]?.[a.folder]?.includes(b.folder);
    });
    expect(broken.map(shown)).toEqual([]);
  });

  it('come from folders that the table names', () => {
    const unknown = files.filter((file) => {
      const location = folderOf(file);
      return location !== null && inside[location.room]?.[location.folder] === undefined;
    });
    expect(unknown).toEqual([]);
  });
});

describe('import cycles', () => {
  it('do not exist, type-only ones included', () => {
    const importedBy = new Map<string, string[]>();
    for (const { from, to } of own) importedBy.set(from, [...(importedBy.get(from) ?? []), to]);
    expect(cyclesIn(importedBy)).toEqual([]);
  });

  it('are detected', () => {
    const importedBy = new Map([
      ['a.ts', ['b.ts']],
      ['b.ts', ['c.ts', 'd.ts']],
      ['c.ts', ['a.ts']],
    ]);
    expect(cyclesIn(importedBy)).toEqual(['a.ts -> b.ts -> c.ts -> a.ts']);
  });
});

/** One cycle for each import that closes one, found depth first. */
function cyclesIn(importedBy: ReadonlyMap<string, readonly string[]>): string[] {
  const cycles: string[] = [];
  const finished = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    if (path.includes(file) || finished.has(file)) return;
    for (const next of importedBy.get(file) ?? []) visit(next, [...path, file]);
    finished.add(file);
  };
  for (const file of importedBy.keys()) visit(file, []);
  return cycles;
}

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
    expect(importing.filter(({ from }) => !from.startsWith('jobs/queue/bullmq/')).map(shown)).toEqual([]);
  });

  it('that cost start-up time are loaded only by the files that need them', () => {
    expect(users('htmlparser2')).toEqual(['src/import/lists/home-page.ts', 'src/service/sources/yandex.ts']);
    for (const name of ['parse5', 'css-tree', 'css-select'])
      expect(users(name).filter((file) => !file.startsWith('src/service/engines/page/'))).toEqual([]);
    expect(users('undici').filter((file) => !file.startsWith('src/service/'))).toEqual([]);
  });
});

describe('the product', () => {
  const holding = (pattern: RegExp, allowed: (file: string) => boolean): string[] =>
    files.filter((file) => !allowed(file) && pattern.test(readFileSync(file, 'utf8')));

  it('reads the environment in one file', () => {
    expect(holding(/\bprocess\.env\b/, (file) => file === 'config/load.ts')).toEqual([]);
  });

  it('prints only from commands', () => {
    expect(holding(/(?<!-)\bconsole\.|process\.std(out|err)/, (file) => file.startsWith('src/cli/'))).toEqual([]);
  });

  it('names vendors and engines only in sources and engines', () => {
    const vendors =
      /\b(google|bing|duckduckgo|dataforseo|serpapi|serper|brightdata|oxylabs|zenserp|hasdata|searxng)\b/i;
    const allowed = (file: string): boolean =>
      /^src\/service\/(sources|engines)\//.test(file) ||
      /^src\/cli\//.test(file) ||
      file === 'src/service/model/results/serp.ts';
    const naming = files.filter((file) => !allowed(file) && vendors.test(withoutComments(readFileSync(file, 'utf8'))));
    expect(naming).toEqual([]);
  });
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '');
}
