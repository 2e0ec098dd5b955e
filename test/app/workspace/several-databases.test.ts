// Several databases as one portfolio: each project is answered as from its own database, and lists are joined.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { App } from '../../../src/app/app.ts';
import { SimulatedClock } from '../../../src/app/runs/simulation.ts';
import { portfolioHistory } from '../../../src/app/workspace/portfolio.ts';
import { pricedReader } from '../../../src/app/workspace/workspace.ts';
import { serveMcpHttp } from '../../../src/cli/commands/mcp.ts';
import { view } from '../../../src/cli/subcommands/open-workspace.ts';
import { type HistoryReader, NotFound } from '../../../src/read/contract.ts';
import { endpoints } from '../../../src/read/endpoints.ts';
import type { ProjectOverview, RunRecord, SpendDay } from '../../../src/read/records.ts';
import { answerPath } from '../../../src/workspace/embedded/answer.ts';
import { budgetsOf, monthOf } from '../../../src/workspace/web/money.ts';
import { invoke } from '../../cli/fake-host.ts';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';
import { commandAt, readingApp, runSlots } from '../../cli/real-app.ts';
import { undescribed } from '../../helpers/described-answers.ts';

const now = Date.parse('2026-01-14T12:00:00Z');
const slots = ['2026-01-12T05:00:00Z', '2026-01-13T05:00:00Z', '2026-01-14T05:00:00Z'];
const written = (id: string, more = '') => `budget: { serpCredits: { perRun: 20, perMonth: 100 } }
notes: [{ date: 2026-01-13, text: a note about all }]
projects:
  - id: ${id}
    targets: [acme.com]
    competitors: [globex.com]
    schedule: "0 5 * * *"
    market: { country: US, language: en, devices: [desktop, mobile] }
    depth: 2
    keywords: [running shoes, trail shoes]
    ${more}
`;

const folders: ProjectFolder[] = [];
const apps: App[] = [];
const readers: HistoryReader[] = [];
let combined: HistoryReader;

beforeAll(async () => {
  for (const text of [written('acme'), written('globex', 'formerly: [acme-uk]')]) {
    const folder = projectFolder(text);
    await runSlots(folder, slots);
    const app = await readingApp(folder.path, now);
    folders.push(folder);
    apps.push(app);
    readers.push(await pricedReader(app));
  }
  const [first, second] = apps as [App, App];
  ({ all: combined } = await portfolioHistory([first, second]));
});
afterAll(async () => {
  for (const app of apps) await app.close();
});

const opened = async (text: string) => await readingApp(projectFolder(text).path, now);
const listAt = (reader: HistoryReader, path: string) => (answerPath(reader, path) as { data: object[] }).data;

describe('the history of two databases', () => {
  const search = 'keyword=running%20shoes&country=US&language=en&device=desktop';
  const pathsOf = endpoints.map(({ path, parameters }) => `${path}${'keyword' in parameters ? `?${search}` : ''}`);

  it.each(pathsOf)('answers %s of a project as its own database does', (path) => {
    for (const [at, project] of ['acme', 'globex'].entries()) {
      const own = readers[at];
      if (own === undefined) throw new Error('there are two');
      const [row] = own.of(project).keywords({ filter: {}, sort: [] });
      const asked = path.replace('{project}', project).replace('{id}', row?.id ?? '');
      const of = asked.includes('/projects') ? asked : `${asked}?project=${project}`;
      if (of === '/v1/projects') continue; // below
      const answer = (reader: HistoryReader) => {
        try {
          const { next: _, ...rest } = answerPath(reader, of) as { readonly next?: string };
          return JSON.stringify(rest);
        } catch (error) {
          return `${String(error)}`; // no grid
        }
      };
      expect(answer(combined)).toBe(answer(own));
    }
  });

  it('lists the projects of both, each with its database, whose budgets are apart', () => {
    expect(combined.projects()).toEqual(
      readers.flatMap((reader, at) => reader.projects().map((of) => ({ ...of, database: at + 1 }))),
    );
    const ofEach = readers.flatMap((reader) => reader.projects()[0]?.spend.find(({ cap }) => cap === 100) ?? []);
    const sum = (name: 'spent' | 'spentToday') => ofEach.reduce((total, of) => total + of[name], 0);
    const all = { currency: 'serp_credit', spent: sum('spent'), spentToday: sum('spentToday'), cap: 200 };
    expect(budgetsOf(combined.projects())).toContainEqual(all);
  });

  it('draws the forecast of a month through the days of each database apart', async () => {
    const ran = async (id: string, dates: readonly string[]): Promise<App> => {
      const folder = projectFolder(written(id));
      await runSlots(folder, dates);
      return await readingApp(folder.path, now);
    };
    const apps = [await ran('idle', slots.slice(0, 2)), await ran('busy', slots)] as const;
    try {
      const projects = (await portfolioHistory(apps)).all.projects();
      const days = projects.map((of) => [monthOf(of).forecast?.days, monthOf(of).ownForecast?.days]);
      expect(days).toEqual([
        [13, 13],
        [14, 14],
      ]);
    } finally {
      for (const app of apps) await app.close();
    }
  });

  it('joins runs, spend and notes', () => {
    const runs = listAt(combined, '/v1/runs') as RunRecord[];
    expect(runs.map(({ projects, slot }) => [slot.slice(0, 10), ...projects])).toEqual([
      ['2026-01-14', 'acme'],
      ['2026-01-14', 'globex'],
      ['2026-01-13', 'acme'],
      ['2026-01-13', 'globex'],
      ['2026-01-12', 'acme'],
      ['2026-01-12', 'globex'],
    ]);
    expect(combined.runs({}).slice(0, 2)).toEqual(runs.slice(0, 2));
    const spentOn = (reader: HistoryReader | undefined) =>
      (listAt(reader as HistoryReader, '/v1/spend') as SpendDay[]).map(({ date, spent }) => [date, spent]);
    expect(spentOn(combined)).toEqual(spentOn(readers[0]).map(([date, spent]) => [date, 2 * Number(spent)]));
    expect(combined.notes({}).map(({ text }) => text)).toEqual(['a note about all']);
  });

  it('answers to the earlier id of a project, and to no other name', () => {
    expect(combined.of('acme-uk').facts().project).toBe('globex');
    expect(() => combined.of('none').facts()).toThrow(NotFound);
    expect(() => combined.runs({ project: 'none' })).toThrow(NotFound);
  });

  it('has another version when one of them changed', async () => {
    const before = combined.version();
    expect(combined.version()).toBe(before);
    const noted = await commandAt(folders[1] as ProjectFolder, now, 'note', 'add', 'a later note');
    expect(noted.err).toBe('');
    expect(combined.version()).not.toBe(before);
    expect(combined.notes({ project: 'globex' }).map(({ text }) => text)).toContain('a later note');
  });

  it('gives a project to the database that has it now', async () => {
    const third = await opened(written('acme-uk'));
    const [first, second] = apps as [App, App];
    const { all: reader } = await portfolioHistory([first, second, third]);
    expect(reader.of('acme-uk').facts().project).toBe('acme-uk');
    await third.close();
  });
});

describe('view', () => {
  it('serves the projects of all configs', async () => {
    const [first, second] = apps as [App, App];
    const server = await view(first, { port: 0, others: [second] });
    try {
      const { data } = (await (await fetch(`${server.url}/v1/projects`)).json()) as { data: ProjectOverview[] };
      expect(data.map(({ project, database }) => [project, database])).toEqual([
        ['acme', 1],
        ['globex', 2],
      ]);
      const facts = await (await fetch(`${server.url}/v1/projects/globex`)).json();
      expect(facts).toMatchObject({ project: 'globex', dates: ['2026-01-12', '2026-01-13', '2026-01-14'] });
      expect(await undescribed(server.url, 'globex')).toEqual([]);
    } finally {
      await server.close();
    }
  });

  it('refuses two projects of the same id, and two configs of the same database', async () => {
    const [first] = apps as [App];
    const twin = await opened(written('acme'));
    await expect(view(first, { port: 0, others: [twin] })).rejects.toThrow(
      `${first.config.file} and ${twin.config.file} have the same project: acme`,
    );
    await expect(view(first, { port: 0, others: [first] })).rejects.toThrow('have the same database');
    await twin.close();
    const linked = projectFolder(written('other', '').replace('budget:', 'database: link.sqlite\nbudget:'));
    symlinkSync(first.config.databaseFile, join(linked.path, 'link.sqlite'));
    const link = await readingApp(linked.path, now);
    await expect(view(first, { port: 0, others: [link] })).rejects.toThrow('have the same database');
    await link.close();
  });

  it('has the same projects for assistants', async () => {
    const [first, second] = apps as [App, App];
    const server = await serveMcpHttp(first, { port: 0, signal: new AbortController().signal, others: [second] });
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_projects', arguments: {} } };
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    const answer = await (await fetch(server.url, { method: 'POST', headers, body: JSON.stringify(call) })).text();
    await server.close();
    expect(answer).toMatch(/acme.*globex/s);
  });

  it('asks for tokens of the first database as soon as one of them has readers', async () => {
    const [first, second] = apps as [App, App];
    const server = await view(first, { port: 0, others: [second] });
    const status = async (token?: string) =>
      (
        await fetch(
          `${server.url}/v1/projects`,
          token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
        )
      ).status;
    const added = async (folder: ProjectFolder | undefined) => {
      const { out } = await commandAt(folder as ProjectFolder, now, 'reader', 'add', 'anna', '--json');
      return (JSON.parse(out) as { token: string }).token;
    };
    try {
      expect(await status()).toBe(200);
      const other = await added(folders[1]);
      expect([await status(), await status(other)]).toEqual([401, 401]);
      await expect(view(first, { port: 0, others: [second] })).rejects.toThrow('readers of the first config');
      const token = await added(folders[0]);
      expect([await status(), await status(other), await status(token)]).toEqual([401, 401, 200]);
      const { out } = await commandAt(folders[0] as ProjectFolder, now, 'reader', 'list');
      expect(out).toMatch(/anna .*never/);
    } finally {
      await server.close();
    }
  });

  it('takes several files, and edits only one', async () => {
    const files = folders.map(({ path }) => join(path, 'rankledger.yaml'));
    const { exitCode, err } = await invoke(['view', '--edit', '--config', ...files]);
    expect([exitCode, err]).toEqual([2, expect.stringContaining('--edit changes the files of one config')]);
    const spending = await invoke(['mcp', '--allow-spend', '--config', ...files]);
    expect([spending.exitCode, spending.err]).toEqual([2, expect.stringContaining('are for one config')]);
    const [opening, closing] = [[] as string[], [] as string[]];
    const outcome = await invoke(['view', '--port', '0', '--config', ...files], {
      withSignal: (interrupt) => interrupt(),
      openApp: async (config) => {
        opening.push(config.file);
        const app = new App(config, { clock: new SimulatedClock(now), isReading: true });
        const close = app.close.bind(app);
        app.close = async () => {
          closing.push(config.file);
          await close();
        };
        return app;
      },
    });
    expect([outcome.exitCode, outcome.err]).toEqual([0, '']);
    expect(opening).toEqual(files);
    expect(closing.toSorted()).toEqual(files.toSorted());
  });
});
