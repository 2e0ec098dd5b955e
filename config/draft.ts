// The written config with whatever of it can be understood, so that one broken key does not hide the problems of the others.
import type * as z from 'zod';
import type { Path } from './document.ts';
import { type Finding, schemaFindings } from './issues.ts';
import {
  configSchema,
  keywordSchema,
  projectSchema,
  serviceSchema,
  type WrittenConfig,
  type WrittenKeyword,
  type WrittenProject,
  type WrittenService,
} from './schema.ts';

/** A project of the draft. Keywords that cannot be understood are null, so that the others keep their index. */
export interface DraftProject {
  /** Its index in the file. */
  readonly index: number;
  readonly written: Omit<WrittenProject, 'keywords'>;
  readonly keywords: readonly (WrittenKeyword | null)[];
  /** Keys that could not be understood; `written` holds their default or a stand-in, and rules leave them alone. */
  readonly damaged: ReadonlySet<string>;
}

export interface Draft {
  readonly written: Omit<WrittenConfig, 'services' | 'projects'>;
  /** Null where a service could not be understood; undefined where none are written. */
  readonly services: ReadonlyMap<string, WrittenService | null> | undefined;
  readonly projects: readonly DraftProject[];
  readonly damaged: ReadonlySet<string>;
}

type Mapping = Record<string, unknown>;

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses a value of the config file. The draft is the whole config exactly if there are no findings. */
export function draftConfig(value: unknown): { readonly draft: Draft; readonly findings: readonly Finding[] } {
  const parsed = configSchema.safeParse(value);
  if (parsed.success) return { draft: wholeDraft(parsed.data), findings: [] };
  return {
    draft: salvageDraft(isMapping(value) ? value : {}),
    findings: schemaFindings(parsed.error, configSchema, value),
  };
}

function wholeDraft(config: WrittenConfig): Draft {
  const none: ReadonlySet<string> = new Set();
  const { services, projects, ...written } = config;
  return {
    written,
    services: services === undefined ? undefined : new Map(Object.entries(services)),
    projects: projects.map(({ keywords, ...project }, index) => ({ index, written: project, keywords, damaged: none })),
    damaged: none,
  };
}

/** Parses without the keys that are broken or unknown, with `standIns` for those that must be there. */
function salvage<T extends z.ZodObject>(
  schema: T,
  value: Mapping,
  standIns: Mapping,
): { readonly value: z.output<T>; readonly damaged: ReadonlySet<string> } {
  const lenient = schema.strip();
  const parsed = lenient.safeParse(value);
  if (parsed.success) return { value: parsed.data as z.output<T>, damaged: new Set() };
  const damaged = new Set(parsed.error.issues.map((issue) => String(issue.path[0])));
  const sound = Object.fromEntries(Object.entries(value).filter(([key]) => !damaged.has(key)));
  return { value: lenient.parse({ ...standIns, ...sound }) as z.output<T>, damaged };
}

const sectionsSchema = configSchema.omit({ services: true, projects: true });
const projectSectionsSchema = projectSchema.omit({ keywords: true });

function salvageDraft(value: Mapping): Draft {
  const { value: written, damaged } = salvage(sectionsSchema, value, {});
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
    damaged: services === undefined || isMapping(services) ? damaged : new Set([...damaged, 'services']),
  };
}

function salvageProject(value: Mapping, index: number): DraftProject {
  const { value: written, damaged } = salvage(projectSectionsSchema, value, {
    id: `project-${index}`,
    targets: ['example.com'],
  });
  const keywords = value['keywords'];
  const understood = Array.isArray(keywords);
  return {
    index,
    written,
    keywords: understood ? keywords.map((keyword: unknown) => keywordSchema.safeParse(keyword).data ?? null) : [],
    damaged: understood || keywords === undefined ? damaged : new Set([...damaged, 'keywords']),
  };
}

/** Makes the texts at `paths` numbers or booleans where they read as such: the environment only holds text. Changes `value`. */
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
