// A project with an adaptive plan, run day by day: within the budget, no search forgotten, no false drop.
import { describe, expect, it } from 'vitest';
import { lackingProjects } from '../../../jobs/backfill/backfill.ts';
import { planReport } from '../../../jobs/query/planning.ts';
import { adaptiveOutcomes } from '../../../jobs/query/status.ts';
import { reportRows, runsOfReport } from '../../../jobs/read/rows/report-rows.ts';
import { checkPlans } from '../../../jobs/run/plan-run.ts';
import type { HistoryRow } from '../../../src/read/row.ts';
import { addToSums, startSums } from '../../../src/read/row-sums.ts';
import type { Project, Target } from '../../../src/tracker/project.ts';
import { keyword, project, type WorldOptions } from '../../helpers/jobs.ts';
import { RankedWorld, type Scene } from '../../helpers/ranked-world.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);
const own: Target = { match: 'domain', value: 'acme.example' };
const adaptive = { cadence: true, paging: true, atLeastEveryMs: 7 * dayMs };
const names = Array.from({ length: 20 }, (_, index) => `keyword ${String(index).padStart(2, '0')}`);

function acme(more: Partial<Project> = {}): Project {
  const keywords = names.map((name) => keyword(name, { depth: 3 }));
  return project({
    targets: [own],
    keywords,
    schedule: '0 6 * * *',
    timezone: 'UTC',
    paging: 'until-found',
    adaptive,
    ...more,
  });
}

/** Keyword n ranks n + 1; those from 15 on do not rank. */
function scenes(): Record<string, Scene> {
  return Object.fromEntries(
    names.map((name, index) => [name, index < 15 ? { at: { [index + 1]: 'https://acme.example/' } } : {}]),
  );
}

function begin(projects: readonly Project[], perDay: number, more: Partial<WorldOptions> = {}): RankedWorld {
  const ranked = new RankedWorld(projects, { caps: { serp_credit: { perDay }, micro_usd: {} }, ...more });
  ranked.scenes = scenes();
  return ranked;
}

/** The keywords that were read on a day, and the number of pages. */
async function day(ranked: RankedWorld, number: number): Promise<Map<string, number>> {
  const read = new Map<string, number>();
  ranked.onPage = (name) => void read.set(name, (read.get(name) ?? 0) + 1);
  await ranked.run(start + number * dayMs);
  return read;
}

/** The rows of the report of a run. */
function rowsOn({ world }: RankedWorld, runId: number): HistoryRow[] {
  const [one] = world.projects as [Project];
  const { store } = world.context;
  const run = store.runs.run(runId);
  const slot = store.runs.slotsOf(runId)[0];
  if (run === null || slot === undefined) throw new Error('the run is not there');
  const source = { store, project: one, runs: runsOfReport(store, run, slot), slot };
  return [...reportRows({ ...source, comparison: { kind: 'previous' }, ctrCurve: 'sistrix-2020' })];
}

/** Change classes by keyword, as the report of a run has them. */
function classesOn(ranked: RankedWorld, runId: number): Map<string, string> {
  return new Map(rowsOn(ranked, runId).map(({ keyword: name, changeClass }) => [name, changeClass]));
}

const sum = (pages: Map<string, number>): number => [...pages.values()].reduce((total, count) => total + count, 0);

describe('an adaptive project', () => {
  it('shares the month evenly over the weekday slots that are left, on a Friday, too', async () => {
    const keywords = names.map((name) => keyword(name, { depth: 1 }));
    const caps = { serp_credit: { perMonth: 11 * 8 }, micro_usd: {} }; // 11 weekdays from Friday the 16th
    expect(sum(await day(begin([acme({ keywords, schedule: '0 6 * * 1-5' })], 1000, { caps }), 1))).toBe(8);
  });

  it('buys a check that costs more than the share of its slot, as often as an even pace of the month allows', async () => {
    const spent = async (depth: number, perMonth: number): Promise<number[]> => {
      const keywords = names.map((name) => keyword(name, { depth }));
      const ranked = begin([acme({ keywords })], 1000, { caps: { serp_credit: { perMonth }, micro_usd: {} } });
      const pages: number[] = [];
      // from 1 February on
      for (let number = 17; number < 29; number += 1) pages.push(sum(await day(ranked, number)));
      await ranked.world.close();
      return pages;
    };
    expect(await spent(1, 7)).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    expect((await spent(3, 28)).slice(0, 2)).toEqual([1, 1]);
  });

  it('shares a day by searches with the projects that run later', async () => {
    const hours = [6, 7, 8];
    const projects = hours.map((hour) => {
      const keywords = names.map((name) => keyword(`${name} ${hour}`, { depth: 1 }));
      return acme({ id: `at${hour}`, keywords, schedule: `0 ${hour} * * *` });
    });
    const rare = acme({ id: 'rare', schedule: '0 9 1 * *' });
    const ranked = begin([...projects, rare], 30);
    const pages: string[] = [];
    for (const at of [start - dayMs, start]) {
      pages.length = 0;
      ranked.onPage = (name) => void pages.push(name.slice(-2));
      for (const hour of hours) await ranked.runDue(at + (hour - 6) * 3_600_000);
    }
    expect(hours.map((hour) => pages.filter((name) => name === ` ${hour}`).length)).toEqual([10, 10, 10]);
  });

  it('spends at most its daily budget, and checks every search within its longest gap', async () => {
    const ranked = begin([acme()], 9);
    const lastSeen = new Map<string, number>();
    for (let number = 0; number <= 24; number += 1) {
      const read = await day(ranked, number);
      expect(sum(read)).toBeLessThanOrEqual(9);
      for (const name of read.keys()) {
        expect(number - (lastSeen.get(name) ?? number)).toBeLessThanOrEqual(7);
        lastSeen.set(name, number);
      }
    }
    expect(lastSeen.size).toBe(20);
    for (const seen of lastSeen.values()) expect(24 - seen).toBeLessThan(7);
  });

  it('searches for missing targets on page 1 only, and never calls a deep rank that it did not reach dropped', async () => {
    const ranked = begin([acme()], 200);
    ranked.scenes['keyword 19'] = { at: { 25: 'https://acme.example/' } };
    await day(ranked, 0);
    ranked.scenes['keyword 19'] = {};
    expect((await day(ranked, 1)).get('keyword 18')).toBe(1);
    const classes = classesOn(ranked, 2);
    expect(classes.get('keyword 18')).toBe('not_comparable');
    expect(classes.get('keyword 19')).toBe('dropped');
    ranked.scenes['keyword 19'] = { at: { 25: 'https://acme.example/' } };
    await day(ranked, 2);
    expect(classesOn(ranked, 3).get('keyword 19')).toBe('not_comparable');
  });

  it('explains every search in a line of the plan, checked or not', async () => {
    const ranked = begin([acme()], 9);
    for (let number = 0; number < 12; number += 1) await day(ranked, number);
    ranked.clock.set(start + 12 * dayMs);
    const { adaptive: decisions = [], searches } = planReport(ranked.world.context, { kind: 'due' });
    expect(decisions).toHaveLength(20);
    expect(decisions.filter(({ check }) => check)).toHaveLength(searches);
    for (const { reason } of decisions) expect(reason).toMatch(/^(check|waits|no credits left): [^\n]+$/);
    expect(decisions.some(({ check }) => !check)).toBe(true);
  });

  it('does not count waiting searches as missing', async () => {
    const ranked = begin([acme()], 9);
    await day(ranked, 0);
    const { context, projects } = ranked.world;
    const options = { keywords: [], tags: [], pages: null, missing: true, failed: true };
    expect(lackingProjects(context.store, projects, options, ranked.clock.now())).toEqual([]);
    const every = projects.map(({ adaptive: _, ...fixed }) => fixed);
    expect(lackingProjects(context.store, every, options, ranked.clock.now())[0]?.missing).toBeGreaterThan(0);
  });

  it('shares a search with a project that checks it at every slot', async () => {
    const other = acme({ id: 'globex' });
    const { adaptive: _, ...fixed } = other;
    const ranked = begin([acme(), fixed], 500);
    await day(ranked, 0);
    const read = await day(ranked, 1);
    expect(read.get('keyword 18')).toBe(3);
    expect(read.get('keyword 00')).toBe(1);
  });
});

describe('the outcome of an adaptive plan', () => {
  it('adds up to the credits of daily checks, and estimates changes that no check saw', async () => {
    const ranked = begin([acme()], 9, { reports: true });
    for (let number = 0; number < 12; number += 1) {
      names.forEach((name, index) => {
        if (index < 15)
          ranked.scenes[name] = { at: { [((index + number * (index % 3)) % 20) + 1]: 'https://acme.example/' } };
      });
      await day(ranked, number);
    }
    const { store } = ranked.world.context;
    const [run] = store.runs.lastRuns(1);
    const last = store.planOutcomes.of(run?.id ?? 0, 'acme');
    const checked = ranked.world.rows(`SELECT count(*) AS n FROM checks WHERE run_id = ${run?.id}`);
    expect(checked).toEqual([{ n: 20 - (last?.waiting ?? 0) }]);
    expect(last?.waiting).toBeGreaterThan(5);
    expect(last?.creditsSaved).toBeGreaterThanOrEqual(last?.waiting ?? 0);
    const [sums] = adaptiveOutcomes(ranked.world.context);
    expect(sums).toMatchObject({ project: 'acme', runs: 12, searches: 240, creditsSpent: ranked.world.credits.spent });
    expect(sums?.missed).toBeGreaterThan(5);
    expect(sums?.missed).toBeLessThan(sums?.changes ?? 0);
    expect(sums?.missedError).toBeGreaterThan(1);
    expect(sums?.savedShare).toBeGreaterThan(0.3);
  });

  it('counts a planned check that the budget of the run deferred as one that waits', async () => {
    const ranked = begin([acme()], 200, {
      reports: true,
      caps: { serp_credit: { perDay: 200, perRun: 4 }, micro_usd: {} },
    });
    await day(ranked, 0);
    const checked = ranked.world.rows("SELECT id FROM checks WHERE state = 'ok'").length;
    expect(checked).toBeLessThan(20);
    expect(adaptiveOutcomes(ranked.world.context)[0]).toMatchObject({ searches: 20, waiting: 20 - checked });
  });

  it('is kept for projects with an adaptive cadence only', async () => {
    const { adaptive: _, ...fixed } = acme();
    const ranked = begin([fixed], 500, { reports: true });
    await day(ranked, 0);
    expect(ranked.world.rows('SELECT * FROM plan_outcomes')).toEqual([]);
    expect(adaptiveOutcomes(ranked.world.context)).toEqual([]);
  });
});

describe('a keyword that waits', () => {
  it('shows its last rank with its age, and is in no sum', async () => {
    const ranked = begin([acme()], 9);
    const checkedOn = new Map<string, number>();
    for (let number = 0; number < 10; number += 1)
      for (const name of (await day(ranked, number)).keys()) checkedOn.set(name, number);
    const rows = rowsOn(ranked, 10);
    const waiting = rows.filter(({ checkedAt }) => checkedAt === null);
    expect(waiting.length).toBeGreaterThan(8);
    for (const row of waiting) {
      const ageDays = 9 - (checkedOn.get(row.keyword) ?? 9);
      const index = names.indexOf(row.keyword);
      expect(row).toMatchObject({ status: 'deferred', rank: null, complete: false });
      // a check of page 1 does not find what ranks below it
      expect(row.last).toMatchObject({ ageDays });
      const known = index < 15 ? index + 1 : null;
      if (index < 10) expect(row.last?.rank).toBe(known);
      else expect([known, null]).toContain(row.last?.rank);
      expect(row.note).toMatch(/^not checked in this run; last (ranked \d+|not found on \d pages?), \d days? before/);
    }
    expect(rows.every(({ last, rank }) => last === undefined || rank === null)).toBe(true);
    const sums = startSums('sistrix-2020');
    for (const row of rows) addToSums(sums, row);
    expect(sums.older).toBe(waiting.length);
    expect(sums.checked).toBe(20 - waiting.length);
    expect(sums.olderDaysMax).toBe(Math.max(...waiting.map(({ last }) => last?.ageDays ?? 0)));
    expect(sums.ranked.count).toBeLessThanOrEqual(sums.checked);
  });
});

describe('the value of a check', () => {
  /** Clicks per credit on the third day, as `plan` prints them. The second keyword is tagged `watched`. */
  async function clicks(worth?: WorldOptions['worth']): Promise<number[]> {
    const pair = ['keyword 00', 'keyword 09'];
    const keywords = pair.map((name, index) => keyword(name, { depth: 3, tags: index === 0 ? [] : ['watched'] }));
    const ranked = begin([acme({ keywords })], 6, worth && { worth });
    await day(ranked, 0);
    const { context, projects } = ranked.world;
    const reasons = new Map<string, string>();
    checkPlans(context, projects, start + 2 * dayMs, (decision) => {
      reasons.set(decision.plan.search.keyword, decision.reason);
    }).toArray();
    return pair.map((name) => Number(/([\d.]+) clicks per credit/.exec(reasons.get(name) ?? '')?.[1]));
  }

  it('counts alert rules that a change of rank could meet', async () => {
    const ctrCurve = 'sistrix-2020';
    const rule = { when: 'dropped-out-of', top: 10 } as const;
    const usual = await clicks();
    expect(await clicks({ ctrCurve, rulesOf: () => [{ ...rule, tags: ['other'] }] })).toEqual(usual);
    const [other, watched] = await clicks({ ctrCurve, rulesOf: () => [{ ...rule, tags: ['watched'] }] });
    expect(other).toBe(usual[0]);
    expect(watched).toBeGreaterThan(usual[1] ?? Number.NaN);
    // from rank 10, few moves end above rank 2
    const [, away] = await clicks({ ctrCurve, rulesOf: () => [{ when: 'moved', by: 8, direction: 'up' }] });
    expect(away).toBeLessThan(watched ?? Number.NaN);
  });

  it('follows the click-through curve of the config', async () => {
    const [steep] = await clicks({ ctrCurve: 'awr-2020-mobile', rulesOf: () => [] });
    const [flat] = await clicks({ ctrCurve: 'backlinko-4m', rulesOf: () => [] });
    expect(steep).toBeGreaterThan(1.5 * (flat ?? Number.NaN));
  });
});

describe('beside a project with a fixed cadence', () => {
  it('leaves it the credits that its slots are expected to cost', async () => {
    const fixedKeywords = ['fixed 1', 'fixed 2', 'fixed 3'].map((name) => keyword(name, { depth: 2 }));
    const { adaptive: _, ...every } = acme({ id: 'zenith', keywords: fixedKeywords, paging: 'full' });
    const ranked = begin([acme(), every], 15);
    for (let number = 0; number <= 14; number += 1) {
      const read = await day(ranked, number);
      expect(sum(read)).toBeLessThanOrEqual(15);
      for (const { keyword: name } of fixedKeywords) expect(read.get(name)).toBe(2);
    }
  });
});

describe('a new project', () => {
  const many = Array.from({ length: 150 }, (_, index) => `new ${index}`);
  /** As sites usually begin: 46 % on page 1, 32 % on page 2, 9 % below, 13 % nowhere. */
  const rankOf = (index: number): number | null => {
    const of100 = (index * 37) % 100;
    if (of100 < 46) return 1 + (index % 10);
    if (of100 < 78) return 11 + (index % 10);
    return of100 < 87 ? 21 + (index % 40) : null;
  };
  const nowhere = (): null => null;

  /** A fixed project beside it takes 6 of 1,680 credits a day in February. */
  async function firstDays(depth: number, days: number, rank = rankOf, perMonth = 1500 + 28 * 6) {
    const keywords = many.map((name) => keyword(name, { depth }));
    const fixedKeywords = ['fixed 1', 'fixed 2', 'fixed 3'].map((name) => keyword(name, { depth: 2 }));
    const { adaptive: _, ...every } = acme({ id: 'zenith', keywords: fixedKeywords, paging: 'full' });
    const caps = { serp_credit: { perMonth }, micro_usd: {} };
    const ranked = begin([acme({ keywords }), every], 0, { caps });
    for (const [index, name] of many.entries()) {
      const at = rank(index);
      ranked.scenes[name] = at === null ? {} : { at: { [at]: 'https://acme.example/' } };
    }
    const seen = new Set<string>();
    const pages: number[] = [];
    const fixedPages: number[] = [];
    for (let number = 17; number < 17 + days; number += 1) {
      const read = await day(ranked, number);
      for (const name of read.keys()) seen.add(name);
      fixedPages.push(fixedKeywords.reduce((total, { keyword: name }) => total + (read.get(name) ?? 0), 0));
      pages.push(sum(read) - (fixedPages.at(-1) ?? 0));
    }
    await ranked.world.close();
    return { unseen: many.filter((name) => !seen.has(name)).length, pages, fixedPages };
  }

  it.each([3, 10])('has seen 150 keywords by day 5 with 1,500 credits a month, at depth %i', async (depth) => {
    const { unseen, fixedPages } = await firstDays(depth, 5);
    expect(unseen).toBe(0);
    expect(fixedPages).toEqual([6, 6, 6, 6, 6]);
  });

  it.each([
    ['the usual pages of first checks', undefined, 6],
    ['less, where another project was found on page 1', 3, 8],
    ['more, where another project was not found', 0, 4],
  ])('expects %s', async (_, rank, count) => {
    const of = (prefix: string, some = many) => some.map((name) => keyword(`${prefix} ${name}`, { depth: 3 }));
    const fresh = acme({ id: 'fresh', keywords: of('fresh'), schedule: '0 6 * * *' });
    const { adaptive: __, ...every } = acme({
      id: 'zenith',
      keywords: of('other', many.slice(0, 40)),
      schedule: '0 6 31 1 *',
    });
    const projects = rank === undefined ? [fresh] : [fresh, every];
    const ranked = begin(projects, 0, { caps: { serp_credit: { perMonth: 300 }, micro_usd: {} } });
    for (const { keyword: name } of every.keywords)
      ranked.scenes[name] = rank === 0 ? {} : { at: { 3: 'https://acme.example/' } };
    const at = start + 16 * dayMs;
    ranked.clock.set(at);
    if (rank !== undefined) await ranked.world.run({ kind: 'slot', projects: [every], at });
    ranked.clock.set(at + dayMs);
    // an even share is 10.7 credits: first checks of all would cost more than half of the month
    expect([...checkPlans(ranked.world.context, [fresh], at + dayMs)].length).toBe(count);
    const planned = planReport(ranked.world.context, { kind: 'now', projects: [fresh] });
    expect(planned).toMatchObject({ searches: count, creditsWorstCase: 3 * count, pagesWorstCase: 3 * count });
    // as many as the plan has counted: the even share, without a part of a check
    expect(planned.creditsExpected).toBeLessThanOrEqual(11);
    expect(planned.creditsExpected).toBeGreaterThan(8);
    expect(planned.pagesExpected).toBe(planned.creditsExpected);
    await ranked.world.close();
  });

  it('takes no credits from a fixed project, also where its first checks find nothing', async () => {
    const { pages, fixedPages } = await firstDays(10, 28, nowhere);
    expect(fixedPages).toEqual(fixedPages.map(() => 6));
    expect(pages.reduce((total, count) => total + count, 0)).toBeLessThanOrEqual(1500);
    // the rest of the month keeps at least half an even pace
    expect(Math.min(...pages)).toBeGreaterThan(25);
  });
});

describe('a project without an adaptive plan', () => {
  it('gets the same plan as before', async () => {
    const { adaptive: _, ...fixed } = acme();
    const ranked = begin([fixed], 60);
    await day(ranked, 0);
    const { context } = ranked.world;
    const plans = [...checkPlans(context, [fixed], start + dayMs)];
    expect(plans).toHaveLength(20);
    expect(new Set(plans.map(({ depth, paging }) => `${paging} ${depth}`))).toEqual(new Set(['until-found 3']));
    expect(planReport(context, { kind: 'now', projects: [fixed] })).not.toHaveProperty('adaptive');
  });
});
