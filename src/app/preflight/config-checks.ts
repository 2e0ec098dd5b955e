// What follows from settings that are valid: the pace of runs, what is seldom meant, what every run would refuse.

import type { ResolvedConfig, ServiceConfig } from '../../../config/resolve.ts';
import { projectCost } from '../../../jobs/project-cost.ts';
import {
  describeSource,
  errorText,
  ProcessMemory,
  type SourceFacts,
  sourceKindOf,
  systemClock,
} from '../../service/terms.ts';
import { plural } from '../../tracker/figures.ts';
import type { Project } from '../../tracker/project.ts';
import { addDays, localDate } from '../../tracker/schedule/local-time.ts';
import { nextSlot, slotsBetween } from '../../tracker/schedule/schedule.ts';
import { dayMs } from '../../tracker/schedule/time-units.ts';
import { plannedCost } from '../opening/list-prices.ts';
import { pageRanges } from '../opening/services.ts';
import { closeSource, makeSource } from '../opening/sources.ts';
import type { ProjectCost } from '../planning.ts';

/** For people: the setting with its value, and what it leads to. */
interface Question {
  /** `projects.acme.schedule: * * * * *` */
  readonly setting: string;
  readonly consequence: string;
}

/** More often than hourly. */
const runsADayMax = 24;
/** About 100 results: search engines show few more. */
const depthMax = 10;
const resultsPerPage = 10;

/** `costs` of the projects, in their order. `write`: amounts and dollars in words. */
export async function questionsOf(
  config: ResolvedConfig,
  costs: readonly ProjectCost[],
  now: number,
  write: { readonly amount: (number: number) => string; readonly dollars: (microUsd: number) => string },
): Promise<Question[]> {
  const { budget, projects, keywordSources } = config;
  const costText = async (project: Project, cost: ProjectCost | undefined): Promise<string> => {
    const { searches = 0, slotsPerMonth = 0, creditsPerDeepRun = 0, creditsPerMonth = 0 } = cost ?? {};
    const [credits, runs, per] =
      slotsPerMonth === 0 ? [creditsPerDeepRun, 1, 'run'] : [creditsPerMonth, slotsPerMonth, 'month'];
    const range = await plannedCost(config, project.service, credits, searches * runs);
    const listed = range === null ? '' : `, ${write.dollars(Math.ceil(range.most))} by list prices`;
    return `${write.amount(credits)} ${plural(credits, 'credit')} a ${per}${listed}`;
  };
  const ranges = await pageRanges(config);
  const priced = projects.map(async (project, index) => {
    const cost = await costText(project, costs[index]);
    const reading = depthReading(project, keywordSources.get(project.id)?.defaults.depth);
    if (reading === null) return { project, cost, depths: [] };
    const { setting, pages, advice, asResults } = reading;
    const costAsResults = await costText(asResults, projectCost(asResults, now, ranges.get(project.service)));
    const consequence = `depth: ${pages} reads ${pages} pages of each search (${cost}). If you meant ${pages} results, ${advice} (${costAsResults}).`;
    return { project, cost, depths: [{ setting, consequence }] };
  });
  const pricedProjects = await Promise.all(priced);
  const buysData = projects.some(({ volumes, prompts }) => volumes !== undefined || prompts !== undefined);
  return [
    ...zeroCaps('serpCredits', budget.serpCredits, 'no page is bought: every check is deferred'),
    ...(buysData ? zeroCaps('keywordDataUsd', budget.microUsd, 'no keyword metrics and no AI answers are bought') : []),
    ...pricedProjects.flatMap(({ project, cost, depths }) => {
      const at = `projects.${project.id}`;
      const { schedule, volumes, timezone, keywords } = project;
      const market = keywordSources.get(project.id)?.defaults;
      const isUsed =
        market === undefined ||
        keywords.length === 0 ||
        keywords.some(({ country, language }) => country === market.country && language === market.language);
      return [
        ...scheduleQuestions(`${at}.schedule`, schedule, timezone, now, `at worst ${cost}`),
        ...scheduleQuestions(
          `${at}.volumes.schedule`,
          volumes?.schedule,
          timezone,
          now,
          'metrics are bought once a month',
        ),
        ...depths,
        ...(isUsed
          ? []
          : [
              {
                setting: `${at}.market: ${market.country} ${market.language}`,
                consequence: 'no keyword is searched there: each names another country or language',
              },
            ]),
      ];
    }),
  ];
}

/** A depth that may have been meant in results, as other trackers count it; null: none is above `depthMax`. */
function depthReading(project: Project, depthOfProject: number | undefined) {
  const { id, keywords, deep } = project;
  const deepest = keywords.reduce((most, { depth }) => Math.max(most, depth), 0);
  const isDeep = deep !== undefined && deep.depth > deepest;
  const pages = isDeep ? deep.depth : deepest;
  if (pages <= depthMax) return null;
  const inPages = (depth: number): number => (depth > depthMax ? Math.ceil(depth / resultsPerPage) : depth);
  const key = isDeep ? 'deep.depth' : deepest === depthOfProject ? 'depth' : 'keywords.depth';
  return {
    setting: `projects.${id}.${key}: ${pages}`,
    pages,
    advice: isDeep && inPages(pages) <= inPages(deepest) ? 'remove deep' : `write depth: ${inPages(pages)}`,
    asResults: {
      ...project,
      keywords: keywords.map((keyword) => ({ ...keyword, depth: inPages(keyword.depth) })),
      deep: deep === undefined ? undefined : { ...deep, depth: inPages(deep.depth) },
    },
  };
}

type Caps = ResolvedConfig['budget']['serpCredits'];

function zeroCaps(unit: string, caps: Caps, consequence: string): Question[] {
  return Object.entries(caps).flatMap(([window, cap]) =>
    cap === 0 ? [{ setting: `budget.${unit}.${window}: 0`, consequence }] : [],
  );
}

function scheduleQuestions(
  path: string,
  schedule: string | undefined,
  timezone: string,
  now: number,
  cost: string,
): Question[] {
  if (schedule === undefined) return [];
  const next = nextSlot(schedule, timezone, now);
  const setting = `${path}: ${schedule}`;
  if (next !== null && localDate(next.at, timezone) > addDays(localDate(now, timezone), 366))
    return [{ setting, consequence: `nothing is due before ${next.key.slice(0, 'yyyy-mm-dd'.length)}` }];
  // the busiest day of a week from the next slot on
  const from = (next?.at ?? now) - 1;
  const slots = slotsBetween(schedule, timezone, from, from + 7 * dayMs, 7 * 24 * 60);
  const runs = Object.values(Object.groupBy(slots, ({ key }) => key.slice(0, 'yyyy-mm-dd'.length)));
  const most = Math.max(0, ...runs.map((day = []) => day.length));
  return most > runsADayMax ? [{ setting, consequence: `${most} runs a day: ${cost}` }] : [];
}

/** What bounds how fast a run buys from a service. */
export interface Pace {
  readonly service: string;
  readonly requestsPerSecond: number;
  /** Requests in flight: the lower limit of the service and of the queue. */
  readonly concurrency: number;
  /** Answers that take less time than this leave `concurrency` unused: `requestsPerSecond` holds requests back. */
  readonly heldBackBelowMs: number;
}

/** Of the services of projects that send requests, by name. */
export async function paces({ services, best, projects, queue }: ResolvedConfig): Promise<Pace[]> {
  const named = projects.flatMap(({ service }) => best.get(service)?.of ?? [service]);
  const found: Pace[] = [];
  for (const name of [...new Set(named)].sort()) {
    const service = services.get(name);
    if (service === undefined) continue;
    const { requestsPerSecond, concurrency } = service.mode === 'remote' ? service : await rateOf(service);
    if (requestsPerSecond === undefined || concurrency === undefined) continue;
    const inFlight = Math.min(concurrency, queue.concurrency);
    found.push({
      service: name,
      requestsPerSecond,
      concurrency: inFlight,
      heldBackBelowMs: Math.round((1000 * inFlight) / requestsPerSecond),
    });
  }
  return found;
}

/** Nothing for sources that send no request. */
async function rateOf({
  source,
  options,
}: ServiceConfig & { readonly mode: 'embedded' }): Promise<Partial<SourceFacts['rate']>> {
  if (sourceKindOf(source) !== 'live') return {};
  const given = options as Partial<SourceFacts['rate']>; // validated by the schema of the source
  return { ...(await describeSource(source))?.facts.rate, ...given };
}

/** Why embedded services cannot be opened or used, with the error of each source; empty if all can. */
export async function sourceProblems(config: ResolvedConfig): Promise<string[]> {
  // with Redis, workers fetch pages, and they have no database
  const memory = config.queue.driver === 'bullmq' ? {} : { memory: new ProcessMemory(systemClock) };
  const problems = [...config.services].map(async ([name, service]) => {
    if (service.mode !== 'embedded') return [];
    try {
      const source = await makeSource(service, { clock: systemClock, ...memory });
      await closeSource(source);
      return source.metrics === undefined ? missingMetrics(config, name, service.source) : [];
    } catch (error) {
      return [`services.${name}: ${errorText(error)}`];
    }
  });
  return (await Promise.all(problems)).flat();
}

/** Projects with volumes whose service has no keyword data. */
function missingMetrics({ projects }: ResolvedConfig, service: string, source: string): string[] {
  return projects
    .filter((project) => project.service === service && project.volumes !== undefined)
    .map(
      ({ id }) =>
        `services.${service}: "${source}" has no keyword data, and project "${id}" has volumes: name a source under metrics, or remove volumes`,
    );
}
