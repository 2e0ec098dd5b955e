// Simulated days of a service of `mode: best` over three vendors of one world, measured against the truth.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openConnection } from '../../db/connection/client.ts';
import { createSearchDataService, type PageRequest, type Source, systemClock } from '../../src/service/index.ts';
import { createSandboxSource } from '../../src/service/sources/sandbox.ts';
import { projectFolder } from '../cli/project-folder.ts';
import { runSlots } from '../cli/real-app.ts';
import { keyword, project } from './jobs.ts';

const adjectives = ['light', 'warm', 'red', 'cheap', 'wide', 'soft', 'fast', 'small', 'strong', 'dry'];
/** What the keywords of simulated shops are for. */
export const things = [
  'shoes',
  'boots',
  'tent',
  'jacket',
  'socks',
  'gloves',
  'poles',
  'watch',
  'bottle',
  'stove',
  'bag',
  'hat',
];
const keywords = things.flatMap((thing) => adjectives.map((adjective) => `${adjective} ${thing}`));

/** USD of 1,000 pages. The second is honest, and the third may lie. */
const vendorPrices = { dear: 10, slow: 3, cheap: 1 } as const;
type Vendor = keyof typeof vendorPrices;

export interface BestWorld {
  readonly seed: number;
  readonly keywords: number;
  readonly days: number;
  /** Options of the cheap vendor. */
  readonly lie?: object;
  /** Options of a vendor. */
  readonly options?: Partial<Record<Vendor, object>>;
  /** Default: all three, the dear one first. */
  readonly of?: readonly Vendor[];
}

/**
 * What a world needs whose service `best` buys `count` searches from these vendors of one sandbox, as if they were
 * live. `onFetch`: called before each page, and may throw.
 */
export async function bestParts(
  {
    of,
    at,
    count,
    depth = 1,
  }: {
    readonly of: readonly Vendor[];
    readonly at: number;
    readonly count: number;
    readonly depth?: number;
  },
  onFetch: (vendor: string, request: PageRequest) => void,
) {
  const { serp } = await createSandboxSource({ seed: 5, sites: ['acme.com'] });
  if (serp === undefined) throw new Error('the sandbox has pages');
  const service = (name: string) => {
    const source: Source = {
      serp: {
        ...serp,
        kind: 'live',
        fetchPage: async (request, context) => {
          onFetch(name, request);
          return await serp.fetchPage(request, { ...context, at });
        },
      },
    };
    return createSearchDataService({ source, clock: systemClock });
  };
  const keywords = Array.from({ length: count }, (_, index) => keyword(`running shoes ${index}`, { depth }));
  return {
    services: new Map([...of, 'best'].map((name) => [name, service(name)])),
    best: new Map([['best', { of, agreement: 0.99, microUsd: new Map(Object.entries(vendorPrices)) }]]),
    projects: [project({ service: 'best', targets: [{ match: 'domain', value: 'acme.com' }], keywords })],
  };
}

const firstDay = Date.parse('2026-01-01T06:00Z');
const dayMs = 86_400_000;

export const slotsOf = (days: number): string[] =>
  Array.from({ length: days }, (_, at) => new Date(firstDay + at * dayMs).toISOString());

/** `service`: of the project. */
export function bestConfig({ seed, keywords: count, lie, options = {}, of }: BestWorld, service: string): string {
  const vendors = Object.entries(vendorPrices).map(([name, usdPerThousand]) => {
    const own = options[name as Vendor]; // the keys of the prices
    const lies = name === 'cheap' ? lie : {};
    const world = { mode: 'embedded', source: 'sandbox', seed, sites: ['acme.com'], usdPerThousand, ...lies, ...own };
    return `  ${name}: ${JSON.stringify(world)}\n`;
  });
  return `timezone: UTC
services:
${vendors.join('')}  best: ${JSON.stringify({ mode: 'best', of: of ?? Object.keys(vendorPrices) })}
budget: { serpCredits: { perMonth: 1000000 } }
projects:
  - ${JSON.stringify({
    ...{ id: 'acme', service, targets: ['acme.com'], schedule: '0 6 * * *', depth: 1, freshFor: '1h' },
    ...{ market: { country: 'US', language: 'en', devices: ['desktop'] }, keywords: keywords.slice(0, count) },
  })}
`;
}

type Row = Readonly<Record<string, unknown>>;

/** Reads the database of a folder. */
export function readDatabase(path: string): (sql: string) => Row[] {
  return (sql) => {
    const database = openConnection(join(path, 'data/rankledger.sqlite'));
    try {
      return database.sql(sql).all() as Row[];
    } finally {
      database.close();
    }
  };
}

/** Ranks of each day by keyword; null: not found. */
function ranksIn(path: string): Map<string, Map<string, unknown>> {
  const rows = readDatabase(path)(
    `SELECT k.text AS keyword, date(r.moment / 1000, 'unixepoch') AS day, r.rank FROM rankings r
     JOIN searches s ON s.id = r.search_id JOIN keywords k ON k.id = s.keyword_id`,
  );
  const ranks = new Map<string, Map<string, unknown>>();
  for (const { keyword, day, rank } of rows) {
    const ofDay = ranks.get(String(day)) ?? new Map<string, unknown>();
    ranks.set(String(day), ofDay.set(String(keyword), rank));
  }
  return ranks;
}

/** What some days of a service of `mode: best` cost, and how right they are. */
export interface BestOutcome {
  /** By day, pages of each vendor. */
  readonly bought: ReadonlyMap<string, Readonly<Partial<Record<Vendor, number>>>>;
  /** Of what the dear vendor alone costs. */
  readonly costShare: number;
  /** Pages that were bought to compare, of all others. */
  readonly extraShare: number;
  /** Ranks that are those of the world. */
  readonly rightShare: number;
  /** Changes of a day that the world does not have. */
  readonly falseChangeShare: number;
  /** By vendor, the first day whose run names it. */
  readonly named: ReadonlyMap<string, string>;
  readonly notComparable: number;
}

const truths = new Map<string, ReturnType<typeof truthOf>>();

/** Ranks of a world without lies: the same for every lie. */
async function truthOf(world: BestWorld) {
  const { path } = await ranSlots({ seed: world.seed, keywords: world.keywords, days: world.days }, 'slow');
  return ranksIn(path);
}

async function ranSlots(world: BestWorld, service: string) {
  const folder = projectFolder(bestConfig(world, service));
  await runSlots(folder, slotsOf(world.days));
  return folder;
}

export async function afterDays(world: BestWorld): Promise<BestOutcome> {
  const { path } = await ranSlots(world, 'best');
  const key = [world.seed, world.keywords, world.days].join();
  const truth = truths.get(key) ?? truthOf(world);
  truths.set(key, truth);
  const read = readDatabase(path);
  const bought = new Map<string, Partial<Record<Vendor, number>>>();
  let [cost, pages] = [0, 0];
  for (const { day, service, count } of read(
    `SELECT date(moment / 1000, 'unixepoch') AS day, service, count(*) AS count FROM purchases GROUP BY 1, 2 ORDER BY 1, 2`,
  )) {
    bought.set(String(day), { ...bought.get(String(day)), [String(service)]: Number(count) });
    cost += Number(count) * vendorPrices[String(service) as Vendor]; // the services of the config
    pages += Number(count);
  }
  const named = new Map<string, string>();
  for (const { day, remark } of read(
    `SELECT date(moment / 1000, 'unixepoch') AS day, remark FROM runs WHERE remark IS NOT NULL ORDER BY id`,
  )) {
    const vendor = /nothing is bought from (\w+)/.exec(String(remark))?.[1];
    if (vendor !== undefined && !named.has(vendor)) named.set(vendor, String(day));
  }
  const wanted = world.keywords * world.days;
  return {
    bought,
    costShare: cost / (wanted * vendorPrices.dear),
    extraShare: (pages - wanted) / wanted,
    ...compared(ranksIn(path), await truth),
    named,
    notComparable: notComparableIn(join(path, 'reports')),
  };
}

function compared(ranks: ReturnType<typeof ranksIn>, truth: ReturnType<typeof ranksIn>) {
  let [right, all, falseChanges, changes] = [0, 0, 0, 0];
  let before: string | undefined;
  for (const [day, ofDay] of truth) {
    for (const [keyword, rank] of ofDay) {
      const found = ranks.get(day)?.get(keyword);
      all += 1;
      right += Number(found === rank);
      if (before === undefined) continue;
      changes += 1;
      const [earlier, earlierFound] = [truth, ranks].map((each) => each.get(before ?? '')?.get(keyword));
      falseChanges += Number(found !== earlierFound && rank === earlier);
    }
    before = day;
  }
  return { rightShare: right / all, falseChangeShare: falseChanges / changes };
}

function notComparableIn(folder: string): number {
  let count = 0;
  for (const { name, parentPath } of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (name === 'rank-changes.csv')
      count += readFileSync(join(parentPath, name), 'utf8').split(',not_comparable,').length - 1;
  return count;
}
