// `check`: validates the config, counts and prices its searches; --online also checks everything that a run needs.
import type { ResolvedConfig } from '../../../config/resolve.ts';
import type { PlanReport } from '../../../jobs/query/planning.ts';
import type { AnswerCost } from '../../app/preflight/answer-costs.ts';
import type { PreflightCheck } from '../../app/preflight/preflight-check.ts';
import type { ProjectCost } from '../../app/preflight/project-cost.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { CommandError, usageError } from '../text/failure.ts';
import { amount, dollars } from '../text/numbers.ts';
import { type CheckedProject, type CheckReport, printConfig } from '../text/results/check-text.ts';
import type { OnlineText } from '../text/results/online-text.ts';

interface Flags {
  readonly forecast?: boolean;
  readonly online?: boolean;
  readonly timeout?: string;
}

export const command: CommandDefinition = {
  about: `Lists all problems of the config with file and line. Sends no request and spends nothing. --online also checks the database, the queue and each
service, still without spending: it queries account endpoints and connects to each proxy, and shows the remaining credits and the cost of a run.
Exit code 4 if a service refuses access (credentials, credits, address), 1 if anything else does not answer or cannot be used.`,
  examples: [
    { command: 'check', does: 'rankledger.yaml in this folder' },
    { command: 'check --config sites/acme.yaml', does: 'another file' },
    { command: 'check --online', does: 'the same, and a check of everything that a run needs' },
    { command: 'check --forecast', does: 'the same, and the credits that the next month is expected to cost' },
    { command: 'check --json', does: 'the same for scripts; exit code 2 if the config is wrong' },
  ],
  readsConfig: true,
  describe: (command) =>
    void command
      .option('--online', 'also check database, queue and services; buys nothing')
      .option(
        '--forecast',
        'simulate the next 31 days from your history, for their expected cost; takes up to a minute',
      )
      .option('--timeout <seconds>', 'time limit of each of these checks (default: 10)'),
  async run(context) {
    const { online, forecast = false, timeout } = context.flags<Flags>();
    const timeoutMs = parseTimeout(timeout, online === true);
    const config = await context.config();
    await refuseUnusableServices(config);
    const report = await checkReport(context, forecast);
    const checked = online === true ? await tryAll(context, config, timeoutMs) : undefined;
    if (context.json) context.out.json(checked === undefined ? report : { ...report, online: checked });
    else await print(context, report, checked);
    return checked === undefined ? exitCodes.done : onlineExitCode(checked.trials);
  },
};

function parseTimeout(seconds: string | undefined, isOnline: boolean): number | undefined {
  if (seconds === undefined) return undefined;
  if (!isOnline) throw usageError('--timeout needs --online.');
  if (!/^\d+(\.\d+)?$/.test(seconds) || Number(seconds) < 0.1 || Number(seconds) > 600)
    throw usageError('--timeout takes seconds from 0.1 to 600.');
  return Number(seconds) * 1000;
}

interface Online extends OnlineText {
  readonly ok: boolean;
}

/** Tests everything that a run needs, and computes what it would cost. */
async function tryAll(context: Context, config: ResolvedConfig, timeoutMs: number | undefined): Promise<Online> {
  const { checkOnline } = await import('../../app/preflight/check-online.ts');
  const { signal, progress } = context;
  const { trials, isReadable } = await checkOnline(config, {
    signal,
    ...(timeoutMs !== undefined && { timeoutMs }),
    onProgress: (done, total) => progress.update({ label: 'tried', done, total, creditsSpent: 0 }),
  });
  const plans = isReadable ? await planProjects(context, config) : new Map<string, PlanReport>();
  const { projectCosts } = await import('../../app/preflight/project-cost.ts');
  const { onlineCosts, shortages } = await import('../../app/preflight/online-cost.ts');
  const { answerCosts } = await import('../../app/preflight/answer-costs.ts');
  const monthly = projectCosts(config, context.host.now());
  const answers = await answerCosts(config, monthly);
  const outlooks = new Map(
    monthly.map((cost) => [
      cost.project,
      { cost, answers: answers.get(cost.project) ?? null, plan: plans.get(cost.project) ?? null },
    ]),
  );
  const costs = onlineCosts(config, outlooks, trials);
  const warnings = [...trials.flatMap((trial) => trial.warnings), ...shortages(costs, trials)];
  return { ok: onlineExitCode(trials) === exitCodes.done, trials, costs, warnings };
}

/** The next run of each project, planned alone. */
async function planProjects(
  { host, withApp }: Context,
  { projects }: ResolvedConfig,
): Promise<Map<string, PlanReport>> {
  const plan = await host.useCases.plan();
  return await withApp(
    async (app) => {
      const plans = new Map<string, PlanReport>();
      for (const { id } of projects) plans.set(id, await plan(app, { projects: [id] }));
      return plans;
    },
    { isReading: true },
  );
}

/** A refusal outranks a failure: it needs an operator. */
function onlineExitCode(trials: readonly PreflightCheck[]): ExitCode {
  const states = new Set(trials.flatMap((trial) => [trial, ...trial.parts]).map(({ state }) => state));
  if (states.has('refused')) return exitCodes.halted;
  return states.has('failed') ? exitCodes.failed : exitCodes.done;
}

/**
 * Problems that would stop a run before it begins, such as a missing folder of recordings or an unknown option of a
 * source.
 */
async function refuseUnusableServices(config: ResolvedConfig): Promise<void> {
  const { sourceProblems } = await import('../../app/preflight/source-problems.ts');
  const problems = await sourceProblems(config);
  if (problems.length === 0) return;
  throw new CommandError('CONFIG_INVALID', problems.join('\n'), 'Correct the service in the config.', exitCodes.usage);
}

async function checkReport({ config, host, signal, progress }: Context, forecasts: boolean): Promise<CheckReport> {
  const resolved = await config();
  const { costsMoney, projectCosts } = await import('../../app/preflight/project-cost.ts');
  const { answerCosts } = await import('../../app/preflight/answer-costs.ts');
  const { questionsOf } = await import('../../app/preflight/questions.ts');
  const { nameWarnings } = await import('../../app/opening/past-names.ts');
  const costs = projectCosts(resolved, host.now());
  const answers = await answerCosts(resolved, costs);
  const projects = resolved.projects.flatMap((project, at): CheckedProject[] => {
    const cost = costs[at];
    if (cost === undefined) return [];
    const { service, schedule = null, timezone } = project;
    const targets = project.targets.map(({ value }) => value);
    const competitors = project.competitors.map(({ value }) => value);
    const paid = costsMoney(resolved.services.get(service));
    const asked = answers.get(project.id);
    return [
      {
        ...cost,
        ...(asked !== undefined && { answers: asked }),
        service,
        costsMoney: paid,
        schedule,
        timezone,
        targets,
        competitors,
      },
    ];
  });
  const sum = (of: (cost: ProjectCost) => number) => costs.reduce((total, cost) => total + of(cost), 0);
  return {
    ok: true,
    file: resolved.file,
    database: resolved.databaseFile,
    warnings: [...resolved.warnings, ...nameWarnings(resolved)],
    questions: await questionsOf(resolved, costs, host.now(), { amount, dollars }),
    projects,
    creditsPerMonth: sum((cost) => cost.creditsPerMonth),
    expectedMonth: forecasts
      ? await (await host.useCases.expectedMonth())(resolved, {
          now: host.now(),
          signal,
          onProgress: (done, total) => progress.update({ label: 'simulated', done, total, creditsSpent: 0 }),
        })
      : null,
    microUsdPerMonth: sum((cost) => cost.microUsdPerMonth),
    ...(answers.size > 0 && { answersMicroUsdPerMonth: sumAnswers([...answers.values()]) }),
    budget: resolved.budget,
  };
}

function sumAnswers(costs: readonly AnswerCost[]): AnswerCost['microUsdPerMonth'] {
  const sum = (of: 'expected' | 'worst') => costs.reduce((total, cost) => total + cost.microUsdPerMonth[of], 0);
  return { expected: sum('expected'), worst: sum('worst') };
}

async function print(
  { out, shown, progress }: Context,
  report: CheckReport,
  online: Online | undefined,
): Promise<void> {
  progress.clear();
  printConfig(out, shown(report.file), report);
  if (online === undefined) {
    if (report.projects.some(({ costsMoney }) => costsMoney))
      out.line('`rankledger check --online` tests the services and shows their remaining credits.');
    return;
  }
  const { printOnline } = await import('../text/results/online-text.ts');
  out.line();
  printOnline(out, online);
}
