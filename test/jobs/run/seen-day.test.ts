// Each check has the local day on which its own pages were seen, not the day of its run.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportHistory } from '../../../jobs/query/export-history.ts';
import { historyRows } from '../../../jobs/query/read-history.ts';
import { jsonLines } from '../../../src/report/formats/export.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { codeOfRank } from '../../../src/tracker/rank-codes.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { deadOwner, keyword, project, type WorldOptions } from '../../helpers/jobs.ts';
import { RankedWorld } from '../../helpers/ranked-world.ts';
import { heldData } from '../../report/html/built-page.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** 23:30 in New York, on the 15th. */
const lateEvening = Date.UTC(2026, 0, 16, 4, 30);
const slot = '2026-01-15T23:30';

const tracked = (more: Partial<Project> = {}): Project =>
  project({
    timezone: 'America/New_York',
    schedule: '30 23 * * *',
    keywords: [keyword('boots', { depth: 1 }), keyword('shoes', { depth: 1 })],
    ...more,
  });

interface BeginOptions extends Partial<WorldOptions> {
  readonly kind?: 'live' | 'sandbox';
}

function begin(projects: readonly Project[], options: BeginOptions = {}): RankedWorld {
  const ranked = new RankedWorld(projects, { concurrency: 1, reports: true, ...options });
  ranked.scenes = { boots: { at: { 2: 'https://acme.example/' } }, shoes: { at: { 5: 'https://acme.example/' } } };
  return ranked;
}

async function runSlot(ranked: RankedWorld, at: number, now: number): Promise<void> {
  ranked.clock.set(now);
  const { world } = ranked;
  const reports = { ...world.settings().reports, html: true, agencyDays: 30 };
  await world.run({ kind: 'slot', projects: world.projects, at }, { reports });
  expect(world.broken()).toEqual([]);
}

interface SeenRow {
  readonly keyword: string;
  readonly date: string;
  readonly note: string | null;
}

/** The date of each row of the slot for every reader of history, by keyword; the readers must agree. */
function seenRows(ranked: RankedWorld, of = slot): SeenRow[] {
  const { context, projects } = ranked.world;
  const rows = projects
    .flatMap(({ keywords }) => keywords)
    .flatMap(({ keyword: text }) => [...historyRows(context, projects, { keyword: text })])
    .filter((row) => row.slot === of)
    .map(({ keyword: text, localDate: date, note }) => ({ keyword: text, date, note }));
  const exported = [...exportHistory(context, null, { what: 'rankings' }).encoded(jsonLines)].join('').trim();
  const lines = exported.split('\n').map((line) => JSON.parse(line) as Record<string, string | null>);
  expect(
    lines
      .filter((line) => line['slot'] === of)
      .map((line) => ({ keyword: line['keyword'], date: line['local_date'], note: line['note'] }))
      .sort((a, b) => ((a.keyword ?? '') < (b.keyword ?? '') ? -1 : 1)),
  ).toEqual(rows);
  const changes = ranked.world.table('rank-changes.csv', 'acme', of.replace(':', ''));
  for (const { keyword: text, note } of rows) {
    const row = changes.find((each) => each['keyword'] === text);
    expect(row?.['note'] ?? '').toContain(note ?? '');
    if (note === null) expect(row?.['note'] ?? '').not.toContain('seen on');
  }
  return rows;
}

/** Ranks by keyword and date, in the files of all projects and on the page; they must agree. */
function charted({ world }: RankedWorld): Record<string, Record<string, number>> {
  const ranks: Record<string, Record<string, number>> = {};
  for (const row of world.table('all-projects-long.csv', 'agency')) {
    if (row['status'] !== 'ranked') continue;
    ranks[row['keyword'] ?? ''] = { ...ranks[row['keyword'] ?? ''], [row['date'] ?? '']: Number(row['rank']) };
  }
  for (const row of world.table('all-projects-wide.csv', 'agency')) {
    const cells = Object.entries(row).filter(([name, cell]) => name.startsWith('20') && /^\d+$/.test(cell));
    expect(Object.fromEntries(cells.map(([date, cell]) => [date, Number(cell)]))).toEqual(ranks[row['keyword'] ?? '']);
  }
  const data = heldData(readFileSync(join(world.reports, 'acme', 'latest', 'report.html'), 'utf8'));
  for (const [at, { keyword }] of data.rows.entries()) {
    const trail = data.histories[at]?.codes ?? [];
    const found = data.axis.dates.flatMap((date, index) =>
      (trail[index] ?? 0) >= codeOfRank(1) ? [[date, trail[index]] as const] : [],
    );
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(Object.entries(ranks[keyword] ?? {}).map(([date, rank]) => [date, codeOfRank(rank)])),
    );
  }
  return ranks;
}

describe('a check whose pages were seen on another day than that of its run', () => {
  const late = (date: string) => `late run: seen on ${date}, for the slot of ${slot}`;

  it('has its own day in a run that crosses midnight', async () => {
    const ranked = begin([tracked()]);
    ranked.onPage = (text) => {
      if (text === 'boots') ranked.clock.set(lateEvening + hourMs);
    };
    await runSlot(ranked, lateEvening, lateEvening);
    expect(seenRows(ranked)).toEqual([
      { keyword: 'boots', date: '2026-01-15', note: null },
      { keyword: 'shoes', date: '2026-01-16', note: late('2026-01-16') },
    ]);
    expect(charted(ranked)).toEqual({ boots: { '2026-01-15': 2 }, shoes: { '2026-01-16': 5 } });
    const [summary] = ranked.world.table('summary.csv');
    expect(summary?.['warning']).toBe(`late run: seen on 2026-01-15 and 2026-01-16, for the slot of ${slot}`);
  });

  it('has its own day if the run was resumed two days later', async () => {
    const folder = temporaryFolder();
    const shared = { file: join(folder, 'db.sqlite'), reports: join(folder, 'reports') };
    const first = begin([tracked()], { ...shared, owner: deadOwner });
    first.onPage = () => first.world.stop();
    await runSlot(first, lateEvening, lateEvening);
    expect(first.world.checks()).toEqual(['boots ok 1', 'shoes planned 0']);
    await first.world.close();
    const second = begin([tracked()], shared);
    await runSlot(second, lateEvening, lateEvening + 2 * dayMs - hourMs);
    expect(second.world.checks(1)).toEqual(['boots ok 1', 'shoes ok 1']);
    expect(seenRows(second)).toEqual([
      { keyword: 'boots', date: '2026-01-15', note: null },
      { keyword: 'shoes', date: '2026-01-17', note: late('2026-01-17') },
    ]);
    expect(charted(second)).toEqual({ boots: { '2026-01-15': 2 }, shoes: { '2026-01-17': 5 } });
  });

  it('has the day before if the run reused a page of that day', async () => {
    const ranked = begin([tracked({ freshForMs: 2 * dayMs })]);
    await runSlot(ranked, lateEvening - dayMs, lateEvening - dayMs);
    await runSlot(ranked, lateEvening, lateEvening);
    const note = `reused pages: seen on 2026-01-14, for the slot of ${slot}`;
    expect(seenRows(ranked)).toEqual([
      { keyword: 'boots', date: '2026-01-14', note },
      { keyword: 'shoes', date: '2026-01-14', note },
    ]);
    expect(charted(ranked)).toEqual({ boots: { '2026-01-14': 2 }, shoes: { '2026-01-14': 5 } });
    const [summary] = ranked.world.table('summary.csv');
    expect(summary?.['warning']).toBe('');
  });

  it('has its own day if an old run was reopened for deferred checks', async () => {
    const ranked = begin([tracked()], { caps: { serp_credit: { perDay: 1 }, micro_usd: {} } });
    await runSlot(ranked, lateEvening, lateEvening);
    expect(ranked.world.checks()).toEqual(['boots ok 1', 'shoes deferred 0']);
    expect(seenRows(ranked)).toMatchObject([{ date: '2026-01-15' }, { date: '2026-01-15', note: null }]);
    await runSlot(ranked, lateEvening, lateEvening + 9 * dayMs);
    expect(ranked.world.checks(1)).toEqual(['boots ok 1', 'shoes ok 1']);
    expect(seenRows(ranked)).toEqual([
      { keyword: 'boots', date: '2026-01-15', note: null },
      { keyword: 'shoes', date: '2026-01-24', note: late('2026-01-24') },
    ]);
    expect(charted(ranked)).toEqual({ boots: { '2026-01-15': 2 }, shoes: { '2026-01-24': 5 } });
  });

  it('is found by its own day in history and exports', async () => {
    const ranked = begin([tracked()]);
    ranked.onPage = (text) => {
      if (text === 'boots') ranked.clock.set(lateEvening + hourMs);
    };
    await runSlot(ranked, lateEvening, lateEvening);
    const { context, projects } = ranked.world;
    for (const [date, text] of [
      ['2026-01-15', 'boots'],
      ['2026-01-16', 'shoes'],
    ] as const) {
      const range = { from: date, to: date };
      const found = ['boots', 'shoes'].filter(
        (name) => [...historyRows(context, projects, { keyword: name, ...range })].length > 0,
      );
      expect(found).toEqual([text]);
      for (const what of ['rankings', 'checks', 'serps'] as const) {
        const lines = [...exportHistory(context, null, { what, ...range }).encoded(jsonLines)]
          .join('')
          .trim()
          .split('\n');
        expect([...new Set(lines.map((line) => JSON.parse(line).keyword))]).toEqual([text]);
      }
    }
  });

  it('is not a baseline of a day on which it had not been seen yet', async () => {
    const ranked = begin([tracked()]);
    const { world } = ranked;
    const reports = { ...world.settings().reports, comparison: { kind: 'days', days: 2 } as const };
    const ranks = async (at: number, now: number, rank: number) => {
      ranked.scenes = { boots: {}, shoes: { at: { [rank]: 'https://acme.example/' } } };
      ranked.clock.set(now);
      await world.run({ kind: 'slot', projects: world.projects, at }, { reports });
    };
    await ranks(lateEvening - dayMs, lateEvening - dayMs, 3);
    ranked.onPage = (text) => {
      if (text === 'boots') ranked.clock.set(lateEvening + 2 * dayMs - hourMs);
    };
    await ranks(lateEvening, lateEvening, 7); // shoes are seen on the 17th
    ranked.onPage = () => undefined;
    await ranks(lateEvening + 2 * dayMs, lateEvening + 2 * dayMs, 4);
    const rows = world.table('rank-changes.csv');
    expect(rows.find((row) => row['keyword'] === 'shoes')).toMatchObject({
      rank: '4',
      previous_rank: '3',
      previous_checked_at: '2026-01-15T04:30:00.000Z',
    });
  });

  it('keeps the date of its slot if the source is simulated', async () => {
    const ranked = begin([tracked()], { kind: 'sandbox' });
    ranked.onPage = (text) => {
      if (text === 'boots') ranked.clock.set(lateEvening + 5 * dayMs);
    };
    await runSlot(ranked, lateEvening, lateEvening);
    expect(seenRows(ranked)).toEqual([
      { keyword: 'boots', date: '2026-01-15', note: null },
      { keyword: 'shoes', date: '2026-01-15', note: null },
    ]);
    expect(charted(ranked)).toEqual({ boots: { '2026-01-15': 2 }, shoes: { '2026-01-15': 5 } });
  });
});
