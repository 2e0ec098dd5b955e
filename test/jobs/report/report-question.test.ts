// Reports on request: each has its own folder, and shows nothing of later days.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { writeAgencyFiles } from '../../../jobs/report/files/agency-files.ts';
import { answerOf } from '../../../jobs/report/report-question.ts';
import { type ReportSettings, writeFolders } from '../../../jobs/report/write-report.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { keyword, project, resultsWith, World } from '../../helpers/jobs.ts';
import { type Provider, startProvider } from '../../helpers/provider.ts';
import { heldData } from '../../report/html/built-page.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);

let world: World;
let provider: Provider;
let rank: number;
let onAsked: () => void;
beforeEach(async () => {
  onAsked = () => {};
  provider = await startProvider({
    pageSize: () => 10,
    results: () => {
      onAsked();
      return resultsWith('https://acme.example/', rank);
    },
  });
  world = new World({ reports: true, provider, projects: [project({ keywords: [keyword('a', { depth: 1 })] })] });
});

async function runDays(ranks: readonly number[]): Promise<void> {
  for (const [day, each] of ranks.entries()) {
    rank = each;
    world.clock.set(start + day * dayMs);
    await world.runSlot(start + day * dayMs);
  }
}

/** As the command does: reports the newest run of the request against its baseline. Returns the name of the folder. */
function ask(settings: Partial<ReportSettings>): string | undefined {
  const asked = { ...world.settings().reports, ...settings };
  const answer = answerOf(world.context, asked, world.projects[0]!);
  if (answer === null) return undefined;
  const [report] = writeFolders(world.context, answer.settings, answer.runId);
  return report?.directory.split('/').at(-1);
}

const folders = (parent = join(world.reports, 'acme')) => readdirSync(parent).sort();

describe('a report on request', () => {
  it('against another baseline leaves the daily report and `latest` alone', async () => {
    await runDays([9, 8, 7]);
    const delivered = readFileSync(join(world.reports, 'acme/latest/rank-changes.csv'));
    const folder = ask({ comparison: { kind: 'days', days: 2 }, question: { hasOtherBaseline: true } });
    expect(folder).toBe('2026-01-17T0600-compare-2d');
    expect(world.table('rank-changes.csv', 'acme', '2026-01-17T0600-compare-2d')).toMatchObject([
      { rank: '7', previous_rank: '9' },
    ]);
    expect(readFileSync(join(world.reports, 'acme/latest/rank-changes.csv'))).toEqual(delivered);
    expect(readlinkSync(join(world.reports, 'acme/latest'))).toBe('2026-01-17T0600');
  });

  it('as of a day shows the state at its end, without later results', async () => {
    await runDays([9, 8, 7]);
    const before = folders();
    expect(ask({ question: { asOf: '2026-01-16' } })).toBe('as-of-2026-01-16');
    expect(world.table('rank-changes.csv', 'acme', 'as-of-2026-01-16')).toMatchObject([
      { rank: '8', previous_rank: '9', best_rank: '8' },
    ]);
    expect(folders()).toEqual([...before, 'as-of-2026-01-16'].sort());
    expect(ask({ question: { asOf: '2026-01-14' } })).toBeUndefined();
  });

  it('as of a day omits a run whose pages were seen after it', async () => {
    await runDays([9]);
    world.clock.set(start + 3 * dayMs);
    rank = 4;
    // late, on the 18th: a live source shows only the present
    await world.runSlot(start + dayMs);
    ask({ question: { asOf: '2026-01-16' } });
    ask({ question: { asOf: '2026-01-18' } });
    expect(world.table('rank-changes.csv', 'acme', 'as-of-2026-01-16')).toMatchObject([
      { rank: '9', checked_at: '2026-01-15T06:00:00.000Z' },
    ]);
    expect(world.table('rank-changes.csv', 'acme', 'as-of-2026-01-18')).toMatchObject([
      { rank: '4', checked_at: '2026-01-18T06:00:00.000Z' },
    ]);
  });

  it('as of a day omits a run that continued after midnight', async () => {
    await runDays([9]);
    const evening = Date.UTC(2026, 0, 16, 23, 59);
    world.clock.set(evening);
    onAsked = () => world.clock.set(evening + 2 * 60_000);
    rank = 4;
    await world.runSlot(evening);
    ask({ question: { asOf: '2026-01-16' } });
    ask({ question: { asOf: '2026-01-17' } });
    expect(world.table('rank-changes.csv', 'acme', 'as-of-2026-01-16')).toMatchObject([{ rank: '9' }]);
    expect(world.table('rank-changes.csv', 'acme', 'as-of-2026-01-17')).toMatchObject([
      { rank: '4', checked_at: '2026-01-17T00:01:00.000Z' },
    ]);
  });

  it('into its own folder creates neither an index nor a link there', async () => {
    await runDays([9, 8]);
    const out = join(temporaryFolder(), 'delivery');
    expect(ask({ directory: out, isApart: true, html: true })).toBe('2026-01-16T0600');
    expect([readdirSync(out), folders(join(out, 'acme'))]).toEqual([['acme'], ['2026-01-16T0600']]);
  });

  it('never replaces a report that the config produced before its baseline was changed', async () => {
    await runDays([9, 8, 7]);
    expect(ask({ comparison: { kind: 'days', days: 1 } })).toBe('2026-01-17T0600-compare-1d');
    expect(readlinkSync(join(world.reports, 'acme/latest'))).toBe('2026-01-17T0600-compare-1d');
    expect(ask({})).toBe('2026-01-17T0600');
  });

  it('that is repeated keeps the workbook that was delivered with it', async () => {
    await runDays([9]);
    ask({ xlsx: true });
    ask({});
    expect(readdirSync(join(world.reports, 'acme/latest'))).toContain('report.xlsx');
  });

  it('as of a day has its own files of all projects', async () => {
    await runDays([9, 8, 7]);
    const settings = { ...world.settings().reports, agencyDays: 30 };
    writeAgencyFiles(world.context, settings);
    const asOf = writeAgencyFiles(world.context, { ...settings, question: { asOf: '2026-01-16' } });
    expect(asOf).toMatchObject({ directory: join(world.reports, 'agency/as-of-2026-01-16'), rows: 2 });
    expect(folders(join(world.reports, 'agency'))).toEqual(['2026-01-17', 'as-of-2026-01-16', 'latest']);
    expect(readlinkSync(join(world.reports, 'agency/latest'))).toBe('2026-01-17');
  });
});

describe('a report on a period', () => {
  const january = { from: '2026-01-01', to: '2026-01-31' };

  it('has start, end, best, worst, average and the days in the top 10 of each row', async () => {
    world.clock.set(start - 40 * dayMs);
    rank = 1;
    await world.runSlot(start - 40 * dayMs);
    await runDays([9, 12, 3, 30, 7]);
    world.clock.set(start + 60 * dayMs);
    rank = 1;
    await world.runSlot(start + 60 * dayMs);
    const folder = ask({ question: { period: january }, html: true });
    expect(folder).toBe('2026-01-01--2026-01-31');
    expect(world.table('period.csv', 'acme', folder!)).toMatchObject([
      {
        keyword: 'a',
        ...{ from: '2026-01-01', to: '2026-01-31', start_date: '2026-01-15', start_rank: '9' },
        ...{ end_date: '2026-01-19', end_rank: '7', change: '2', change_class: 'improved' },
        ...{ best_rank: '3', best_date: '2026-01-17', worst_rank: '9', worst_date: '2026-01-15' },
        // not found on two days, below the single page that was read, which counts as 11
        ...{ average_rank_ranked: '6.33', average_rank_capped: '8.2' },
        ...{ days: '5', days_checked: '5', days_ranked: '3', days_in_top_3: '1', days_in_top_10: '3' },
      },
    ]);
    expect(world.table('rank-changes.csv', 'acme', folder!)).toMatchObject([
      { rank: '7', previous_rank: '9', change: '2' },
    ]);
    const page = readFileSync(join(world.reports, 'acme', folder!, 'report.html'), 'utf8');
    expect(page).toContain('"period":{"from":"2026-01-01"');
    expect(heldData(page).axis.dates).toEqual(['2026-01-15', '2026-01-16', '2026-01-17', '2026-01-18', '2026-01-19']);
    expect(readlinkSync(join(world.reports, 'acme/latest'))).toBe('2026-03-16T0600');
  });

  it('has no number where no check of a day was complete, and says why', async () => {
    provider.next({ status: 400 });
    await runDays([9]);
    const folder = ask({ question: { period: january } });
    expect(world.table('period.csv', 'acme', folder!)).toMatchObject([
      {
        ...{
          start_date: '',
          end_rank: '',
          best_rank: '',
          average_rank_capped: '',
          days_checked: '0',
          days_in_top_10: '',
        },
        ...{ change_class: 'not_comparable', note: 'no complete check in the period' },
      },
    ]);
  });

  it('without runs is not written', async () => {
    await runDays([9]);
    expect(ask({ question: { period: { from: '2026-01-01', to: '2026-01-14' } } })).toBeUndefined();
    expect(ask({ question: { period: { from: '2026-01-16', to: '2026-01-31' } } })).toBeUndefined();
  });

  it('shows no change from a check of another depth that cannot prove it', async () => {
    await runDays([30]);
    const deep = project({ keywords: [keyword('a', { depth: 3 })] });
    (world.context.projects as Map<string, Project>).set('acme', deep);
    rank = 25;
    world.clock.set(start + dayMs);
    await world.runSlot(start + dayMs);
    const folder = ask({ question: { period: january } });
    expect(world.table('period.csv', 'acme', folder!)).toMatchObject([
      {
        ...{ start_status: 'not_found', end_rank: '25', change_class: 'not_comparable' },
        note: 'ranks 25, the earlier check read 10 results',
      },
    ]);
  });
});
