// The configs that a simulation compares: the same searches under fixed cadences, tiers, and the adaptive plan.
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { ctr } from '../../tracker/changes/visibility.ts';
import type { Budget, Project, TrackedKeyword } from '../../tracker/project.ts';

export type PolicyName = 'configured' | 'daily' | 'weekly' | 'tier' | 'adaptive';

/** What tiers need to know of a keyword: its volume and last rank on any device; null: unknown, not found. */
export interface KeywordOutlook {
  readonly volume: number | null;
  readonly rank: number | null;
}

/** One policy of a simulation. */
export interface Policy {
  readonly name: PolicyName;
  readonly projects: readonly Project[];
  /** Credits that it may spend in 30 days; absent: no such budget. */
  readonly creditsPer30Days?: number;
  /** Caps of each run, day and calendar month, of all searches; absent: none. */
  readonly caps?: CreditCaps;
}

export type CreditCaps = Budget['serpCredits'];

export interface PolicyInput {
  readonly projects: readonly Project[];
  /** Day of the week of the first simulated day, 0: Sunday. */
  readonly firstWeekday: number;
  readonly curve: string;
  readonly outlookOf: (project: Project, keyword: TrackedKeyword) => KeywordOutlook;
}

const daily = '0 6 * * *';
const weekMs = 7 * 86_400_000;
/** Tiers: this share of the keywords is checked daily. */
const topShare = 0.1;

/** Every search each day. */
export function dailyPolicy({ projects }: PolicyInput): Policy {
  return { name: 'daily', projects: projects.map((each) => fixed(each, daily)) };
}

/** Every search once a week, on the weekday of the first day. */
export function weeklyPolicy({ projects, firstWeekday }: PolicyInput): Policy {
  const weekly = `0 6 * * ${firstWeekday}`;
  return { name: 'weekly', projects: projects.map((each) => fixed(each, weekly)) };
}

/** The tenth with the most volume x change of CTR daily, the rest once a week, spread over its days. */
export function tierPolicy({ projects, curve, outlookOf }: PolicyInput): Policy {
  const tiers = projects.flatMap((project) => {
    const worth = new Map(
      project.keywords.map((keyword) => {
        const { volume, rank } = outlookOf(project, keyword);
        return [keyword, (volume ?? 0) * Math.abs(ctr(curve, rank) - ctr(curve, (rank ?? 100) + 1))];
      }),
    );
    const ordered = project.keywords.toSorted((a, b) => (worth.get(b) ?? 0) - (worth.get(a) ?? 0));
    const topCount = Math.ceil(ordered.length * topShare);
    const weekdays = Array.from({ length: 7 }, (_, weekday) => ({
      ...fixed(project, `0 6 * * ${weekday}`),
      id: `${project.id}~${weekday}`,
      keywords: ordered.slice(topCount).filter((_, index) => index % 7 === weekday),
    }));
    return [{ ...fixed(project, daily), keywords: ordered.slice(0, topCount) }, ...weekdays];
  });
  return { name: 'tier', projects: tiers.filter(({ keywords }) => keywords.length > 0) };
}

/** The adaptive plan, each day, within this budget. Projects keep their longest gap. */
export function adaptivePolicy({ projects }: PolicyInput, creditsPer30Days: number): Policy {
  const adaptive = projects.map((project) => ({
    ...fixed(project, daily),
    adaptive: { cadence: true, paging: true, atLeastEveryMs: project.adaptive?.atLeastEveryMs ?? weekMs },
  }));
  return { name: 'adaptive', projects: adaptive, creditsPer30Days };
}

/** The projects as they are configured, within the budget as it is configured. */
export function configuredPolicy(projects: readonly Project[], caps: CreditCaps): Policy {
  return { name: 'configured', projects: projects.map(withoutVolumes), caps };
}

function fixed(project: Project, schedule: string): Project {
  const { adaptive: _, deep: _deep, ...rest } = withoutVolumes(project);
  return { ...rest, schedule, catchUp: 'latest' };
}

function withoutVolumes(project: Project): Project {
  const { volumes: _, jitterSeconds: _jitter, ...rest } = project;
  return { ...rest, competitors: rest.paging === 'until-all-found' ? rest.competitors : [] };
}

/** The config of one policy: its own database, an embedded queue, no budget, and nothing that leaves this machine. */
export function policyConfig(
  config: ResolvedConfig,
  projects: readonly Project[],
  { databaseFile, reports }: { readonly databaseFile: string; readonly reports: string },
): ResolvedConfig {
  return {
    ...config,
    databaseFile,
    projects,
    reports: { ...config.reports, directory: reports, deliveries: [] },
    budget: { serpCredits: {}, microUsd: {} },
    queue: { driver: 'embedded', concurrency: 8 },
    heartbeat: {},
    alerts: { channels: new Map(), rules: [], ownRules: new Map() },
    unset: [],
    unsetServices: new Set(),
  };
}
