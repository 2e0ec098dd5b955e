// The cost of a run and a month of each project, by the known prices of its service.
import type { ResolvedConfig } from '../../../config/resolve.ts';
import type { PlanReport } from '../../../jobs/query/planning.ts';
import { keywordDataCostMicroUsd } from '../../service/index.ts';
import type { AnswerCost } from './answer-costs.ts';
import type { PreflightCheck, PreflightPrice } from './preflight-check.ts';
import type { ProjectCost } from './project-cost.ts';

/** Expected and worst case. */
export interface Span {
  readonly expected: number;
  readonly worst: number;
}

/** A cost in units of the source, and in micro-USD from the cheapest plan to the most expensive one. */
export interface SourceAmount {
  readonly units: Span;
  readonly microUsdLeast: Span;
  readonly microUsdMost: Span;
}

export interface OnlineCost {
  readonly project: string;
  readonly what: 'pages' | 'keyword-data' | 'answers';
  readonly service: string;
  readonly source: string;
  /** Null if the price is unknown: the source is free, or only its operator knows. */
  readonly price: PreflightPrice | null;
  /** Pages, keywords whose data is missing, or samples of AI answers. */
  readonly perRun: Span;
  readonly perMonth: Span;
  readonly amountPerRun: SourceAmount | null;
  readonly amountPerMonth: SourceAmount | null;
}

/** Facts about one project before it runs. */
export interface ProjectOutlook {
  readonly cost: ProjectCost;
  /** Of AI answers; null: no prompts. */
  readonly answers: AnswerCost | null;
  /** The next run of this project alone; null if the database cannot be read. */
  readonly plan: PlanReport | null;
}

/** One line per project and source that may sell to it: for a chain, each of its sources as if it sold everything. */
export function onlineCosts(
  { projects }: ResolvedConfig,
  outlooks: ReadonlyMap<string, ProjectOutlook>,
  checks: readonly PreflightCheck[],
): OnlineCost[] {
  return projects.flatMap((project) => {
    const outlook = outlooks.get(project.id);
    if (outlook === undefined) return [];
    const own = checks.filter(({ service, what }) => service === project.service && what !== 'account');
    const sellers = own.flatMap((check) => (check.parts.length > 0 ? check.parts : [check]));
    return sellers.flatMap((check) => {
      if (check.what === 'answers')
        return outlook.answers === null ? [] : [answersCost(outlook, outlook.answers, check)];
      return [
        ...(check.what === 'keyword-data' ? [] : [pagesCost(outlook, check)]),
        ...(check.what === 'pages' || project.volumes === undefined
          ? []
          : [keywordDataCost(outlook, check, project.volumes.limit)]),
      ];
    });
  });
}

function pagesCost({ cost, plan }: ProjectOutlook, check: PreflightCheck): OnlineCost {
  const worst = plan?.creditsWorstCase ?? cost.creditsPerDeepRun;
  const perRun = { expected: plan?.creditsExpected ?? worst, worst };
  // the expected share of the worst case is assumed to be the same for the whole month as for the next run
  const share = worst === 0 ? 1 : perRun.expected / worst;
  const perMonth = { expected: Math.round(cost.creditsPerMonth * share), worst: cost.creditsPerMonth };
  const searches = cost.searches;
  const amount = (pages: Span, firsts: number) => {
    const { price } = check;
    if (price === null) return null;
    const units = (count: number): number => {
      const first = Math.min(count, firsts);
      return first * price.first + (count - first) * price.further;
    };
    return toSourceAmount(price, { expected: units(pages.expected), worst: units(pages.worst) });
  };
  return {
    ...findSeller(cost, check, 'pages'),
    perRun,
    perMonth,
    amountPerRun: amount(perRun, searches),
    amountPerMonth: amount(perMonth, searches * cost.slotsPerMonth),
  };
}

/**
 * Keywords without metrics this month: at best in requests as large as the limit; at worst one by one, each with as
 * many related keywords as the limit allows. The specification has a separate price, in dollars, for each request.
 */
function keywordDataCost({ cost, plan }: ProjectOutlook, check: PreflightCheck, limit: number): OnlineCost {
  const { price } = check;
  const all = cost.keywordRequestsPerMonth;
  const now = plan?.keywordRequests ?? all;
  const bySpecification = check.what === 'pages-and-keyword-data';
  const amount = (keywords: number): SourceAmount | null => {
    if (bySpecification) {
      const span = {
        expected: keywords * keywordDataCostMicroUsd(1),
        worst: keywords * keywordDataCostMicroUsd(limit),
      };
      return { units: span, microUsdLeast: span, microUsdMost: span };
    }
    if (price === null) return null;
    const requests = Math.ceil(keywords / limit);
    const together = requests * price.first + (keywords - requests) * (price.together ?? price.first);
    const apart = keywords * (price.first + price.further * (limit - 1));
    return toSourceAmount(price, { expected: Math.min(together, apart), worst: Math.max(together, apart) });
  };
  return {
    ...findSeller(cost, check, 'keyword-data'),
    perRun: { expected: now, worst: now },
    perMonth: { expected: all, worst: all },
    amountPerRun: amount(now),
    amountPerMonth: amount(all),
  };
}

/** The most that each answer can cost is its price: a source that states less is charged less. */
function answersCost(
  { cost, plan }: ProjectOutlook,
  { samplesPerMonth, microUsdPerMonth }: AnswerCost,
  check: PreflightCheck,
): OnlineCost {
  const { samples, microUsdWorstCase } = plan?.answers ?? {
    samples: samplesPerMonth.worst,
    microUsdWorstCase: microUsdPerMonth.worst,
  };
  const amount = (units: Span): SourceAmount => ({ units, microUsdLeast: units, microUsdMost: units });
  return {
    ...findSeller(cost, check, 'answers'),
    perRun: { expected: samples, worst: samples },
    perMonth: samplesPerMonth,
    amountPerRun: amount({ expected: microUsdWorstCase, worst: microUsdWorstCase }),
    amountPerMonth: amount(microUsdPerMonth),
  };
}

function findSeller({ project }: ProjectCost, { service, source, price }: PreflightCheck, what: OnlineCost['what']) {
  return { project, what, service: service ?? '', source: source ?? '', price };
}

function toSourceAmount({ unitMicroUsd }: PreflightPrice, units: Span): SourceAmount {
  const times = (factor: number): Span => ({
    expected: Math.round(units.expected * factor),
    worst: Math.round(units.worst * factor),
  });
  return { units, microUsdLeast: times(unitMicroUsd.least), microUsdMost: times(unitMicroUsd.most) };
}

/**
 * Warnings if the remaining credits may not suffice for the next run, for each seller that states its credits in the
 * unit of its price.
 */
export function shortages(costs: readonly OnlineCost[], checks: readonly PreflightCheck[]): string[] {
  return checks.flatMap((check) => {
    const { creditsLeft, price } = check;
    if (creditsLeft === null || check.parts.length > 0 || check.state !== 'ok') return [];
    const isAccount = check.what === 'account';
    if (!isAccount && (price === null || price.unit !== check.unit)) return [];
    const buying = costs.filter(
      ({ service, source, what }) =>
        service === check.service && (isAccount ? what === 'pages' : source === check.source && what === check.what),
    );
    const worst = buying.reduce(
      (sum, { amountPerRun, perRun }) => sum + (isAccount ? perRun.worst : (amountPerRun?.units.worst ?? 0)),
      0,
    );
    if (worst <= creditsLeft) return [];
    const inUsd = (count: number): string => (check.unit === 'micro_usd' ? `${count / 1e6} USD` : `${count} credits`);
    const account = `${check.service}${isAccount ? ` (account ${check.source})` : ` (${check.source})`}`;
    return [`${account} has ${inUsd(creditsLeft)} left, and the next run of everything may take ${inUsd(worst)}.`];
  });
}
