// A partial config of all valid keys, so that one broken key does not hide the problems of the others.
import type * as z from 'zod';
import { keywordSchema } from '../schema/keyword-schema.ts';
import {
  configSchema,
  projectSchema,
  serviceSchema,
  type WrittenConfig,
  type WrittenKeyword,
  type WrittenProject,
  type WrittenService,
} from '../schema/schema.ts';
import type { Path } from './document.ts';
import { type ConfigIssue, schemaIssues } from './issues.ts';

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
  /** Null for an invalid service; undefined if the config has none. */
  readonly services: ReadonlyMap<string, WrittenService | null> | undefined;
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
    services: services === undefined ? undefined : new Map(Object.entries(services)),
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
    services: isMapping(services)
      ? new Map(
          Object.entries(services).map(([name, service]) => [name, serviceSchema.safeParse(service).data ?? null]),
        )
      : undefined,
    projects: Array.isArray(projects)
      ? projects.flatMap((project: unknown, index) => (isMapping(project) ? [salvageProject(project, index)] : []))
      : [],
    invalidKeys: services === undefined || isMapping(services) ? invalidKeys : new Set([...invalidKeys, 'services']),
  };
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

/**
 * Converts the texts at `paths` to numbers or booleans if possible, because environment variables are text. Mutates
 * `value`.
 */
export function coerceTexts(value: unknown, paths: readonly Path[]): void {
  for (const path of paths) {
    const parent = path
      .slice(0, -1)
      .reduce<unknown>(
        (at, key) => (isMapping(at) || Array.isArray(at) ? (at as Mapping)[String(key)] : undefined),
        value,
      );
    const key = String(path.at(-1));
    if (!isMapping(parent) || typeof parent[key] !== 'string') continue;
    const text = parent[key].trim();
    if (/^\d+(\.\d+)?$/.test(text)) parent[key] = Number(text);
    else if (text === 'true' || text === 'false') parent[key] = text === 'true';
  }
}
