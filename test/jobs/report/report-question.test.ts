// Questions beside the daily report: each answer has a folder of its own, and says nothing of later days.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeAgencyFiles } from '../../../jobs/report/agency-files.ts';
import { runAsked } from '../../../jobs/report/report-question.ts';
import { type ReportSettings, writeReports } from '../../../jobs/report/write-report.ts';
import { keyword, project, removeTemporaryFolders, resultsWith, temporaryFolder, World } from '../../helpers/jobs.ts';
import { type Provider, startProvider } from '../../helpers/provider.ts';

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
  world = new World({ provider, projects: [project({ keywords: [keyword('a', { depth: 1 })] })] });
});
afterEach(async () => {
  await world.close();
  await provider.close();
});
afterAll(removeTemporaryFolders);

async function runDays(ranks: readonly number[]): Promise<void> {
  for (const [day, each] of ranks.entries()) {
    rank = each;
    world.clock.set(start + day * dayMs);
    await world.runSlot(start + day * dayMs);
  }
}

/** As the command does: the newest run of the question, against its baseline. Returns the name of the folder. */
function ask(settings: Partial<ReportSettings>): string | undefined {
  const [one] = world.projects;
  const run = one === undefined ? null : runAsked(world.context, one, settings.question ?? {});
  if (run === null) return undefined;
  const [report] = writeReports(world.context, { ...world.settings().reports, ...settings }, run.id);
  return report?.directory.split('/').at(-1);
}

const folders = (parent = join(world.reports, 'acme')) => readdirSync(parent).sort();
const rows = (folder: string, parent = world.reports) =>
  Papa.parse<Record<string, string>>(
    readFileSync(join(parent, 'acme', folder, 'rank-changes.csv'), 'utf8').replace(/^\uFEFF/, ''),
    { header: true, skipEmptyLines: true },
  ).data;

describe('a question', () => {
  it('against another baseline leaves the daily report and `latest` as they are', async () => {
    await runDays([9, 8, 7]);
    const delivered = readFileSync(join(world.reports, 'acme/latest/rank-changes.csv'));
    const folder = ask({ comparison: { kind: 'days', days: 2 }, question: { hasOtherBaseline: true } });
    expect(folder).toBe('2026-01-17T0600-compare-2d');
    expect(rows('2026-01-17T0600-compare-2d')).toMatchObject([{ rank: '7', previous_rank: '9' }]);
    expect(readFileSync(join(world.reports, 'acme/latest/rank-changes.csv'))).toEqual(delivered);
    expect(readlinkSync(join(world.reports, 'acme/latest'))).toBe('2026-01-17T0600');
  });

  it('as of a day shows the state at its end, whatever came later', async () => {
    await runDays([9, 8, 7]);
    const before = folders();
    expect(ask({ question: { asOf: '2026-01-16' } })).toBe('as-of-2026-01-16');
    expect(rows('as-of-2026-01-16')).toMatchObject([{ rank: '8', previous_rank: '9', best_rank: '8' }]);
    expect(folders()).toEqual([...before, 'as-of-2026-01-16'].sort());
    expect(ask({ question: { asOf: '2026-01-14' } })).toBeUndefined();
  });

  it('as of a day leaves out a run whose pages were seen after it', async () => {
    await runDays([9]);
    world.clock.set(start + 3 * dayMs);
    rank = 4;
    // late, on the 18th: a live source shows only the present
    await world.runSlot(start + dayMs);
    ask({ question: { asOf: '2026-01-16' } });
    ask({ question: { asOf: '2026-01-18' } });
    expect(rows('as-of-2026-01-16')).toMatchObject([{ rank: '9', checked_at: '2026-01-15T06:00:00.000Z' }]);
    expect(rows('as-of-2026-01-18')).toMatchObject([{ rank: '4', checked_at: '2026-01-18T06:00:00.000Z' }]);
  });

  it('as of a day leaves out a run that went on after midnight', async () => {
    await runDays([9]);
    const evening = Date.UTC(2026, 0, 16, 23, 59);
    world.clock.set(evening);
    onAsked = () => world.clock.set(evening + 2 * 60_000);
    rank = 4;
    await world.runSlot(evening);
    ask({ question: { asOf: '2026-01-16' } });
    ask({ question: { asOf: '2026-01-17' } });
    expect(rows('as-of-2026-01-16')).toMatchObject([{ rank: '9' }]);
    expect(rows('as-of-2026-01-17')).toMatchObject([{ rank: '4', checked_at: '2026-01-17T00:01:00.000Z' }]);
  });

  it('into a folder of its own makes neither an index nor a link there', async () => {
    await runDays([9, 8]);
    const out = join(temporaryFolder(), 'delivery');
    expect(ask({ directory: out, isApart: true, html: true })).toBe('2026-01-16T0600');
    expect([readdirSync(out), folders(join(out, 'acme'))]).toEqual([['acme'], ['2026-01-16T0600']]);
  });

  it('never replaces a report that the config asked for before its baseline was changed', async () => {
    await runDays([9, 8, 7]);
    expect(ask({ comparison: { kind: 'days', days: 1 } })).toBe('2026-01-17T0600-compare-1d');
    expect(readlinkSync(join(world.reports, 'acme/latest'))).toBe('2026-01-17T0600-compare-1d');
    expect(ask({})).toBe('2026-01-17T0600');
  });

  it('that is asked again keeps the workbook that was delivered with it', async () => {
    await runDays([9]);
    ask({ xlsx: true });
    ask({});
    expect(readdirSync(join(world.reports, 'acme/latest'))).toContain('report.xlsx');
  });

  it('as of a day has files of all projects of its own, too', async () => {
    await runDays([9, 8, 7]);
    const settings = { ...world.settings().reports, agencyDays: 30 };
    writeAgencyFiles(world.context, settings);
    const asOf = writeAgencyFiles(world.context, { ...settings, question: { asOf: '2026-01-16' } });
    expect(asOf).toMatchObject({ directory: join(world.reports, 'agency/as-of-2026-01-16'), rows: 2 });
    expect(folders(join(world.reports, 'agency'))).toEqual(['2026-01-17', 'as-of-2026-01-16', 'latest']);
    expect(readlinkSync(join(world.reports, 'agency/latest'))).toBe('2026-01-17');
  });
});
