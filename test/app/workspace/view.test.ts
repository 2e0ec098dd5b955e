// The workspace over a real history agrees with the reports.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import Papa from 'papaparse';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { App } from '../../../src/app/app.ts';
import { SimulatedClock } from '../../../src/app/runs/simulation.ts';
import { expressionLimit } from '../../../src/app/workspace/door.ts';
import { historyReader } from '../../../src/app/workspace/workspace.ts';
import { serveMcpHttp } from '../../../src/cli/commands/mcp.ts';
import { addReader, revokeReader } from '../../../src/cli/commands/reader.ts';
import { view } from '../../../src/cli/subcommands/open-workspace.ts';
import {
  ExpressionsUsedUp,
  type HistoryReader,
  InvalidQuery,
  NotFound,
  type ProjectReader,
} from '../../../src/read/contract.ts';
import { endpoints } from '../../../src/read/endpoints.ts';
import { apiRow } from '../../../src/read/fields.ts';
import { textMatcher } from '../../../src/read/keyword-filter.ts';
import { parseFilter, parseSort } from '../../../src/read/queries.ts';
import type { KeywordRow } from '../../../src/read/records.ts';
import { answerPath } from '../../../src/workspace/embedded/answer.ts';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';
import { commandAt, readingApp, runSlots } from '../../cli/real-app.ts';

const slots = ['2026-01-12T05:00:00Z', '2026-01-13T05:00:00Z', '2026-01-14T05:00:00Z'];
const now = Date.parse('2026-01-14T12:00:00Z');

let folder: ProjectFolder;
let app: App;
let reader: HistoryReader;
let acme: ProjectReader;

beforeAll(async () => {
  folder = projectFolder();
  await runSlots(folder, slots);
  app = await readingApp(folder.path, now);
  reader = historyReader(app);
  acme = reader.of('acme');
});
afterAll(async () => {
  await app.close();
});

const all = { filter: {}, sort: [] };
/** In the order of CSV files. */
const byKeyword = { ...all, sort: parseSort('keyword,device') };

type Column =
  | 'keyword'
  | 'device'
  | 'status'
  | 'rank'
  | 'previous_rank'
  | 'change'
  | 'change_class'
  | 'url'
  | 'estimated_clicks';
type CompetitorColumn =
  | 'scope'
  | 'target'
  | 'visibility'
  | 'share_of_voice'
  | 'average_rank_ranked'
  | 'top_10'
  | 'wins'
  | 'losses';
type DiscoveredColumn =
  | 'domain'
  | 'share_of_voice'
  | 'estimated_clicks'
  | 'keywords'
  | 'average_rank'
  | 'example_keyword'
  | 'example_rank'
  | 'example_url';
type SumColumn = 'visibility' | 'average_rank_ranked' | 'keywords';

function table<Name extends string = Column>(slot: string, name: string): Record<Name, string>[] {
  const text = readFileSync(join(folder.path, 'reports', 'acme', slot, name), 'utf8').replace(/^\uFEFF/, '');
  return Papa.parse<Record<Name, string>>(text, { header: true, skipEmptyLines: true }).data;
}

/** Null: empty. */
function cellNumber(cell: string): number | null {
  return cell === '' ? null : Number(cell);
}

function bump(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

const search = 'keyword=running%20shoes&country=US&language=en&device=desktop';
const listed = (path: string) => (answerPath(reader, path) as { readonly data: readonly object[] }).data;

describe('the workspace', () => {
  it('shows the rows of rank-changes.csv of the newest run', () => {
    const shown = acme.keywords(byKeyword).map((row) => ({
      keyword: row.keyword,
      device: row.device,
      status: row.status,
      rank: String(row.rank ?? ''),
      change: String(row.change ?? ''),
      changeClass: row.changeClass,
      url: row.url ?? '',
      clicks: String(row.estimatedClicks ?? ''),
    }));
    const reported = table('2026-01-14T0600', 'rank-changes.csv').map((row) => ({
      keyword: row.keyword,
      device: row.device,
      status: row.status,
      rank: row.rank,
      change: row.change,
      changeClass: row.change_class,
      url: row.url,
      clicks: row.estimated_clicks,
    }));
    expect(shown).toHaveLength(3);
    expect(shown).toEqual(reported);
  });

  it('shows an earlier date as it was reported then', () => {
    const shown = acme
      .keywords({ ...byKeyword, date: '2026-01-13' })
      .map(({ keyword, device, rank, previousRank }) => [keyword, device, rank, previousRank]);
    const reported = table('2026-01-13T0600', 'rank-changes.csv').map((row) => [
      row.keyword,
      row.device,
      row.rank === '' ? null : Number(row.rank),
      row.previous_rank === '' ? null : Number(row.previous_rank),
    ]);
    expect(shown).toEqual(reported);
  });

  it('names the fields of every list in the order of its rows', () => {
    const id = acme.keywords(byKeyword)[0]?.id ?? '';
    const seen = endpoints.flatMap(({ kind, path, columns = [], rows }) => {
      const asked = path.replace('{project}', 'acme').replace('{id}', id);
      if (/click|queries|impressions|grids\/\{id/.test(path)) return [];
      const value =
        rows === undefined ? null : answerPath(reader, path.endsWith('/serp') ? `${asked}?${search}` : asked);
      if (kind === 'document' && rows === undefined) return [];
      const [first] = rows === undefined ? listed(asked) : rows(value as never);
      if (first === undefined) return [];
      const known = Object.keys('complete' in first ? apiRow(first as KeywordRow) : first).filter(
        (name) => !['trend', 'last', 'incomplete'].includes(name),
      );
      expect.soft([path, columns.filter((name) => known.includes(name))]).toEqual([path, known]);
      return [path];
    });
    expect(seen.length).toBeGreaterThan(10);
  });

  it('gives the ranks of a period as the keyword table of each date has them', () => {
    const dates = ['2026-01-12', '2026-01-13', '2026-01-14'];
    const byDate = dates.flatMap((date) =>
      acme.keywords({ ...all, date }).map(({ keyword, device, rank }) => ({ date, keyword, device, rank })),
    );
    const period = listed('/v1/projects/acme/rankings?from=2026-01-12&to=2026-01-14') as typeof byDate;
    expect(period.map(({ date, keyword, device, rank }) => ({ date, keyword, device, rank }))).toEqual(byDate);
    expect(listed('/v1/projects/acme/rankings')).toHaveLength(byDate.length / 3);
    expect(listed('/v1/projects/acme/rankings?from=2026-01-13&device=mobile')).toHaveLength(2);
  });

  it('sums rows like summary.csv', () => {
    const [project] = table<SumColumn>('2026-01-14T0600', 'summary.csv');
    const summary = acme.summary(all);
    expect(String(summary.visibility)).toBe(project?.visibility);
    expect(String(summary.averageRank)).toBe(project?.average_rank_ranked);
    expect(summary.checked + summary.buckets.unknown).toBe(summary.total);
  });

  it('counts rows that entered the top 3 and top 10 minus those that left, among comparable ones', () => {
    for (const compare of ['2026-01-12', '2026-01-13']) {
      const rows = acme.keywords({ ...all, compare }).filter(({ previousDate }) => previousDate !== null);
      const change = (top: number): number =>
        rows.filter(({ rank }) => (rank ?? Infinity) <= top).length -
        rows.filter(({ previousRank }) => (previousRank ?? Infinity) <= top).length;
      const { top3Change, top10Change } = acme.summary({ ...all, compare });
      expect([top3Change, top10Change]).toEqual([change(3), change(10)]);
    }
    expect(acme.summary({ ...all, date: '2026-01-12' })).toMatchObject({ top3Change: null, top10Change: null });
  });

  it('sums a filter, and its segments', () => {
    const filter = parseFilter(new URLSearchParams('device=mobile'));
    const mobile = acme.summary({ ...all, filter });
    expect(mobile.total).toBe(1);
    const devices = acme.segments(all, 'device');
    expect(devices.map(({ segment, total }) => [segment, total])).toEqual([
      ['desktop', 2],
      ['mobile', 1],
    ]);
    expect(devices[1]).toEqual({ segment: 'mobile', ...mobile });
  });

  it('sums the saved views of the config like their filters', () => {
    expect(acme.facts().views).toEqual([{ name: 'On phones', query: 'device=mobile&sort=-rank' }]);
    const [mobile] = acme.segments(all, 'device').filter(({ segment }) => segment === 'mobile');
    expect(acme.segments(all, 'view')).toEqual([{ ...mobile, segment: 'On phones' }]);
  });

  it('changes its version with the config, so that no browser shows older answers', () => {
    const projects = app.config.projects.map((project) => ({ ...project, keywords: project.keywords.slice(1) }));
    const views = new Map([['acme', []]]);
    const others = [
      { ...app.config, views },
      { ...app.config, projects },
    ];
    const versions = [app.config, ...others].map((config) => {
      const other = new App(config, { clock: new SimulatedClock(now), isReading: true });
      const version = historyReader(other).version();
      void other.close();
      return version;
    });
    expect(versions[0]).toBe(reader.version());
    expect(new Set(versions).size).toBe(3);
  });

  it('draws every date of the history, and the last one of a week', () => {
    const daily = acme.series({ ...all, granularity: 'day' });
    expect(daily.dates).toEqual(['2026-01-12', '2026-01-13', '2026-01-14']);
    expect(daily.visibility.at(-1)).toBe(acme.summary(all).visibility);
    expect(acme.series({ ...all, granularity: 'week' }).dates).toEqual(['2026-01-14']);
  });

  it('shows alternating pages as the history of each row has them', () => {
    const answer = acme.cannibalization({ ...all, granularity: 'day' });
    expect(answer.dates).toEqual(['2026-01-12', '2026-01-13', '2026-01-14']);
    const pages = new Map(
      acme.keywords(all).map(({ id }) => {
        const [own] = acme.keyword({ id }).lines;
        const urls = new Map(own?.points.map(({ date, rank, url }) => [date, rank === null ? null : url]));
        return [id, answer.dates.map((date) => urls.get(date) ?? null)];
      }),
    );
    const known = (urls: readonly (string | null)[]) => urls.filter((url) => url !== null);
    const turning = [...pages].filter(([, urls]) => new Set(known(urls)).size > 1).map(([id]) => id);
    expect(answer.rows.map(({ id }) => id).sort()).toEqual(turning.sort());
    expect(answer.ranked.at(-1)).toBe([...pages.values()].filter((urls) => urls.at(-1) !== null).length);
    for (const { id, turns, pages: found } of answer.rows)
      expect(turns.map((page) => (page === null ? null : found[page]?.url))).toEqual(pages.get(id));
    expect(() => acme.cannibalization({ ...all, from: 'soon', granularity: 'day' })).toThrow(InvalidQuery);
  });

  it('shows a row as it was on a date', () => {
    const [row] = acme.keywords(byKeyword);
    const [earlier] = acme.keywords({ ...byKeyword, date: '2026-01-13' });
    expect(acme.keyword({ id: row?.id ?? '', date: '2026-01-13' }).row).toEqual(earlier);
  });

  it('shows the history of a row with its competitors, and the cost of its checks', () => {
    const [row] = acme.keywords(all);
    const { lines } = acme.keyword({ id: row?.id ?? '' });
    expect(lines.map(({ target, isOwn, points }) => [target, isOwn, points.length])).toEqual([
      ['acme.com', true, 3],
      ['globex.com', false, 3],
    ]);
    const checks = acme.checks({ id: row?.id ?? '' });
    expect(Array.from(checks, ({ date }) => date)).toEqual(['2026-01-14', '2026-01-13', '2026-01-12']);
    for (const check of checks) expect(check.purchases.length).toBe(check.pagesRead);
  });

  it('shows the stored results of any date, with the ranks of the rows', () => {
    const [row] = acme.keywords({ ...all, filter: parseFilter(new URLSearchParams('status=ranked')) });
    if (row === undefined) throw new Error('no row ranks');
    const { keyword, country, language, device } = row;
    const serp = acme.serp({ keyword, country, language, device });
    expect(serp?.date).toBe('2026-01-14');
    const own = serp?.results.find(({ isOwn }) => isOwn);
    expect(own).toMatchObject({ rank: row.rank, url: row.url, target: 'acme.com' });
    expect(acme.serpDates({ keyword, country, language, device })).toEqual(['2026-01-14', '2026-01-13', '2026-01-12']);
    expect(acme.serp({ keyword, country, language, device, date: '2026-01-11' })).toBeNull();
  });

  it('marks the targets in features as it marks results', () => {
    const [row] = acme.keywords(all);
    if (row === undefined) throw new Error('no row');
    const { keyword, country, language, device } = row;
    const serp = acme.serp({ keyword, country, language, device });
    expect([...new Set(serp?.features.map(({ type }) => type))].sort()).toEqual([...row.serpFeatures].sort());
    const owned = serp?.features.filter(({ isOwn }) => isOwn).map(({ type }) => type);
    expect([...new Set(owned)].sort()).toEqual([...row.ownedFeatures].sort());
    const byResult = new Map(serp?.results.map(({ url, target }) => [url, target]));
    for (const { urls, targets } of serp?.features ?? [])
      for (const url of urls) if (byResult.get(url)) expect(targets).toContain(byResult.get(url));
  });

  it('gives the share of voice of a single date, too', () => {
    const share = (from: string) =>
      acme
        .competitors({ ...all, from, granularity: 'day', hasShare: true })
        .targets.map((each) => each.shareOfVoice?.at(-1));
    expect(share('2026-01-14')).toEqual(share('2026-01-12'));
  });

  it('compares with competitors like competitors.csv', () => {
    const reported = table<CompetitorColumn>('2026-01-14T0600', 'competitors.csv').filter(
      ({ scope }) => scope === 'project',
    );
    const { targets } = acme.competitors({ ...all, granularity: 'day', hasShare: true });
    const shown = targets.map(({ target, visibility, shareOfVoice, averageRank, top10, wins, losses }) => ({
      target,
      visibility: visibility.at(-1),
      share: shareOfVoice?.at(-1),
      averageRank,
      top10,
      wins,
      losses,
    }));
    expect(shown).toEqual(
      reported.map((row) => ({
        target: row.target,
        visibility: cellNumber(row.visibility),
        share: cellNumber(row.share_of_voice),
        averageRank: cellNumber(row.average_rank_ranked),
        top10: cellNumber(row.top_10),
        wins: cellNumber(row.wins),
        losses: cellNumber(row.losses),
      })),
    );
    expect(Math.max(...shown.map(({ share }) => share ?? 0))).toBeGreaterThan(0);
    expect(acme.competitors({ ...all, granularity: 'day' }).targets[0]?.shareOfVoice).toBeNull();
  });

  it('lists the rows that its wins, losses and passes count', () => {
    const rowsWith = (written: string, compare?: string) =>
      acme.keywords({ ...all, ...(compare && { compare }), filter: parseFilter(new URLSearchParams(written)) }).length;
    const { targets, passes } = acme.competitors({ ...all, granularity: 'day' });
    const globex = targets.find(({ target }) => target === 'globex.com');
    expect([rowsWith('above=globex.com'), rowsWith('below=globex.com')]).toEqual([globex?.losses, globex?.wins]);
    expect(rowsWith('above=!globex.com')).toBe(rowsWith('') - (globex?.losses ?? 0));
    const counted = (target: string, passed: string) =>
      passes.find((pass) => pass.target === target && pass.passed === passed)?.searches ?? 0;
    const passing = ['passedBy=globex.com', 'passed=globex.com'].map((written) => rowsWith(written, '2026-01-12'));
    expect(passing).toEqual([counted('globex.com', 'acme.com'), counted('acme.com', 'globex.com')]);
    expect(() => rowsWith('above=')).not.toThrow();
  });

  it('counts who passed whom from the first to the last date', () => {
    const { passes, notes } = acme.competitors({ ...all, granularity: 'day' });
    expect(notes).toEqual(acme.series({ ...all, granularity: 'day' }).notes);
    const counted = new Map<string, number>();
    for (const { id } of acme.keywords(all)) {
      const [own, other] = acme.keyword({ id }).lines.map(({ points }) => {
        const read = points.filter(({ status }) => status !== 'failed').map(({ rank }) => rank ?? 999);
        return { first: read.at(0) ?? 999, last: read.at(-1) ?? 999 };
      });
      if (own === undefined || other === undefined) continue;
      if (own.first > other.first && own.last < other.last) bump(counted, 'acme.com over globex.com');
      if (other.first > own.first && other.last < own.last) bump(counted, 'globex.com over acme.com');
    }
    expect(new Map(passes.map((pass) => [`${pass.target} over ${pass.passed}`, pass.searches]))).toEqual(counted);
  });

  it('finds the domains of discovered-competitors.csv, and those of a filter', () => {
    const reported = table<DiscoveredColumn>('2026-01-14T0600', 'discovered-competitors.csv').map((row) => ({
      domain: row.domain,
      share: row.share_of_voice,
      clicks: row.estimated_clicks,
      keywords: row.keywords,
      averageRank: row.average_rank,
      example: `${row.example_keyword} ${row.example_rank} ${row.example_url}`,
    }));
    const found = acme.discovered(all);
    const shown = found.slice(0, 100).map((row) => ({
      domain: row.domain,
      share: String(row.shareOfVoice ?? ''),
      clicks: String(row.estimatedClicks ?? ''),
      keywords: String(row.keywords),
      averageRank: String(row.averageRank),
      example: `${row.exampleKeyword} ${row.exampleRank} ${row.exampleUrl}`,
    }));
    expect(shown.length).toBeGreaterThan(10);
    expect(shown).toEqual(reported);
    const mobile = [...acme.discovered({ ...all, filter: parseFilter(new URLSearchParams('device=mobile')) })];
    expect(mobile.length).toBeLessThan(found.length);
    expect(Math.max(...mobile.map(({ keywords }) => keywords))).toBe(1);
  });

  it('accounts for every credit of the ledger by day', () => {
    const spent = reader.spend({}).filter(({ currency }) => currency === 'serp_credit');
    const runs = Array.from(reader.runs({}), ({ runId }) => runId);
    const booked = runs.map((runId) => app.context.store.ledger.totals(runId, 'serp_credit').spent);
    expect(spent.reduce((sum, day) => sum + day.spent, 0)).toBe(booked.reduce((sum, credits) => sum + credits, 0));
    expect(Math.max(...booked)).toBeGreaterThan(0);
  });

  it('refuses unknown parameters', () => {
    expect(() => reader.of('none').keywords(all)).toThrow(NotFound);
    expect(() => acme.keywords({ ...all, date: '2026-02-30' })).toThrow(InvalidQuery);
    expect(() => acme.keywords({ ...all, compare: 'soon' })).toThrow(InvalidQuery);
    expect(() => acme.keyword({ id: 'none' })).toThrow(NotFound);
  });

  it('is served over HTTP, to this machine only', async () => {
    const workspace = await view(app, { port: 0 });
    try {
      const answer = await fetch(`${workspace.url}/v1/projects/acme/keywords?sort=-rank`);
      expect(answer.status).toBe(200);
      expect(((await answer.json()) as { total: number }).total).toBe(3);
    } finally {
      await workspace.close();
    }
    await expect(view(app, { host: '0.0.0.0', port: 0 })).rejects.toThrow('reader add');
  });

  it('asks for a token on this machine, too, as soon as there is a reader', async () => {
    const writing = new App(app.config, { clock: new SimulatedClock(now) });
    const [workspace, assistants] = await Promise.all([
      view(app, { port: 0 }),
      serveMcpHttp(app, { port: 0, signal: new AbortController().signal }),
    ]);
    const ask = async (authorization: Record<string, string>) => {
      const headers = {
        ...authorization,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      };
      const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
      const answers = [
        fetch(`${workspace.url}/v1/projects`, { headers }),
        fetch(assistants.url, { method: 'POST', headers, body }),
      ];
      return (await Promise.all(answers)).map(({ status }) => status);
    };
    try {
      expect(await ask({})).toEqual([200, 200]);
      const { token } = addReader(writing, 'ben');
      expect(await ask({})).toEqual([401, 401]);
      expect(await ask({ authorization: `Bearer ${token}` })).toEqual([200, 200]);
      revokeReader(writing, 'ben');
      expect(await ask({})).toEqual([401, 401]);
    } finally {
      await Promise.all([workspace.close(), assistants.close()]);
      await writing.close();
    }
  });

  it('gives the regular expressions of a client five seconds a minute, over all its requests', async () => {
    const limit = expressionLimit(new SimulatedClock(now));
    const slow = () => textMatcher('q', '/^(a+)+$/')([`${'a'.repeat(40)}!`]);
    const begunAt = performance.now();
    for (let asked = 0; asked < 40; asked += 1) expect(() => limit('anna', slow)).toThrow(InvalidQuery);
    expect(performance.now() - begunAt).toBeLessThan(8_000);
    expect(() => limit('anna', slow)).toThrow(ExpressionsUsedUp);
    expect(limit('anna', () => textMatcher('q', 'words')(['words']))).toEqual([true]);
    expect(limit('ben', () => textMatcher('q', '/^w/')(['words']))).toEqual([true]);
  });

  it('notes when a token was last used, at most once an hour, and waits for no run', async () => {
    const clock = new SimulatedClock(now);
    const writing = new App(app.config, { clock });
    const viewed = new App(app.config, { clock, isReading: true });
    const [{ token }] = [addReader(writing, 'cleo'), addReader(writing, 'dora')];
    const workspace = await view(viewed, { port: 0 });
    const asked = async (given: string): Promise<[status: number, lastUsedAt: unknown[]]> => {
      const { status } = await fetch(`${workspace.url}/v1/notes`, { headers: { authorization: `Bearer ${given}` } });
      const readers = writing.context.store.readers.list().filter(({ name }) => name === 'cleo' || name === 'dora');
      return [status, readers.map(({ lastUsedAt }) => lastUsedAt)];
    };
    try {
      expect(await asked('wrong')).toEqual([401, [null, null]]);
      expect(await asked(token)).toEqual([200, [now, null]]);
      clock.goTo(now + 3_599_999);
      expect(await asked(token)).toEqual([200, [now, null]]);
      clock.goTo(now + 3_600_000);
      const locked = new Database(app.config.databaseFile);
      locked.exec('BEGIN IMMEDIATE');
      expect(await asked(token)).toEqual([200, [now, null]]);
      locked.close();
      clock.goTo(now + 7_200_000);
      expect(await asked(token)).toEqual([200, [now + 7_200_000, null]]);
      const { out } = await commandAt(folder, now, 'reader', 'list');
      expect(out).toMatch(/cleo .*2026-01-14 *\n.*dora .*never *\n/);
    } finally {
      await workspace.close();
      revokeReader(writing, 'cleo');
      revokeReader(writing, 'dora');
      await Promise.all([viewed.close(), writing.close()]);
    }
  });

  it('is served to other machines for tokens of readers, until they are revoked', async () => {
    const writing = new App(app.config, { clock: new SimulatedClock(now) });
    const { token } = addReader(writing, 'anna');
    const warnings: unknown[][] = [];
    const workspace = await view(app, { host: '0.0.0.0', port: 0 });
    const warn = vi.spyOn(app.context.log, 'warn').mockImplementation((...line) => void warnings.push(line));
    try {
      const url = workspace.url.replace('0.0.0.0', '127.0.0.1');
      const status = async (given: string) =>
        (await fetch(`${url}/v1/projects`, { headers: { authorization: `Bearer ${given}` } })).status;
      expect(await status(token)).toBe(200);
      const wrong = await Promise.all(Array.from({ length: 11 }, (_, index) => status(`wrong-${index}`)));
      expect(wrong.filter((each) => each === 401)).toHaveLength(10);
      expect(wrong.filter((each) => each === 429)).toHaveLength(1);
      expect(await status('wrong-again')).toBe(429);
      const refused = (reason: string) => [{ address: '127.0.0.1', reason }, 'reader refused'];
      expect(warnings).toEqual([
        ...Array.from({ length: 10 }, () => refused('wrong-token')),
        refused('too-many-failures'),
      ]);
      expect(JSON.stringify(warnings)).not.toContain('wrong-1');
      expect(await status(token)).toBe(200);
      revokeReader(writing, 'anna');
      expect(await status(token)).toBe(429);
    } finally {
      warn.mockRestore();
      await workspace.close();
      await writing.close();
    }
  });
});
