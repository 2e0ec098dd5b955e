// `demo`: runs the product on the sandbox over simulated days, then shows the reports and the largest changes.

import { existsSync } from 'node:fs';
import { constants, copyFile, mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import type { App } from '../../app/app.ts';
import type { AuditReport } from '../../app/audit.ts';
import type { WrittenReport } from '../../app/reports/report.ts';
import type { RunResult } from '../../app/runs/run.ts';
import type { SimulatedClock } from '../../app/runs/simulation.ts';
import type { Mover } from '../../report/tables/movers.ts';
import { sumOf } from '../../tracker/figures.ts';
import { dayMs } from '../../tracker/schedule/time-units.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { packageRoot } from '../package-root.ts';
import { wholeNumber } from '../parsed-command.ts';
import { CommandError } from '../text/failure.ts';
import { amount, counted, dollars } from '../text/numbers.ts';
import { biggestMovers, printMovers } from '../text/results/run-text.ts';
import { factLines, shellQuoted } from '../text/table.ts';

/** Part of the moments of a demo, after those that have run; `total`: of all. */
interface Days {
  readonly clock: SimulatedClock;
  readonly moments: readonly number[];
  readonly done: number;
  readonly total: number;
  readonly skipsReports?: boolean;
}

interface DemoReport {
  readonly config: string;
  readonly days: number;
  readonly runs: number;
  readonly checks: number;
  readonly incompleteChecks: number;
  readonly serpCredits: number;
  readonly microUsd: number;
  readonly ledgerIsSound: boolean;
  readonly reports: readonly {
    readonly project: string;
    readonly directory: string;
    readonly files: readonly string[];
    readonly headline: WrittenReport['headline'];
  }[];
  readonly movers: readonly Mover[];
}

const daysMax = 400;
/** The runs of the last days have reports; `report --as-of` writes that of any other day. */
const reportedMs = 2 * dayMs;
/** The files to open first; the other tables are beside them. */
const firstFiles = ['report.html', 'rank-changes.csv', 'summary.csv'];
/**
 * Files of the package's config folder, and their names in the demo's folder. The config is written last: if it is
 * there, all are.
 */
const files = [
  ['keywords/acme.csv', 'keywords/acme.csv'],
  ['rankledger.schema.json', 'rankledger.schema.json'],
  ['rankledger.example.yaml', 'rankledger.yaml'],
] as const;

const describe = (command: Command) =>
  command
    .argument('[dir]', 'folder of the config, the database and the reports', 'demo')
    .option('--days <n>', 'simulated days, ending today', wholeNumber(1, daysMax), 30);

export const command: CommandDefinition = {
  about: `Needs no key, no server and no network, and costs nothing: result pages and sites are synthetic. A second demo in the same folder
continues where the first one ended. Some searches fail on purpose, as real ones do; the demo still succeeds.`,
  examples: [
    { command: 'demo', does: '30 days in ./demo' },
    { command: 'demo try --days 90', does: '90 days in another folder' },
  ],
  readsConfig: false,
  describe,
  async run(context) {
    const { days } = context.flags(describe);
    const directory = resolve(context.host.cwd, context.args[0] ?? 'demo');
    const config = await demoConfig(context, directory);
    const { SimulatedClock } = await import('../../app/runs/simulation.ts');
    const { daysBefore } = await import('../../app/runs/simulation.ts');
    const { moments, baselineDate } = daysBefore(config, context.host.now(), days);
    const [start] = moments;
    if (start === undefined || baselineDate === null) {
      throw new CommandError(
        'NOTHING_DUE',
        `Nothing is due within ${counted(days, 'day')}.`,
        'Simulate more days, or give a project a schedule.',
      );
    }
    if (!context.json)
      context.out.line(
        `Tracking ${counted(config.projects.length, 'synthetic site')} over ${counted(days, 'simulated day')} ...`,
      );
    const clock = new SimulatedClock(start);
    // days that are only simulated can be lost: waiting for the disk takes a fifth of the time
    const opening = { clock, isScratch: !existsSync(config.databaseFile) };
    const last = moments.at(-1) ?? start;
    const total = moments.length;
    const reported = moments.findIndex((at) => at >= last - reportedMs);
    const final = moments.findIndex((at) => at > last - dayMs);
    const runs: RunResult[] = [];
    const early = [
      { skipsReports: true, from: 0, to: reported },
      { skipsReports: false, from: reported, to: final },
    ].filter(({ from, to }) => from < to);
    for (const { skipsReports, from, to } of early) {
      const days = { clock, moments: moments.slice(from, to), done: from, total, skipsReports };
      await withApp(context, config, opening, (app) => runDays(app, days, runs, context));
    }
    return withApp(context, comparedWith(config, baselineDate), opening, async (app) => {
      await runDays(app, { clock, moments: moments.slice(final), done: final, total }, runs, context);
      const { report: writeReports } = await import('../../app/reports/report.ts');
      const { audit } = await import('../../app/audit.ts');
      const reports = writeReports(app, {});
      const report = demoReport(app, audit(app), { days, runs, reports });
      if (context.json) context.out.json(report);
      else print(context, report, baselineDate);
      return exitCodes.done;
    });
  },
};

interface Opening {
  readonly clock: SimulatedClock;
  readonly isScratch: boolean;
}

async function withApp<T>(
  { host, isVerbose, log }: Context,
  config: ResolvedConfig,
  { clock, isScratch }: Opening,
  work: (app: App) => Promise<T>,
): Promise<T> {
  const app = await host.openApp(config, { clock, isScratch, ...(isVerbose && { log }) });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

/** The last reports compare with the beginning of the demo. */
function comparedWith(config: ResolvedConfig, date: string): ResolvedConfig {
  return { ...config, reports: { ...config.reports, compare: { kind: 'date', date } } };
}

/**
 * The config in the folder, written first if it is missing. Simulated days must never use a source that costs money.
 */
async function demoConfig({ host, out, json, shown }: Context, directory: string): Promise<ResolvedConfig> {
  const file = join(directory, 'rankledger.yaml');
  if (!existsSync(file)) {
    const source = join(packageRoot().directory, 'config');
    for (const [from, to] of files) {
      const target = join(directory, to);
      await mkdir(dirname(target), { recursive: true });
      if (!existsSync(target)) await copyFile(join(source, from), target, constants.COPYFILE_EXCL);
    }
    if (!json) out.line(`Wrote ${shown(file)}. Edit it as you like.`);
  }
  const { loadConfig } = await import('../../../config/load.ts');
  const config = await loadConfig({ file, cwd: host.cwd, env: host.env });
  host.restrictFiles(config.fileAccess);
  const { costsMoney } = await import('../../app/planning.ts');
  const paid = config.projects.find(({ service }) => costsMoney(config, service));
  if (paid === undefined) return config;
  throw new CommandError(
    'DEMO_COSTS_MONEY',
    `Project "${paid.id}" of ${shown(file)} uses a service that costs money, and a demo only simulates.`,
    `To track it for real: rankledger run --config ${shown(file)}`,
    exitCodes.usage,
  );
}

/** Adds the runs of these days to `runs`. Throws if not all of them passed. */
async function runDays(
  app: App,
  { clock, moments, done: before, total, skipsReports = false }: Days,
  runs: RunResult[],
  { progress, signal }: Context,
): Promise<void> {
  const { simulate } = await import('../../app/runs/simulation.ts');
  const { run } = await import('../../app/runs/run.ts');
  let creditsSpent = sumOf(runs, (run) => run.serpCredits.spent);
  const onMoment = (done: number, ofMoment: readonly RunResult[]) => {
    creditsSpent += sumOf(ofMoment, (run) => run.serpCredits.spent);
    progress.update({ label: 'Simulated runs', done: before + done, total, creditsSpent });
  };
  runs.push(
    ...(await simulate({ run: (options) => run(app, { ...options, skipsReports }), clock, moments, signal, onMoment })),
  );
  progress.clear();
  refuseStopped(runs, signal);
}

function demoReport(
  { config }: App,
  { ok, totals }: AuditReport,
  { days, runs, reports }: { days: number; runs: readonly RunResult[]; reports: readonly WrittenReport[] },
): DemoReport {
  const count = (of: (checks: RunResult['checks']) => number) => sumOf(runs, ({ checks }) => of(checks));
  return {
    config: config.file,
    days,
    runs: runs.length,
    checks: count((checks) => sumOf(Object.values(checks))),
    incompleteChecks: count(
      ({ failed, deferred, incomplete, unknown_paid: unknown }) => failed + deferred + incomplete + unknown,
    ),
    serpCredits: totals.serp_credit.spent,
    microUsd: totals.micro_usd.spent,
    ledgerIsSound: ok,
    reports: reports.map(({ project, directory, files: names, headline }) => ({
      project,
      directory,
      files: names,
      headline,
    })),
    movers: biggestMovers(reports),
  };
}

function print({ host, out, shown }: Context, report: DemoReport, baselineDate: string): void {
  out.line(report.runs === 0 ? 'All of these days were simulated before: nothing was due.' : workText(report));
  const spent = `${counted(report.serpCredits, 'SERP credit')} and ${dollars(report.microUsd)} of keyword data`;
  const proof = report.ledgerIsSound
    ? 'the ledger accounts for all of it'
    : 'THE LEDGER DOES NOT ADD UP: rankledger audit';
  out.line(`${spent} spent so far, in play money; ${proof}.`);
  out.line();
  out.line(out.styled('bold', 'Reports'));
  for (const { project, directory, files: names } of report.reports) {
    const first = firstFiles.filter((name) => names.includes(name));
    for (const name of first) out.line(`  ${project}  ${shown(join(directory, name))}`);
    const others = names.length - first.length;
    if (others > 0) out.line(`  ${project}  and ${counted(others, 'file')} beside them`);
  }
  out.line();
  printMovers(out, `Biggest movers since ${baselineDate}`, report.movers, report.reports);
  out.line();
  const keyword = shellQuoted(report.movers[0]?.keyword ?? 'running shoes');
  const next = [
    [`${host.program} view --config ${shellQuoted(shown(report.config))}`, 'all of it, in a browser'],
    [`${host.program} history ${keyword} --config ${shellQuoted(shown(report.config))}`, 'its ranks, day by day'],
    [`${host.program} init mysite`, 'start your own config'],
  ] as const;
  out.line('Next:');
  for (const line of factLines(next)) out.line(line);
}

function workText({ runs, checks, incompleteChecks: incomplete }: DemoReport): string {
  const answers = incomplete === 0 ? 'every one answered' : `${amount(incomplete)} of them without a complete answer`;
  return `${counted(runs, 'run')}, ${counted(checks, 'search', 'searches')}, ${answers}.`;
}

/** Throws if not all days passed: the finished ones are kept, but there is no complete demo to report on. */
function refuseStopped(runs: readonly RunResult[], signal: AbortSignal): void {
  const halted = runs.find(({ state }) => state === 'halted');
  if (halted !== undefined) {
    const reason = halted.haltReason ?? 'nothing more can be bought';
    throw new CommandError('HALTED', `Run ${halted.runId} was halted: ${reason}`, null, exitCodes.halted);
  }
  if (!signal.aborted) return;
  const message = 'Interrupted. The next demo in this folder continues from here.';
  throw new CommandError('INTERRUPTED', message, null, exitCodes.interrupted);
}
