// Days of a service of `mode: best` over vendors of one world, each with its own noise, of which one may lie a little.

import { SourceChoice } from '../../jobs/check/source-choice.ts';
import {
  createSearchDataService,
  type PageRequest,
  type ReadPage,
  type SerpSource,
  type Source,
} from '../../src/service/index.ts';
import { derive, hashText, unit } from '../../src/service/sources/sandbox/random.ts';
import { createSandboxSource } from '../../src/service/sources/sandbox.ts';
import { getOrInsert } from '../../src/tracker/maps.ts';
import { things } from './best-service.ts';
import { JobClock } from './job-clock.ts';
import { keyword, project, World } from './jobs.ts';
import { seeded } from './seeded.ts';

const dayMs = 86_400_000;
const firstDay = Date.parse('2026-01-01T06:00Z');
export const own = 'acme.com';
export const rival = 'rival.com';
/** USD of 1,000 pages. */
const prices = { dear: 10, slow: 3, cheap: 1 } as const;
type Vendor = keyof typeof prices;
const vendors = Object.keys(prices) as Vendor[]; // its keys are vendors

/** A page, as a lie sees it. `chance`: evenly spread, the same for the same search, day and number. */
export interface Shown {
  readonly keyword: string;
  readonly day: number;
  readonly mobile: boolean;
  chance(number: number): number;
}

/** Results from the first page on, as a vendor sells them. `perPage`: how many the first page has. */
export type SmallLie = (links: readonly string[], shown: Shown, perPage: number) => readonly string[];

const isOf = (site: string) => (link: string) => {
  const host = new URL(link).hostname;
  return host === site || host.endsWith(`.${site}`);
};

/** A site so many ranks better, or worse where it is negative. */
export const better =
  (site: string, ranks: number): SmallLie =>
  (links) => {
    const at = links.findIndex(isOf(site));
    const to = at - ranks;
    if (at === -1 || to < 0 || to >= links.length) return links;
    const others = links.toSpliced(at, 1);
    return others.toSpliced(to, 0, links[at] ?? '');
  };
export const removed =
  (site: string): SmallLie =>
  (links) =>
    links.filter((link) => !isOf(site)(link));
/** Two neighbours change places; the first has this 1-based rank. */
export const swapped =
  (rank: number): SmallLie =>
  (links) => {
    const [first, second] = [links[rank - 1], links[rank]];
    return first === undefined || second === undefined ? links : links.toSpliced(rank - 1, 2, second, first);
  };
export const anotherNeighbour: SmallLie = (links, shown, perPage) =>
  swapped(1 + (shown.day % 9))(links, shown, perPage);
/** Only where this holds. */
export const where =
  (holds: (shown: Shown) => boolean, lie: SmallLie): SmallLie =>
  (links, shown, perPage) =>
    holds(shown) ? lie(links, shown, perPage) : links;
/** Below page 1 only. */
export const below =
  (lie: SmallLie): SmallLie =>
  (links, shown, perPage) => [...links.slice(0, perPage), ...lie(links.slice(perPage), shown, perPage)];

export interface LyingWorld {
  readonly seed: number;
  readonly days: number;
  /** Default: 80. */
  readonly keywords?: number;
  /** Default: 1. */
  readonly depth?: number;
  readonly paging?: 'full' | 'until-found';
  /** Default: desktop. */
  readonly devices?: readonly ('desktop' | 'mobile')[];
  /** Of neighbours in a page, so many changed places, and a quarter as many results are missing: of each vendor. */
  readonly noise: number;
  /** Days for which noise lasts. Default: 5. */
  readonly lastsDays?: number;
  /** What the cheapest vendor does, from day 5. */
  readonly lie?: SmallLie;
}

export interface LyingOutcome {
  /** By vendor, days from the beginning of the lie until it is named. */
  readonly named: ReadonlyMap<string, number>;
  /** Honest vendors that were named. */
  readonly wronglyNamed: readonly string[];
  /** Of all ranks of the two sites, those that the lie made. */
  readonly wrongShare: number;
  readonly costShare: number;
  readonly extraShare: number;
  /** Checks that are not complete. */
  readonly incomplete: number;
  readonly because: readonly string[];
}

const liesFrom = 4;

function noisy(links: readonly string[], chance: (number: number) => number, noise: number): string[] {
  const kept = links.filter((_, at) => chance(1000 + at) >= noise / 4);
  for (let at = 0; at + 1 < kept.length; at += 1) {
    if (chance(at) >= noise) continue;
    kept.splice(at, 2, kept[at + 1] ?? '', kept[at] ?? '');
    at += 1;
  }
  return kept;
}

const never = new AbortController().signal;
const known = new Map<string, Promise<readonly ReadPage[]>>();

/** Pages of the world: the same for every lie. */
function truePages(serp: SerpSource, seed: number, request: PageRequest, at: number, pagesMax: number) {
  const { keyword: text, mobile } = request;
  return getOrInsert(known, [seed, text, mobile, at, pagesMax].join('\n'), () =>
    Promise.all(
      Array.from({ length: pagesMax }, async (_, index) => {
        const asked = { ...request, page: index + 1 };
        const { body } = await serp.fetchPage(asked, { at, signal: never });
        return serp.readPage(body, asked);
      }),
    ),
  );
}

/** Sells pages of the world with its own noise, and the lie. */
function vendorOf(serp: SerpSource, vendor: Vendor, world: LyingWorld, wrong: Set<string>): Source {
  const pagesMax = (world.depth ?? 1) + 1;
  return {
    serp: {
      name: 'sandbox',
      kind: 'sandbox',
      async fetchPage(request, { at }) {
        const day = Math.floor(at / dayMs);
        const pages = await truePages(serp, world.seed, request, at, pagesMax);
        const all = pages.flatMap(({ serp: { organic = [] } }) => organic);
        const byLink = new Map(all.map((result) => [result.link, result]));
        const { keyword: text, mobile } = request;
        const key = hashText(`${vendor}\n${text}\n${mobile}`, world.seed);
        // the noise of each search begins on another day
        const lasts = world.lastsDays ?? 5;
        const block = Math.floor((day + Math.floor(unit(derive(key, 1)) * lasts)) / lasts);
        const honest = noisy(
          [...byLink.keys()],
          (number) => unit(derive(derive(key, 100 + number), block)),
          world.noise,
        );
        const lieKey = derive(hashText(`${text}\n${mobile}`, world.seed), 7);
        const shown = {
          ...{ keyword: text, mobile, day: day - Math.floor(firstDay / dayMs) },
          chance: (number: number) => unit(derive(derive(lieKey, number), day)),
        };
        const isLying = vendor === 'cheap' && shown.day >= liesFrom && world.lie !== undefined;
        const perPage = pages[0]?.serp.organic?.length ?? 10;
        const sold = isLying ? (world.lie?.(honest, shown, perPage) ?? honest) : honest;
        const depth = all.length - (pages[pagesMax - 1]?.serp.organic?.length ?? 0);
        for (const site of [own, rival]) {
          const [shownAt, standsAt] = [sold, honest].map((links) => links.slice(0, depth).findIndex(isOf(site)));
          if (shownAt !== standsAt) wrong.add(`${site} ${text} ${mobile ? 'mobile' : 'desktop'} ${shown.day}`);
        }
        const counts = pages.map(({ serp: { organic = [] } }) => organic.length);
        const from = counts.slice(0, request.page - 1).reduce((sum, each) => sum + each, 0);
        const own_ = pages[request.page - 1];
        const organic = sold.slice(from, from + (counts[request.page - 1] ?? 0)).flatMap((link, index) => {
          const result = byLink.get(link);
          return result === undefined ? [] : [{ ...result, rank: index + 1, global_rank: undefined }];
        });
        const page = { ...own_, serp: { ...own_?.serp, organic } };
        return { body: { contentType: 'application/json', text: JSON.stringify(page) }, observedAt: at };
      },
      readPage: ({ text }) => JSON.parse(text),
    },
  };
}

export async function afterLyingDays(options: LyingWorld): Promise<LyingOutcome> {
  const { seed, days, keywords: count = 80, depth = 1, paging = 'full', devices = ['desktop'] } = options;
  const { serp } = await createSandboxSource({ seed, sites: [own, rival] });
  if (serp === undefined) throw new Error('the sandbox has pages');
  const clock = new JobClock(firstDay);
  const wrong = new Set<string>();
  const service = (vendor: Vendor) =>
    createSearchDataService({ source: vendorOf(serp, vendor, options, wrong), clock });
  const services = new Map(
    [...vendors, 'best'].map((name) => [name, service(name === 'best' ? 'dear' : (name as Vendor))]),
  );
  const microUsd = new Map<string, number>(Object.entries(prices));
  const words = ['light', 'warm', 'red', 'cheap', 'wide', 'soft', 'fast', 'small', 'strong', 'dry', 'old', 'new'];
  const texts = things.flatMap((thing) => words.map((word) => `${word} ${thing}`)).slice(0, count / devices.length);
  const world = new World({
    ...{ services, clock, random: seeded(seed * 7919 + 1) },
    best: new Map([['best', { of: vendors, agreement: 0.99, microUsd }]]),
    projects: [
      project({
        ...{ service: 'best', paging, keywords: texts.map((text) => keyword(text, { depth, devices: [...devices] })) },
        targets: [{ match: 'domain', value: own }],
        competitors: [{ match: 'domain', value: rival }],
      }),
    ],
  });
  const named = new Map<string, number>();
  const because: string[] = [];
  for (let day = 0; day < days; day += 1) {
    clock.set(firstDay + day * dayMs);
    await world.runSlot(firstDay + day * dayMs);
    for (const { source, belief, text } of new SourceChoice(world.context).standings()) {
      if (belief !== 'named' || named.has(source)) continue;
      named.set(source, day - liesFrom);
      because.push(text ?? '');
    }
  }
  const rows = world.rows(
    `SELECT t.value || ' ' || k.text || ' ' || m.device || ' ' || cast((r.moment - ${firstDay}) / ${dayMs} AS INTEGER) AS row, c.source
     FROM rankings r JOIN checks c ON c.id = r.check_id JOIN targets t ON t.id = r.target_id JOIN searches s ON s.id = r.search_id
     JOIN keywords k ON k.id = s.keyword_id JOIN markets m ON m.id = s.market_id`,
  );
  const isWrong = ({ row, source }: (typeof rows)[number]): boolean =>
    String(source).includes('cheap/') && wrong.has(String(row));
  const [sold] = world.rows(
    `SELECT sum(CASE service ${vendors.map((name) => `WHEN '${name}' THEN ${prices[name]}`).join(' ')} END) AS cost, count(*) AS pages FROM purchases`,
  );
  const wanted = Number(
    world.value('SELECT sum(pages_read) FROM checks WHERE id NOT IN (SELECT double_id FROM double_checks)'),
  );
  const outcome = {
    named,
    wronglyNamed: [...named.keys()].filter((vendor) => vendor !== 'cheap' || options.lie === undefined),
    wrongShare: rows.filter(isWrong).length / rows.length,
    costShare: Number(sold?.['cost']) / (wanted * prices.dear),
    extraShare: (Number(sold?.['pages']) - wanted) / wanted,
    incomplete: Number(world.value("SELECT count(*) FROM checks WHERE state <> 'ok'")),
    because,
  };
  await world.close();
  return outcome;
}
