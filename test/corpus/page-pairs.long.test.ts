// Causes of real changes: recorded pages of one search -> runs -> read API, with each site on them as the target.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { type App, openApp } from '../../src/app/app.ts';
import { run } from '../../src/app/runs/run.ts';
import { SimulatedClock } from '../../src/app/runs/simulation.ts';
import { historyReader } from '../../src/app/workspace/workspace.ts';
import type { HistoryReader } from '../../src/read/contract.ts';
import type { AttributionAnswer } from '../../src/read/records.ts';
import { loadEngine } from '../../src/service/engines/registry.ts';
import { decodeText } from '../../src/service/model/results/charset.ts';
import { type AttributionGrouping, attributionGroupings } from '../../src/tracker/causes/attribution.ts';
import type { CauseRecord, KeywordCauses } from '../../src/tracker/causes/cause-text.ts';
import { registrableDomain } from '../../src/tracker/targets/brand.ts';
import { type ProjectFolder, projectFolder } from '../cli/project-folder.ts';
import { commandAt, readingApp } from '../cli/real-app.ts';
import { farPairs, type PagePair, pagePairs } from './page-pairs.ts';
import { corpus, isCorpusHere, linksOf } from './recorded-pages.ts';

type Search = Pick<PagePair, 'keyword' | 'recordings'> & { readonly id: string; readonly sites: readonly string[] };

const dayMs = 86_400_000;
/** A run reads a page some time after it was recorded. */
const lateMs = 60_000;
/** Both captures of one search lie around midnight here: 23:54 and 00:16. */
const timezone = 'America/Denver';
const dateOf = (at: number): string => new Date(at).toLocaleDateString('sv', { timeZone: timezone });

/** The first page, the second, the second once more, and the first once more. */
function moments({ recordings: [first, second] }: Pick<Search, 'recordings'>) {
  const [then, now] = [Date.parse(first.seenAt), Date.parse(second.seenAt)];
  return [
    { at: then, file: first.file },
    { at: now, file: second.file },
    { at: now + dayMs, file: second.file },
    { at: now + 2 * dayMs, file: first.file },
  ] as const;
}

async function sitesOn(recordings: Search['recordings']): Promise<string[]> {
  const engine = await loadEngine('google');
  const links = recordings.flatMap(({ file }) =>
    linksOf(engine, decodeText(readFileSync(new URL(file, corpus))), { mobile: false }),
  );
  return [...new Set(links.map((link) => registrableDomain(new URL(link).hostname)))];
}

async function recordedSearches(): Promise<Search[]> {
  const all = [...pagePairs, ...farPairs].map(async ({ keyword, recordings }, index) => {
    return { keyword, recordings, id: `search-${index}`, sites: await sitesOn(recordings) };
  });
  return Promise.all(all);
}

/** A site of a search is the target of a project; the other sites are its competitors. */
const projectOf = ({ id }: Search, site: string): string => `${id}-${site.replaceAll('.', '-')}`;

/** Runs each search on each of its pages, for each site on them. */
async function trackedFolder(searches: readonly Search[]): Promise<ProjectFolder> {
  const folder = projectFolder(null);
  const visits = searches.flatMap((search) => {
    // the way back has facts of pairs only
    const count = pagePairs.some(({ keyword }) => keyword === search.keyword) ? 4 : 3;
    return moments(search)
      .slice(0, count)
      .map((moment) => ({ ...search, ...moment }));
  });
  const page = { country: '', language: '', device: 'desktop', page: 1 };
  const index = visits.map(({ keyword, at, file }) => ({ ...page, keyword, date: new Date(at).toISOString(), file }));
  const volumes = searches.map(({ keyword }) => ({ keyword, search_volume: 1_000 }));
  folder.write('keywords.json', JSON.stringify(volumes));
  const replay = {
    source: 'replay',
    dir: fileURLToPath(corpus),
    index: folder.write('index.json', JSON.stringify(index)),
  };
  const config = {
    timezone,
    services: { default: { mode: 'embedded', ...replay } },
    reports: { tables: ['rank-changes'] },
    projects: searches.flatMap((search) =>
      search.sites.map((site) => ({
        id: projectOf(search, site),
        targets: [site],
        competitors: search.sites.filter((each) => each !== site),
        ...{ keywords: [search.keyword], depth: 1, paging: 'full' },
        market: { country: 'US', language: 'en', devices: ['desktop'] },
        volumes: { schedule: '0 4 2 * *' },
      })),
    ),
  };
  folder.write('rankledger.yaml', JSON.stringify(config));
  const first = Math.min(...visits.map(({ at }) => at));
  const bought = await commandAt(folder, first - dayMs, 'backfill', 'volumes');
  if (bought.exitCode !== 0) throw new Error(bought.out + bought.err);
  const clock = new SimulatedClock(0);
  const app = await openApp(await loadConfig({ cwd: folder.path, env: {} }), { clock });
  try {
    for (const visit of visits.toSorted((a, b) => a.at - b.at)) {
      clock.goTo(visit.at + lateMs);
      const { runs } = await run(app, { projects: visit.sites.map((site) => projectOf(visit, site)) });
      if (runs.some(({ state }) => state !== 'complete')) throw new Error(`${visit.id}: ${JSON.stringify(runs)}`);
    }
  } finally {
    await app.close();
  }
  return folder;
}

let app: App;
let reader: HistoryReader;
let searches: readonly Search[] = [];

beforeAll(async () => {
  if (!isCorpusHere) return;
  searches = await recordedSearches();
  const folder = await trackedFolder(searches);
  app = await readingApp(folder.path, Date.parse('2026-11-20T00:00Z'));
  reader = historyReader(app);
}, 600_000);
afterAll(() => app?.close());

const dateAt = (search: Search, at: number): string => dateOf(moments(search)[at]?.at ?? 0);

/** The causes of a site between two of the four moments of its search. */
function causesOf(search: Search, site: string, from: number, to: number): KeywordCauses {
  const [compare, date] = [dateAt(search, from), dateAt(search, to)];
  const query = { compare, date };
  const project = reader.of(projectOf(search, site));
  const [row] = project.keywords({ ...query, filter: {}, sort: [] });
  const causes = project.causes({ ...query, id: row?.id ?? '' });
  expect([causes.target, causes.from, causes.to]).toEqual([site, compare, date]);
  return causes;
}

const attributionOf = (search: Search, site: string, by: AttributionGrouping): AttributionAnswer => {
  const dates = { from: dateAt(search, 0), to: dateAt(search, 1) };
  return reader.of(projectOf(search, site)).attribution({ by, ...dates, filter: {} });
};

const columns = [
  'clicksBefore',
  'clicksAfter',
  'rankEffect',
  'featureEffect',
  'demandEffect',
  'trackingEffect',
] as const;
/** Clicks are counted in 1/10,000. */
const units = (value: number | null | undefined): number => Math.round(10_000 * (value ?? 0));

const isMover = ({ kind }: CauseRecord) => /^(?:entered|left|passed|overtaken)$/.test(kind);
const textOf = ({ kind, site, previousRank, rank, feature }: CauseRecord): string =>
  [kind, site, previousRank ?? '-', rank ?? '-', feature].filter((part) => part !== undefined).join(' ');
const around = ({ causes }: KeywordCauses): string[] => causes.filter(isMover).map(textOf).sort();
const mirrored: Readonly<Record<string, string>> = {
  entered: 'left',
  left: 'entered',
  passed: 'overtaken',
  overtaken: 'passed',
};

const allSites = pagePairs.flatMap(({ keyword, sites }) => Object.keys(sites).map((site) => ({ keyword, site })));

describe.skipIf(!isCorpusHere)('a search that was recorded twice', () => {
  const pairOf = (keyword: string) => {
    const [pair, search] = [pagePairs, searches].map((list) => list.find((each) => each.keyword === keyword));
    return { pair: pair as PagePair, search: search as Search };
  };

  it.each(pagePairs)('"$keyword" has the sites that a person sees on its pages', ({ keyword, sites }) => {
    expect(pairOf(keyword).search.sites.toSorted()).toEqual(Object.keys(sites).sort());
  });

  it.each(allSites)('"$keyword": $site moved past the sites that a person sees', ({ keyword, site }) => {
    const { pair, search } = pairOf(keyword);
    const seen = pair.sites[site];
    const found = causesOf(search, site, 0, 1);
    expect([found.previousRank, found.rank, found.places]).toEqual([...(seen?.ranks ?? []), seen?.places]);
    expect(around(found)).toEqual(seen?.around.toSorted());
    expect(found.isAtLeast).toBe(seen?.ranks.includes(null));
  });

  it.each(allSites)('"$keyword": the result of $site shows what a person sees', ({ keyword, site }) => {
    const { pair, search } = pairOf(keyword);
    const { causes } = causesOf(search, site, 0, 1);
    const shown = causes.filter(({ kind }) => /^own_(?:title|snippet|sitelinks|thumbnail|page)/.test(kind));
    const { own = [], shownIn, ranks, places } = pair.sites[site] as PagePair['sites'][string];
    expect(shown.map(({ kind }) => kind).filter((kind) => kind !== 'own_page_gone')).toEqual(own);
    const gone = shown.find(({ kind }) => kind === 'own_page_gone');
    expect(gone !== undefined).toBe(ranks[1] === null && places !== 0);
    expect(gone?.feature).toBe(shownIn);
  });

  it.each(allSites)('"$keyword": the features around $site are those a person sees', ({ keyword, site }) => {
    const { pair, search } = pairOf(keyword);
    const { causes } = causesOf(search, site, 0, 1);
    const features = causes.filter(({ kind }) => kind.startsWith('feature_'));
    expect(features.map(({ kind, feature }) => `${kind.replace('feature_', '')} ${feature}`).sort()).toEqual(
      pair.features,
    );
  });

  it('has a title that changed above the same text', () => {
    const { causes } = causesOf(pairOf('why is the sky blue?').search, 'noaa.gov', 0, 1);
    expect(causes.find(({ kind }) => kind === 'own_title')).toMatchObject({
      before: 'Why Is the Sky Blue? | NESDIS',
      after: 'Why Is the Sky Blue? - NESDIS - NOAA',
    });
  });

  it('says of our move only what the others did not do', () => {
    const { search } = pairOf('why is the sky blue?');
    const sentence = (site: string) =>
      causesOf(search, site, 0, 1).causes.find(({ kind }) => kind === 'own_move')?.sentence;
    // facebook.com rose, too, past noaa.gov
    expect(sentence('ucr.edu')).toBe('our result moved: 3 of the 4 places, the others kept their order');
    // ucr.edu fell past it
    expect(sentence('reddit.com')).toBeUndefined();
  });

  it.each(allSites)('"$keyword": back on the first page, $site moved the other way', ({ keyword, site }) => {
    const { search } = pairOf(keyword);
    const [there, back] = [causesOf(search, site, 0, 1), causesOf(search, site, 2, 3)];
    expect(back.places).toBe(there.places === 0 ? 0 : -(there.places ?? 0));
    const turned = there.causes
      .filter(isMover)
      .map((cause) => ({ ...cause, kind: mirrored[cause.kind], rank: cause.previousRank, previousRank: cause.rank }))
      .map(({ feature: _, ...cause }) => textOf(cause as CauseRecord));
    expect(
      back.causes
        .filter(isMover)
        .map(({ feature: _, ...cause }) => textOf(cause))
        .sort(),
    ).toEqual(turned.sort());
  });
});

describe.skipIf(!isCorpusHere)('between any two recorded pages of a query', () => {
  it('places add up to the change, and strengths are numbers from 0 to 1', () => {
    let changes = 0;
    for (const search of searches)
      for (const site of search.sites) {
        const { places, causes, rank, previousRank, isAtLeast } = causesOf(search, site, 0, 1);
        for (const { strength } of causes) expect(strength >= 0 && strength <= 1).toBe(true);
        if (places === null) {
          // of 10 results and of 99
          expect(causes.map(({ kind }) => kind)).toEqual(['other_depth']);
          continue;
        }
        expect(causes.reduce((sum, { places: of = 0 }) => sum + of, 0)).toBe(places);
        if (!isAtLeast && rank !== null) expect(places).toBe((previousRank ?? 0) - rank);
        changes += places === 0 ? 0 : 1;
      }
    expect(changes).toBeGreaterThan(40);
  });

  it('a page that is compared with itself names no cause', () => {
    for (const search of searches)
      for (const site of search.sites) expect([site, causesOf(search, site, 1, 2).causes]).toEqual([site, []]);
  });

  it('the effects of all lines add up to the change, by every grouping', () => {
    for (const search of searches)
      for (const site of search.sites)
        for (const by of attributionGroupings) {
          const { total, rows, pages } = attributionOf(search, site, by);
          const isPart = by === 'competitor';
          const sums = columns.map((column) => rows.reduce((sum, row) => sum + units(row[column]), 0));
          expect(sums.slice(isPart ? 2 : 0)).toEqual(
            columns.slice(isPart ? 2 : 0).map((column) => units(total?.[column])),
          );
          const effects = sums.slice(2).reduce((sum, of) => sum + of);
          expect(units(total?.clicksAfter) - units(total?.clicksBefore)).toBe(effects);
          if (isPart) expect(pages?.read).toBe(pages?.moved);
        }
  });

  it.each(pagePairs)('"$keyword": a rank effect goes to the sites that moved', ({ keyword, sites }) => {
    const search = searches.find((each) => each.keyword === keyword) as Search;
    for (const [site, { around: moved, places }] of Object.entries(sites)) {
      const { rows, total } = attributionOf(search, site, 'competitor');
      expect(total?.keywords).toBe(1);
      const named = rows.filter(({ name, rankEffect }) => !name.startsWith('(') && rankEffect !== 0);
      const alike = moved.filter((text) => /^(?:left|overtaken)/.test(text) === places > 0);
      const possible = alike.map((text) => text.split(' ')[1]);
      expect(named.filter(({ name }) => !possible.includes(name))).toEqual([]);
      for (const { rankEffect } of rows) expect(Math.sign(rankEffect) * Math.sign(places)).toBeGreaterThanOrEqual(0);
    }
  });
});
