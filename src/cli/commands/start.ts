// `start`, or a domain in place of a command: config, first run, report and workspace in one go, without a question.

import { once } from 'node:events';
import { join } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { configFile, environmentOf } from '../../../config/load.ts';
import { type SiteStarter, type StarterMarket, type StarterService, siteStarter } from '../../../config/starter.ts';
import type { App } from '../../app/app.ts';
import { type EnvironmentService, environmentService } from '../../app/opening/environment-service.ts';
import { plannedCost } from '../../app/opening/list-prices.ts';
import { costsMoney, plan } from '../../app/planning.ts';
import type { RunOutcome } from '../../app/runs/run.ts';
import type { Project } from '../../tracker/project.ts';
import { deriveBrandTerms, registrableDomain } from '../../tracker/targets/brand.ts';
import { hostInUrl, parseTarget } from '../../tracker/targets/target.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { portNumber } from '../parsed-command.ts';
import { openBrowser, view } from '../subcommands/open-workspace.ts';
import { rejectExisting, writeStarter } from '../subcommands/starter-files.ts';
import { progressState } from '../terminal/progress.ts';
import { usageError } from '../text/failure.ts';
import { amount, counted, dollarRange, dollars } from '../text/numbers.ts';
import { printRun, runExitCode } from '../text/results/run-text.ts';
import { printable } from '../text/table.ts';

/** Of the example: searches of the invented world that differ in topic and demand. */
const exampleKeywords = ['running shoes', 'trail running shoes', 'best running shoes', 'waterproof hiking boots'];

const describe = (command: Command) =>
  command
    .argument('<domain>', 'the site to track, such as example.com')
    .option('--port <n>', 'port of the workspace; 0 picks a free port', portNumber, 0)
    .option('--no-open', 'do not open the browser');

export const command: CommandDefinition = {
  about: `In an empty folder it writes rankledger.yaml for the domain, makes the first run, and serves the workspace until Ctrl-C. It asks
nothing. Result pages come from the vendor whose key is in the environment, the cheapest one if there are several; it
prints the cost before it buys. Without a key they come from the sandbox: all numbers are then simulated. If the folder has
a config that tracks the domain, it runs what is due and serves it. \`rankledger example.com\` is short for it.`,
  examples: [
    { command: 'start example.com', does: 'a config, the first report, and the workspace in the browser' },
    { command: 'start example.com --no-open', does: 'the same without the browser' },
    { command: 'start example.com --json', does: 'the first line is {"url": ...}' },
  ],
  readsConfig: true,
  describe,
  async run(context) {
    const { args, flags, host, signal, config, withApp } = context;
    const { open, port } = flags(describe);
    const site = await foundSite(context, args[0] ?? '');
    const outcome = await withApp((app) => firstRun(context, app, site));
    const code = runExitCode(outcome.runs, outcome.unwritten);
    if (code === exitCodes.halted || code === exitCodes.interrupted) return code;
    const { reports } = await config();
    await withApp(
      async (app) => {
        const workspace = await view(app, { port });
        try {
          printWorkspace(context, site, workspace.url, join(reports.directory, site.project, 'latest', 'report.html'));
          const env = environmentOf(host.env);
          if (open && canOpenBrowser(context, env) && !(await openBrowser(workspace.url, env)))
            context.err.line(`No browser could be opened. Open ${workspace.url}`);
          if (!signal.aborted) await once(signal, 'abort');
        } finally {
          await workspace.close();
        }
      },
      { isReading: true },
    );
    return code;
  },
};

interface Site {
  readonly domain: string;
  /** Its id. */
  readonly project: string;
  readonly isSimulated: boolean;
}

/** The site in the config of the folder, which is written first if there is none. */
async function foundSite(context: Context, written: string): Promise<Site> {
  const { host, config, configFiles, out, shown, json } = context;
  const env = environmentOf(host.env);
  const service = await environmentService(env);
  const file = configFile({ cwd: host.cwd, file: configFiles[0], env: host.env });
  const { domain } = starterOf(written);
  if (file === undefined) {
    const { starter, keywords } = await siteFiles(domain, service);
    const files = [
      { path: 'rankledger.yaml', content: starter.config },
      { path: starter.keywordsPath, content: ['keyword', ...keywords, ''].join('\n') },
    ];
    rejectExisting(context, host.cwd, files);
    await writeStarter(host.cwd, files);
    if (!json) {
      for (const { path } of files) out.line(`Wrote ${path}`);
      out.line(printable(`Keywords: ${keywords.join(', ')}`));
    }
  }
  const found = await config();
  const { projects, file: read } = found;
  const project = projects.find((each) => tracks(each, domain));
  if (project === undefined)
    throw usageError(
      `${shown(read)} does not track ${domain}.`,
      `Run it in an empty folder, or add a project for ${domain} to ${shown(read)}.`,
    );
  const isSimulated = !costsMoney(found, project.service);
  if (!json) for (const line of sourceLines(isSimulated, service)) out.line(line);
  return { domain, project: project.id, isSimulated };
}

/** Throws a usage error. */
function starterOf(domain: string, market: StarterMarket = {}, service?: StarterService): SiteStarter {
  const starter = siteStarter(domain, market, service);
  if ('complaint' in starter) throw usageError(starter.complaint, 'Such as: rankledger example.com');
  return starter;
}

/** On the sandbox, example keywords; pages that cost money are bought for words of the site itself. */
async function siteFiles(domain: string, service: EnvironmentService | null) {
  if (service === null) return { starter: starterOf(domain), keywords: exampleKeywords };
  const { firstKeywords } = await import('../../app/import/home-page.ts');
  const { phrases = [], market = {} } = (await firstKeywords(`https://${domain}/`)) ?? {};
  const brands = deriveBrandTerms({ targets: [parseTarget(domain)] });
  return { starter: starterOf(domain, market, service), keywords: [...new Set([...brands, ...phrases])] };
}

function tracks({ targets }: Project, domain: string): boolean {
  const hosts = targets.map(({ value }) => hostInUrl(value.includes('://') ? value : `https://${value}`));
  return hosts.some((host) => host !== null && registrableDomain(host) === registrableDomain(domain));
}

/** Where the pages come from. `service`: of which the environment has the key. */
function sourceLines(isSimulated: boolean, service: EnvironmentService | null): string[] {
  const variables = service?.variables.join(' and ') ?? '';
  const are = `${variables} ${service?.variables.length === 1 ? 'is' : 'are'} set`;
  if (!isSimulated) return service === null ? [] : [`${are}: result pages are bought from ${service.title}.`];
  const label = 'SIMULATED: every rank and number below is invented by the sandbox, and costs nothing.';
  if (service !== null)
    return [label, `${are}, but this config is on the sandbox: for real ranks, use an empty folder.`];
  return [label, 'For real ranks, set the key of a vendor, such as SERPER_KEY, and run this in another empty folder.'];
}

/** What is due is run: in a new config everything. A run that read nothing, as with a wrong key, is made again. */
async function firstRun(context: Context, app: App, site: Site): Promise<RunOutcome> {
  const { json, out, progress, signal, shown } = context;
  const due = await plan(app, {});
  const asked = due.searches === 0 && readNothing(app, site) ? { projects: [site.project] } : {};
  const planned = await plan(app, asked);
  if (!json && planned.searches > 0 && !site.isSimulated) out.line(await costLine(app, planned));
  const { run } = await import('../../app/runs/run.ts');
  const outcome = await run(app, {
    ...asked,
    signal,
    onProgress: (state) => progress.update(progressState(state)),
    onNotice: (sentence) => progress.note(sentence),
  });
  progress.clear();
  if (json) return outcome;
  for (const each of outcome.runs) {
    out.line();
    printRun(out, each, shown);
  }
  if (outcome.runs.length === 0) out.line('Nothing is due: this shows what was recorded before.');
  return outcome;
}

/** Whether all checks of the last run of the site failed or were deferred. */
function readNothing({ context: { store } }: App, { project }: Site): boolean {
  const last = store.runs.lastClosedRun(project, 'ranks');
  if (last === null) return false;
  const { failed, deferred, ...others } = store.checks.counts(last.id);
  return failed + deferred > 0 && Object.values(others).every((count) => count === 0);
}

/** What the run costs at most, before it buys. */
async function costLine({ config }: App, planned: Awaited<ReturnType<typeof plan>>): Promise<string> {
  const { creditsWorstCase, microUsdWorstCase, searches, projects } = planned;
  const due = projects.flatMap((of) => (of.due ? [of.project] : []));
  const services = new Set(config.projects.flatMap(({ id, service }) => (due.includes(id) ? [service] : [])));
  const [service = ''] = services;
  // credits of several services have several prices
  const range = services.size > 1 ? null : await plannedCost(config, service, creditsWorstCase, searches);
  const inDollars = range === null ? '' : ` (${dollarRange(range)} by list price)`;
  const data = microUsdWorstCase === 0 ? '' : ` and ${dollars(microUsdWorstCase)} of keyword data`;
  const { perRun } = config.budget.serpCredits;
  const limit = perRun === undefined ? '' : `; a run may spend ${amount(perRun)} at most`;
  const credits = counted(creditsWorstCase, 'SERP credit');
  return `Buying ${counted(searches, 'search', 'searches')}: at most ${credits}${inDollars}${data}${limit}.`;
}

function printWorkspace({ json, out, shown }: Context, site: Site, url: string, report: string): void {
  if (json) {
    out.line(JSON.stringify({ url, ...site, report }));
    return;
  }
  out.line();
  out.line(printable(`Report: ${shown(report)}`));
  out.line(`Serving the workspace at ${url}. Ctrl-C ends it.`);
  out.line('Edit the keywords and limits in rankledger.yaml, and run the same command again.');
}

/** For a person at a screen: not in a pipe, a CI job or a remote shell. */
function canOpenBrowser({ out }: Context, env: Readonly<Record<string, string | undefined>>): boolean {
  const hasScreen = process.platform !== 'linux' || (env['DISPLAY'] ?? env['WAYLAND_DISPLAY'] ?? '') !== '';
  return out.isTerminal && hasScreen && (env['CI'] ?? '') === '';
}
