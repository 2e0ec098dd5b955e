// Finds, reads, checks and freezes the config. Only this file reads the process environment.
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve as resolvePath } from 'node:path';
import type { TrackedKeyword } from '../src/tracker/project.ts';
import {
  type ConfigDocument,
  describePath,
  type Environment,
  readDocument,
  readTextFile,
} from './document/document.ts';
import {
  BrokenParts,
  coerceTexts,
  draftConfig,
  keepTyped,
  type PartialConfig,
  type PartialProject,
} from './document/draft.ts';
import {
  ConfigError,
  type ConfigIssue,
  type ConfigProblem,
  ConfigProblems,
  describeProblem,
  type Path,
} from './document/problems.ts';
import { type KeywordSeller, readProjectKeywords } from './keyword-files/project-keywords.ts';
import { type ResolvedConfig, resolveConfig } from './resolve.ts';
import { type Logos, readLogos } from './resolve-reports.ts';
import * as alertRules from './rules/alerts-rules.ts';
import { GeoTargets, locationsFileName } from './rules/geo-targets.ts';
import * as projectRules from './rules/project-rules.ts';
import * as serviceRules from './rules/service-rules.ts';
import { requiresSecrets } from './rules/service-rules.ts';
import {
  bestIssues,
  keywordLimits,
  limitIssues,
  locationIssues,
  optionIssues,
  placeIssues,
} from './rules/source-issues.ts';

interface LoadOptions {
  /** As given by `--config`; relative to `cwd`. */
  readonly file?: string;
  /** Loaded in place of the contents of the file. */
  readonly text?: string;
  /** Absolute. */
  readonly cwd: string;
  /** Default: the process environment. */
  readonly env?: Environment;
  /**
   * The caller contacts no service, queue, channel or monitor. Variables that only these need may then be unset
   * (`unset` of the config lists them), and options of sources are not checked.
   */
  readonly offline?: boolean;
  /**
   * Whether keyword files are read, and locations looked up. If not, projects have only the keywords of the config,
   * with locations as written, and the files may be missing. Default: true.
   */
  readonly readsKeywordFiles?: boolean;
  /**
   * Whether to skip broken projects and services (`broken` of the config lists them) if sound projects remain. Default:
   * false, any problem is an error.
   */
  readonly leavesOutBroken?: boolean;
}

/** Rules that span several keys, in the usual order of a config file. None stops the others. */
const rules = [
  serviceRules.ctrCurveExists,
  serviceRules.reportTablesExist,
  serviceRules.secretsFromEnvironment,
  serviceRules.serviceAddress,
  serviceRules.sourceExists,
  serviceRules.bestServicesExist,
  serviceRules.chainsHaveOneEngine,
  serviceRules.queueFitsDriver,
  projectRules.reservedIdsAreFree,
  projectRules.noteProjectsExist,
  alertRules.alertRulesHaveChannels,
  alertRules.alertSecretsFromEnvironment,
  alertRules.deliveriesArrive,
  alertRules.webhooksAreEncrypted,
  alertRules.authorizationFitsHeader,
  projectRules.projectIdsDiffer,
  projectRules.formerNamesAreFree,
  projectRules.viewNamesDiffer,
  projectRules.serviceExists,
  projectRules.enginesAreSold,
  projectRules.clicksAreOfTheEngine,
  projectRules.targetsDiffer,
  projectRules.deepIsDeeper,
  projectRules.gridStandsAlone,
  projectRules.adaptiveHasBudget,
  projectRules.durationsAreUseful,
  projectRules.keywordsExist,
  alertRules.projectRulesIncludeProject,
  serviceRules.volumesAreSold,
  serviceRules.answersAreKnown,
  serviceRules.promptsCanBeAsked,
];

/** What they find does not reject the config. */
const warningRules = [
  serviceRules.passwordsTravelEncrypted,
  serviceRules.capsAreOrdered,
  serviceRules.capsHoldAnyCheck,
  serviceRules.spendingIsCapped,
  projectRules.domainsWithoutWww,
  projectRules.competitorsStandApart,
  projectRules.keywordsAreNoFiles,
  projectRules.freshnessIsShorterThanSlots,
  alertRules.channelsAreUsed,
  alertRules.competitorRulesHaveCompetitors,
];

/** More keywords belong into keyword files, which are read faster and line by line. */
const configBytesMax = 4_194_304;

/**
 * Loads the config, frozen. Throws ConfigError with all problems of the config and its keyword files; its message is
 * ready to print. Warnings are part of the result.
 */
export async function loadConfig(options: LoadOptions): Promise<ResolvedConfig> {
  return await new Loader(options).load();
}

/**
 * The config file: `--config`, else RANKLEDGER_CONFIG, else the first existing one of the two usual names. Absolute.
 * Throws ConfigError.
 */
function findConfig(options: LoadOptions): string {
  const found = configFile(options);
  if (found !== undefined) return found;
  throw new ConfigError([
    {
      file: 'rankledger.yaml',
      message: `not found in ./ or ./config of ${options.cwd}`,
      hint: 'run `rankledger init` to write a starter, or name a file with --config or RANKLEDGER_CONFIG',
    },
  ]);
}

/** The same without an error: undefined where no config is named and none has a usual name. */
export function configFile({ file, cwd, env }: Pick<LoadOptions, 'file' | 'cwd' | 'env'>): string | undefined {
  const named = file ?? environmentOf(env)['RANKLEDGER_CONFIG'];
  if (named !== undefined && named !== '') return resolvePath(cwd, named);
  const usual = ['rankledger.yaml', join('config', 'rankledger.yaml')];
  return usual.map((name) => resolvePath(cwd, name)).find((name) => existsSync(name));
}

/** Default: the process environment. */
export function environmentOf(env: Environment | undefined): Environment {
  return env ?? process.env;
}

/** The state of loading one file. */
class Loader {
  readonly #file: string;
  readonly #options: LoadOptions;
  readonly #environment: Environment;
  readonly #damage = new BrokenParts();
  readonly #problems = new ConfigProblems();
  readonly #unset: ConfigProblem[] = [];
  readonly #unsetServices = new Set<string>();
  readonly #warnings: ConfigProblem[] = [];
  #places: GeoTargets | undefined;
  /** Keyword files of earlier projects. */
  readonly #filesRead = new Set<string>();

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#environment = environmentOf(options.env);
    this.#file = findConfig(options);
  }

  async load(): Promise<ResolvedConfig> {
    const document = this.#read();
    if (document === undefined) throw this.#failure();
    const { draft, issues } = await this.#draft(document);
    for (const issue of issues) this.#report(document, issue);
    const input = { draft, substitutionOf: (path: Path) => document.substitutionOf(path) };
    for (const issue of rules.flatMap((check) => [...check(input)])) this.#report(document, issue);
    this.#warnings.push(
      ...warningRules.flatMap((check) => [...check(input)].map((issue) => this.#locate(document, issue))),
    );
    const logos = this.#logos(document, draft);
    const lengths = await keywordLimits(draft);
    const keywords = new Map(
      draft.projects.map((project) => [
        project.index,
        this.#keywords(document, project, draft.written.database, lengths.get(project.index)),
      ]),
    );
    const refused = [locationIssues(draft, keywords), limitIssues(draft, keywords), placeIssues(draft)];
    for (const issue of (await Promise.all(refused)).flat()) this.#report(document, issue);
    const failure = this.#problems.error();
    const sound = failure === undefined ? { draft, broken: [] } : this.#soundPart(draft);
    if (sound === null) throw this.#failure();
    const problems = failure?.message.split('\n') ?? [];
    const environment = this.#environment;
    return deepFreeze(
      resolveConfig(
        {
          file: this.#file,
          tracesTo: environment['OTEL_EXPORTER_OTLP_ENDPOINT'] || undefined,
          s3Endpoint: (environment['AWS_ENDPOINT_URL_S3'] ?? environment['AWS_ENDPOINT_URL']) || undefined,
          warnings: this.#warnings.map(describeProblem),
          unset: this.#unset.map(describeProblem),
          unsetServices: this.#unsetServices,
          broken: { projects: sound.broken, problems },
        },
        sound.draft,
        sound.draft.projects.map(({ index }) => keywords.get(index) ?? []),
        logos,
        (service, ...option) => document.isSubstitutedWithin(['services', service, ...option]),
      ),
    );
  }

  /** A run does not fail because of a picture: its reports go without. */
  #logos(document: ConfigDocument, draft: PartialConfig): Logos {
    const logos = readLogos(draft, dirname(this.#file));
    for (const issue of logos.issues) {
      if (this.#options.leavesOutBroken === true) this.#warnings.push(this.#locate(document, issue));
      else this.#report(document, issue);
    }
    return logos;
  }

  #soundPart(draft: PartialConfig): ReturnType<BrokenParts['soundPart']> {
    return this.#options.leavesOutBroken === true ? this.#damage.soundPart(draft) : null;
  }

  #failure(): ConfigError {
    return this.#problems.error() ?? new ConfigError([]);
  }

  /** Relative to the working directory, unless outside of it. */
  #display(file: string): string {
    const shown = relative(this.#options.cwd, file);
    return shown === '' || shown.startsWith('..') ? file : shown;
  }

  #read(): ConfigDocument | undefined {
    const { text, offline = false } = this.#options;
    const read = text === undefined ? readTextFile(this.#file, configBytesMax) : { bytes: Buffer.from(text) };
    const file = this.#display(this.#file);
    if ('bytes' in read) {
      const onUnset = (problem: ConfigProblem, path: Path): void => {
        if (offline && requiresSecrets(path)) {
          this.#unset.push(problem);
          if (path[0] === 'services') this.#unsetServices.add(String(path[1]));
        } else this.#add(problem, path);
      };
      const variables = { environment: this.#environment, onUnset };
      return readDocument(read.bytes.toString('utf8'), file, variables, this.#problems);
    }
    const { missing, ...complaint } = read.complaint;
    this.#problems.add({ file, ...complaint, ...this.#remedy(complaint.message, missing === true) });
    return undefined;
  }

  #remedy(message: string, missing: boolean): { hint?: string } {
    if (message.includes('folder'))
      return { hint: `name the file, such as ${join(this.#display(this.#file), 'rankledger.yaml')}` };
    const isVariable = resolvePath(this.#options.cwd, this.#environment['RANKLEDGER_CONFIG'] ?? '') === this.#file;
    const first = isVariable ? 'correct RANKLEDGER_CONFIG, which names it' : 'run `rankledger init` to write a starter';
    if (missing) return { hint: `${first}, or name another file with --config` };
    return message.includes('larger') ? { hint: 'move keywords to a keywordsFile' } : {};
  }

  async #draft(document: ConfigDocument): Promise<{ draft: PartialConfig; issues: readonly ConfigIssue[] }> {
    const first = await this.#understood(document.value);
    const pathsOf = (issues: readonly ConfigIssue[]) => issues.map(({ path }) => path);
    const texts = pathsOf(first.issues.filter(({ path }) => document.substitutionOf(path) === 'whole'));
    const typed = pathsOf(first.issues.filter(({ isTyped }) => isTyped === true));
    if (texts.length + typed.length === 0) return first;
    coerceTexts(document.value, texts);
    keepTyped(document.value, typed, (path) => document.sourceOf(path));
    return await this.#understood(document.value);
  }

  async #understood(value: unknown): Promise<{ draft: PartialConfig; issues: readonly ConfigIssue[] }> {
    const { draft, issues } = draftConfig(value);
    return {
      draft,
      issues: this.#options.offline
        ? issues
        : [...issues, ...(await optionIssues(draft)), ...(await bestIssues(draft))],
    };
  }

  #locate(document: ConfigDocument, issue: ConfigIssue): ConfigProblem {
    const { path, message, hint } = issue;
    const location = document.locate(path);
    const where = { file: this.#display(this.#file), ...location, path: describePath(path) };
    return { ...where, message, hint };
  }

  #report(document: ConfigDocument, issue: ConfigIssue): void {
    // The value of a missing variable is unknown, and that it is missing was reported.
    if (document.substitutionOf(issue.path) !== 'missing') this.#add(this.#locate(document, issue), issue.path);
  }

  #add(problem: ConfigProblem, path: Path): void {
    this.#problems.add(problem);
    this.#damage.add(path);
  }

  #keywords(
    document: ConfigDocument,
    project: PartialProject,
    database: string,
    sellers: readonly KeywordSeller[] | undefined,
  ): readonly TrackedKeyword[] {
    const folder = dirname(this.#file);
    this.#places ??= new GeoTargets(resolvePath(folder, dirname(database), locationsFileName));
    const { keywordsFile } = project.written;
    const { readsKeywordFiles = true } = this.#options;
    const isRead = readsKeywordFiles && !project.invalidKeys.has('keywordsFile');
    const file = isRead && keywordsFile !== undefined ? resolvePath(folder, keywordsFile) : undefined;
    const isReported = file !== undefined && this.#filesRead.has(file);
    if (file !== undefined) this.#filesRead.add(file);
    return readProjectKeywords({
      project,
      sellers,
      file,
      isReported,
      resolve: readsKeywordFiles ? this.#places.resolve.bind(this.#places) : undefined,
      reporter: {
        report: (issue) => this.#report(document, issue),
        add: (problem, path) => this.#add(problem, path),
        breaks: (path) => this.#damage.add(path),
        warn: (warning) => this.#warnings.push(warning),
        locate: (issue) => this.#locate(document, issue),
        display: (shown) => this.#display(shown),
      },
    });
  }
}

/** Freezes a value deeply. A frozen value is assumed to be deeply frozen, as a million keywords are. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  const held: Iterable<unknown> = value instanceof Map ? value.values() : Object.values(value);
  for (const part of held) deepFreeze(part);
  return value;
}
