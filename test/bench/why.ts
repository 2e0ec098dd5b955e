// Causes against the truth: events that are planted in invented worlds, and worlds with noise alone.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../config/load.ts';
import { openApp } from '../../src/app/app.ts';
import { run } from '../../src/app/runs/run.ts';
import { SimulatedClock } from '../../src/app/runs/simulation.ts';
import { historyReader } from '../../src/app/workspace/workspace.ts';
import type { ProjectReader } from '../../src/read/contract.ts';
import type { KeywordRow } from '../../src/read/records.ts';
import { createSearchDataService, type SearchDataService } from '../../src/service/index.ts';
import { createSandboxSource } from '../../src/service/sources/sandbox.ts';
import type { KeywordCauses } from '../../src/tracker/causes/cause-text.ts';
import type { Cause } from '../../src/tracker/causes/causes.ts';
import { dayMs } from '../../src/tracker/schedule/time-units.ts';
import { inFolder, keywordAt, ownHost } from './folder.ts';
import type { BenchRow } from './row.ts';

const seeds = 50;
const quickSeeds = 4;
const keywordCount = 60;
/** Of the tag that the update hits. */
const taggedCount = 12;
const firstDay = Date.UTC(2026, 2, 2, 6);
const days = 21;
/** Days before say what is usual. */
const firstEventDay = 12;
const newcomer = 'newcomer.example';
const rival = 'rival.example';
const [firstMin, firstThreeMin, certainMax] = [0.9, 0.97, 0.02];

const dateOf = (day: number): string => new Date(firstDay + day * dayMs).toISOString().slice(0, 10);

interface Planted {
  readonly name: string;
  readonly day: number;
  readonly keywords: readonly string[];
  readonly isTrue: (cause: Cause) => boolean;
  readonly events: readonly object[];
}

interface Standing {
  readonly row: KeywordRow;
  /** Sites by rank, of the day before the event. */
  readonly sites: readonly string[];
}

type EventPlan = (standing: Standing) => Pick<Planted, 'isTrue' | 'events'> | null;

const isOf =
  (site: string, ...kinds: Cause['kind'][]) =>
  (cause: Cause): boolean =>
    kinds.includes(cause.kind) && (site === '' || cause.site === site);
const hostOf = (url: string): string => new URL(url).hostname;
const domainOf = (host: string): string => host.replace(/^(?:www|shop|blog)\./u, '');

/** One keyword each. Null: it does not suit the event. */
const plans: Readonly<Record<string, EventPlan>> = {
  'competitor enters': ({ row: { rank } }) =>
    rank === null || rank > 6
      ? null
      : {
          events: [{ event: 'enters', site: newcomer, rank: Math.max(1, rank - 1) }],
          isTrue: isOf(newcomer, 'entered'),
        },
  'competitor passes': ({ row: { rank }, sites }) => {
    const from = rank === null ? undefined : sites[rank + 4];
    if (rank === null || rank < 2 || rank > 8 || from === undefined || sites.indexOf(from) !== rank + 4) return null;
    return { events: [{ event: 'passes', site: from, rank: rank - 1 }], isTrue: isOf(domainOf(from), 'passed') };
  },
  'competitor dies': ({ row: { rank }, sites }) => {
    const above = rank === null || rank < 2 || rank > 8 ? undefined : sites[rank - 2];
    if (above === undefined) return null;
    return { events: [{ event: 'leaves', site: above }], isTrue: isOf(domainOf(above), 'left') };
  },
  'feature appears': ({ row: { rank, serpFeatures } }) =>
    rank === null || serpFeatures.includes('ai_overview')
      ? null
      : {
          events: [{ event: 'feature', feature: 'ai_overview' }],
          isTrue: ({ kind, feature }) => kind === 'feature_appeared' && feature === 'ai_overview',
        },
  'own page takes over': ({ row: { rank } }) =>
    rank === null || rank > 10
      ? null
      : { events: [{ event: 'page', site: ownHost, rank: rank + 4 }], isTrue: isOf('', 'own_page', 'own_page_gone') },
  'title changes': ({ row: { rank } }) =>
    rank === null || rank > 10
      ? null
      : { events: [{ event: 'title', site: ownHost, rank: rank + 5 }], isTrue: isOf('', 'own_title') },
  'own page is removed': ({ row: { rank } }) =>
    rank === null || rank > 10
      ? null
      : { events: [{ event: 'leaves', site: ownHost }], isTrue: isOf('', 'own_page_gone') },
  'two at once: enters and title': ({ row: { rank } }) =>
    rank === null || rank > 8
      ? null
      : {
          events: [
            { event: 'title', site: ownHost, rank: rank + 4 },
            { event: 'enters', site: newcomer, rank: Math.max(1, rank - 1) },
          ],
          isTrue: (cause) => isOf('', 'own_title')(cause) || isOf(newcomer, 'entered')(cause),
        },
};

const mixed = 'two at once: enters and title';
const update = 'update hits a tag';
const otherSource = 'source changes';

class Score {
  planted = 0;
  beyondNoise = 0;
  first = 0;
  firstThree = 0;
  readonly others = new Map<string, number>();

  add(causes: KeywordCauses, isTrue: Planted['isTrue'], always: boolean): void {
    this.planted += 1;
    const isBeyond = causes.significance === 'likely' || causes.significance === 'certain';
    if (!isBeyond && !always) return;
    this.beyondNoise += 1;
    const at = causes.causes.findIndex(isTrue);
    if (at === 0) this.first += 1;
    else {
      const instead = causes.causes[0]?.kind ?? 'none';
      this.others.set(instead, (this.others.get(instead) ?? 0) + 1);
    }
    if (at >= 0 && at < 3) this.firstThree += 1;
  }
}

const sandboxOf = (seed: number, events: readonly object[]) => ({ seed, sites: [ownHost, rival], events });

const configOf = (seed: number, events: readonly object[]): string => {
  const service = { mode: 'embedded', source: 'sandbox', ...sandboxOf(seed, events) };
  const config = {
    timezone: 'UTC',
    database: 'rankledger.sqlite',
    reports: { dir: 'reports', html: false, tables: ['summary'] },
    services: { default: service },
    budget: { serpCredits: { perMonth: 1_000_000 } },
    queue: { driver: 'embedded', concurrency: 20 },
    projects: [
      {
        id: 'bench',
        service: 'default',
        targets: [ownHost],
        competitors: [rival],
        schedule: '0 6 * * *',
        market: { country: 'US', language: 'en', devices: ['desktop'] },
        depth: 2,
        paging: 'full',
        keywordsFile: 'keywords.csv',
      },
    ],
  };
  return JSON.stringify(config);
};

/** Runs the days of a world, the last one with another source, then asks its history. JSON is YAML. */
async function inWorld<T>(seed: number, events: readonly object[], ask: (reader: ProjectReader) => T): Promise<T> {
  return inFolder(async (folder) => {
    const rows = Array.from(
      { length: keywordCount },
      (_, index) => `${keywordAt(index)},${index < taggedCount ? 'hit' : 'other'}\n`,
    );
    writeFileSync(join(folder, 'keywords.csv'), `keyword,tags\n${rows.join('')}`);
    const file = join(folder, 'rankledger.yaml');
    writeFileSync(file, configOf(seed, events));
    const config = await loadConfig({ file, cwd: folder, env: {} });
    const clock = new SimulatedClock(firstDay);
    const ranDays = async (services: ReadonlyMap<string, SearchDataService>, from: number, until: number) => {
      const app = await openApp(config, { clock, services, isScratch: true });
      for (let day = from; day < until; day += 1) {
        clock.goTo(firstDay + day * dayMs + 1_000);
        await run(app, {});
      }
      return app;
    };
    await (await ranDays(new Map(), 0, days)).close();
    const { serp } = await createSandboxSource(sandboxOf(seed, events));
    if (serp === undefined) throw new Error('the sandbox has pages');
    const other = createSearchDataService({ source: { serp: { ...serp, name: 'another' } }, clock });
    const app = await ranDays(new Map([['default', other]]), days, days + 1);
    try {
      return ask(historyReader(app).of('bench'));
    } finally {
      await app.close();
    }
  });
}

const rowsOn = (reader: ProjectReader, day: number): readonly KeywordRow[] =>
  reader.keywords({ date: dateOf(day), filter: {}, sort: [] });

function causesOn(reader: ProjectReader, day: number, keyword: string): KeywordCauses | null {
  const row = rowsOn(reader, day).find((of) => of.keyword === keyword);
  return row === undefined ? null : reader.causes({ id: row.id, date: dateOf(day) });
}

/** What noise alone is called: changes beyond noise whose first cause is certain, of all changes. */
interface NoiseScore {
  changes: number;
  beyondNoise: number;
  certain: number;
}

function scoreNoise(reader: ProjectReader, score: NoiseScore): void {
  for (let day = firstEventDay; day < days; day += 1) {
    score.changes += rowsOn(reader, day).filter(({ change, changeClass }) =>
      ['entered', 'dropped'].includes(changeClass) ? true : change !== null && change !== 0,
    ).length;
    for (const { causes } of reader.changeCauses({ date: dateOf(day), filter: {}, sort: [] })) {
      score.beyondNoise += 1;
      if (causes.some(({ certainty }) => certainty === 'certain')) score.certain += 1;
    }
  }
}

/** Events that suit the keywords of a world, one a day: as it stands without them. */
function plantIn(reader: ProjectReader): Planted[] {
  const untagged = Array.from({ length: keywordCount - taggedCount }, (_, index) => keywordAt(taggedCount + index));
  const used = new Set<string>();
  const planted = Object.entries(plans).flatMap(([name, plan], index): Planted[] => {
    const day = firstEventDay + index;
    const rows = rowsOn(reader, day - 1);
    for (const keyword of untagged) {
      const row = rows.find((of) => of.keyword === keyword);
      if (row === undefined || used.has(keyword)) continue;
      const { country, language, device } = row;
      const serp = reader.serp({ keyword, country, language, device, date: dateOf(day - 1) });
      const found = plan({ row, sites: serp?.results.map(({ url }) => hostOf(url)) ?? [] });
      if (found === null) continue;
      used.add(keyword);
      const events = found.events.map((event) => ({ ...event, on: dateOf(day), keywords: [keyword] }));
      return [{ name, day, keywords: [keyword], isTrue: found.isTrue, events }];
    }
    return [];
  });
  const tagged = Array.from({ length: taggedCount }, (_, index) => keywordAt(index));
  const day = firstEventDay + planted.length;
  const isTrue = ({ kind }: Cause): boolean => kind === 'moved_alike';
  const events = [{ event: 'update', on: dateOf(day), keywords: tagged }];
  return [...planted, { name: update, day, keywords: tagged, isTrue, events }];
}

export async function benchWhy(quick: boolean): Promise<BenchRow[]> {
  const scores = new Map<string, Score>();
  const scoreOf = (name: string): Score => {
    const score = scores.get(name) ?? new Score();
    scores.set(name, score);
    return score;
  };
  const noise: NoiseScore = { changes: 0, beyondNoise: 0, certain: 0 };
  for (let seed = 1; seed <= (quick ? quickSeeds : seeds); seed += 1) {
    const planted = await inWorld(seed, [], (reader) => {
      scoreNoise(reader, noise);
      return plantIn(reader);
    });
    await inWorld(
      seed,
      planted.flatMap(({ events }) => events),
      (reader) => {
        for (const { name, day, keywords, isTrue } of planted)
          for (const keyword of keywords) {
            const found = causesOn(reader, day, keyword);
            if (found !== null) scoreOf(name).add(found, isTrue, name === 'feature appears');
          }
        for (const row of rowsOn(reader, days).slice(0, keywordCount / 4))
          scoreOf(otherSource).add(
            reader.causes({ id: row.id, date: dateOf(days) }),
            ({ kind }) => kind === 'other_source',
            true,
          );
      },
    );
    process.stderr.write(`  seed ${seed} measured\n`);
  }
  return [...[...scores].map(([name, score]) => eventRow(name, score)), allRow(scores), noiseRow(noise)];
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

function eventRow(name: string, { planted, beyondNoise, first, firstThree, others }: Score): BenchRow {
  const instead = [...others].map(([kind, count]) => `${kind} ${count}`).join(', ');
  const ofAll = `${beyondNoise} of ${planted} beyond noise`;
  const shares = `first ${percent(first / beyondNoise)}, in three ${percent(firstThree / beyondNoise)}`;
  return {
    name: `why: ${name}`,
    target: 'printed',
    ratio: first / beyondNoise,
    detail: `${ofAll}; ${shares}${instead === '' ? '' : `; instead ${instead}`}`,
    ok: true,
  };
}

function allRow(scores: ReadonlyMap<string, Score>): BenchRow {
  const single = [...scores].filter(([name]) => name !== mixed).map(([, score]) => score);
  const sum = (of: (score: Score) => number): number => single.reduce((total, score) => total + of(score), 0);
  const count = sum(({ beyondNoise }) => beyondNoise);
  const [first, firstThree] = [sum((score) => score.first) / count, sum((score) => score.firstThree) / count];
  return {
    name: 'why: the planted cause of one event',
    target: `first in ${percent(firstMin)}, in the first three in ${percent(firstThreeMin)}`,
    ratio: first,
    detail: `${count} changes: first ${percent(first)}, in three ${percent(firstThree)}`,
    ok: first >= firstMin && firstThree >= firstThreeMin,
  };
}

function noiseRow({ changes, beyondNoise, certain }: NoiseScore): BenchRow {
  return {
    name: 'why: certain causes in worlds with noise alone',
    target: `at most ${percent(certainMax)} of changes`,
    ratio: certain / changes,
    detail: `${certain} certain of ${changes} changes, ${beyondNoise} beyond noise`,
    ok: certain / changes <= certainMax,
  };
}
