// A partial config of all valid keys, so that one broken key hides neither other problems nor sound projects.
import type * as z from 'zod';
import { type SearchEngine, sourceEngine, usualEngine } from '../../src/service/terms.ts';
import type { Target } from '../../src/tracker/project.ts';
import {
  configSchema,
  keywordSchema,
  projectSchema,
  serviceSchema,
  type WrittenBest,
  type WrittenConfig,
  type WrittenKeyword,
  type WrittenProject,
  type WrittenService,
  type WrittenTarget,
} from '../schema/schema.ts';
import type { EnvSubstitution } from './document.ts';
import { type ConfigIssue, type Path, schemaIssues } from './problems.ts';

/** A project of the draft. Invalid keywords are null, so that the others keep their index. */
export interface PartialProject {
  /** Its index in the file. */
  readonly index: number;
  readonly written: Omit<WrittenProject, 'keywords'>;
  readonly keywords: readonly (WrittenKeyword | null)[];
  /** Invalid keys. `written` holds their default or a stand-in, and rules skip them. */
  readonly invalidKeys: ReadonlySet<string>;
}

export interface PartialConfig {
  readonly written: Omit<WrittenConfig, 'services' | 'projects'>;
  /**
   * Null for an invalid service; undefined if the config has none. A service of `mode: best` has what the first service
   * that it buys from has.
   */
  readonly services: ReadonlyMap<string, WrittenService | null> | undefined;
  readonly best: ReadonlyMap<string, WrittenBest>;
  readonly projects: readonly PartialProject[];
  readonly invalidKeys: ReadonlySet<string>;
}

type Mapping = Record<string, unknown>;

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A config is parsed once: generating code for its schema takes longer than parsing without. */
const parsedOnce = { jitless: true };

/** Parses the value of a config file. The draft is complete exactly if there are no issues. */
export function draftConfig(value: unknown): {
  readonly draft: PartialConfig;
  readonly issues: readonly ConfigIssue[];
} {
  const parsed = configSchema.safeParse(value, parsedOnce);
  if (parsed.success) return { draft: wholeDraft(parsed.data), issues: [] };
  return {
    draft: salvageDraft(isMapping(value) ? value : {}),
    issues: schemaIssues(parsed.error, configSchema, value),
  };
}

function wholeDraft(config: WrittenConfig): PartialConfig {
  const none: ReadonlySet<string> = new Set();
  const { services, projects, ...written } = config;
  return {
    written,
    ...partServices(services === undefined ? undefined : Object.entries(services)),
    projects: projects.map(({ keywords, ...project }, index) => ({
      index,
      written: project,
      keywords,
      invalidKeys: none,
    })),
    invalidKeys: none,
  };
}

/** Parses without broken and unknown keys, with `standIns` for required ones. */
function salvage<T extends z.ZodObject>(
  schema: T,
  value: Mapping,
  standIns: Mapping,
): { readonly value: z.output<T>; readonly invalidKeys: ReadonlySet<string> } {
  const lenient = schema.strip();
  const parsed = lenient.safeParse(value);
  if (parsed.success) return { value: parsed.data as z.output<T>, invalidKeys: new Set() };
  const invalidKeys = new Set(parsed.error.issues.map((issue) => String(issue.path[0])));
  const sound = Object.fromEntries(Object.entries(value).filter(([key]) => !invalidKeys.has(key)));
  return { value: lenient.parse({ ...standIns, ...sound }) as z.output<T>, invalidKeys };
}

function salvageDraft(value: Mapping): PartialConfig {
  const { value: written, invalidKeys } = salvage(configSchema.omit({ services: true, projects: true }), value, {});
  const services = value['services'];
  const projects = value['projects'];
  return {
    written,
    ...partServices(
      isMapping(services)
        ? Object.entries(services).map(([name, service]) => [name, serviceSchema.safeParse(service).data ?? null])
        : undefined,
    ),
    projects: Array.isArray(projects)
      ? projects.flatMap((project: unknown, index) => (isMapping(project) ? [salvageProject(project, index)] : []))
      : [],
    invalidKeys: services === undefined || isMapping(services) ? invalidKeys : new Set([...invalidKeys, 'services']),
  };
}

function partServices(
  written: readonly (readonly [string, WrittenService | WrittenBest | null])[] | undefined,
): Pick<PartialConfig, 'services' | 'best'> {
  const best = new Map<string, WrittenBest>();
  const services = new Map<string, WrittenService | null>();
  for (const [name, service] of written ?? []) {
    if (service?.mode === 'best') best.set(name, service);
    else services.set(name, service);
  }
  for (const [name, { of }] of best) services.set(name, services.get(of[0] ?? '') ?? null);
  return { services: written === undefined ? undefined : services, best };
}

function salvageProject(value: Mapping, index: number): PartialProject {
  const { value: written, invalidKeys } = salvage(projectSchema.omit({ keywords: true }), value, {
    id: `project-${index}`,
    targets: ['example.com'],
  });
  const keywords = value['keywords'];
  const understood = Array.isArray(keywords);
  return {
    index,
    written,
    keywords: understood ? keywords.map((keyword: unknown) => keywordSchema.safeParse(keyword).data ?? null) : [],
    invalidKeys: understood || keywords === undefined ? invalidKeys : new Set([...invalidKeys, 'keywords']),
  };
}

/** Makes numbers and booleans at `paths` the texts as which they were typed, such as 1.50. Mutates `value`. */
export function keepTyped(value: unknown, paths: readonly Path[], sourceOf: (path: Path) => string | undefined): void {
  for (const path of paths) {
    const parent = parentOf(value, path);
    const source = sourceOf(path);
    if (parent !== undefined && source !== undefined) parent[String(path.at(-1))] = source;
  }
}

/**
 * Converts the texts at `paths` to numbers or booleans if possible, because environment variables are text. Mutates
 * `value`.
 */
export function coerceTexts(value: unknown, paths: readonly Path[]): void {
  for (const path of paths) {
    const parent = parentOf(value, path);
    const key = String(path.at(-1));
    if (!isMapping(parent) || typeof parent[key] !== 'string') continue;
    const text = parent[key].trim();
    if (/^\d+(\.\d+)?$/.test(text)) parent[key] = Number(text);
    else if (text === 'true' || text === 'false') parent[key] = text === 'true';
  }
}

/** The mapping or list that holds the value at a path. */
function parentOf(value: unknown, path: Path): Mapping | undefined {
  let parent = value;
  // the items of a list are properties as well
  for (const key of path.slice(0, -1)) parent = isHolder(parent) ? parent[String(key)] : undefined;
  return isHolder(parent) ? parent : undefined;
}

function isHolder(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null;
}

/** The input of a rule. */
export interface RuleInput {
  readonly draft: PartialConfig;
  /** How variables were substituted in the value at a path. */
  readonly substitutionOf: (path: Path) => EnvSubstitution | undefined;
}

/** The service of a config that names none. */
const defaultService: WrittenService = { mode: 'embedded', source: 'sandbox' };

/** The services: those written, or the sandbox as `default`. */
export function writtenServices(draft: PartialConfig): ReadonlyMap<string, WrittenService | null> {
  return draft.services ?? new Map([['default', defaultService]]);
}

/** The engine whose pages a project tracks: the one that its service sells, else the one that its market names. */
export function engineOf(draft: PartialConfig, { market, service }: PartialProject['written']): SearchEngine {
  return enginesOf(draft, service)[0] ?? market.engine ?? usualEngine;
}

/** The service with this name, or those that one of `mode: best` buys from, and itself. */
export function sellersOf(draft: PartialConfig, service: string): readonly string[] {
  return [service, ...(draft.best.get(service)?.of ?? [])];
}

/** Engines whose pages a service sells, several only where they are mixed; none: the one that a market names. */
export function enginesOf(draft: PartialConfig, service: string): readonly SearchEngine[] {
  const services = writtenServices(draft);
  return [...new Set(sellersOf(draft, service).flatMap((name) => serviceEngines(services.get(name))))];
}

function serviceEngines(service: WrittenService | null | undefined): readonly SearchEngine[] {
  if (service?.mode !== 'embedded') return [];
  const parts: unknown = service.source === 'chain' ? service['sources'] : [service];
  if (!Array.isArray(parts)) return [];
  const engines = parts.map((part) => sourceEngine(String(isMapping(part) ? part['source'] : '')));
  return [...new Set(engines.filter((engine) => engine !== null))];
}

/** Converts a written target: a bare text is a domain. */
export function toTarget(written: WrittenTarget): Target {
  return typeof written === 'string' ? { match: 'domain', value: written } : written;
}

/** Those that pages are bought from. */
export function* eachService(draft: PartialConfig): Generator<[string, WrittenService]> {
  for (const [name, service] of writtenServices(draft))
    if (service !== null && !draft.best.has(name)) yield [name, service];
}

/** Projects in which all of `keys` are valid. */
export function soundProjects(draft: PartialConfig, ...keys: string[]): PartialProject[] {
  return draft.projects.filter((project) => keys.every((key) => !project.invalidKeys.has(key)));
}

/** The skipped parts of a config. Both are empty if nothing is broken. */
export interface BrokenEntries {
  /** Projects that do not run: broken, or with a broken service. `projects[2]` if the id is unreadable. */
  readonly projects: readonly string[];
  /** Every problem, with file and line. */
  readonly problems: readonly string[];
}

/** Collects the locations of problems. */
export class BrokenParts {
  readonly #projects = new Set<number>();
  readonly #services = new Set<string>();
  #isGeneral = false;

  add([section, key]: Path): void {
    if (section === 'projects' && typeof key === 'number') this.#projects.add(key);
    else if (section === 'services' && typeof key === 'string') this.#services.add(key);
    else this.#isGeneral = true;
  }

  /**
   * The draft without broken services, and without projects that are broken or use one. Null if no project would
   * remain, or other parts are broken.
   */
  soundPart(draft: PartialConfig): { readonly draft: PartialConfig; readonly broken: readonly string[] } | null {
    if (this.#isGeneral) return null;
    const isBroken = (service: string): boolean =>
      this.#services.has(service) || (draft.best.get(service)?.of.some(isBroken) ?? false);
    const isSound = ({ index, written }: PartialProject): boolean =>
      !this.#projects.has(index) && !isBroken(written.service);
    const projects = draft.projects.filter(isSound);
    if (projects.length === 0) return null;
    const services = new Map([...writtenServices(draft)].filter(([name]) => !isBroken(name)));
    const best = new Map([...draft.best].filter(([name]) => !isBroken(name)));
    const written = { ...draft.written, notes: usableNotes(draft, projects) };
    const broken = draft.projects.filter((project) => !isSound(project));
    const unreadable = [...this.#projects].filter(
      (index) => !draft.projects.some((project) => project.index === index),
    );
    return {
      draft: { ...draft, written, services, best, projects },
      broken: [...broken.map(projectName), ...unreadable.map((index) => `projects[${index}]`)],
    };
  }
}

function projectName({ index, written, invalidKeys }: PartialProject): string {
  return invalidKeys.has('id') ? `projects[${index}]` : written.id;
}

/** Notes for all projects and for the sound ones. */
function usableNotes(draft: PartialConfig, projects: readonly PartialProject[]): PartialConfig['written']['notes'] {
  const ids = new Set(projects.map(({ written }) => written.id));
  return draft.written.notes.filter(({ project }) => project === undefined || ids.has(project));
}
