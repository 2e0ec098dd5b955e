// The shape of a rule that spans several keys of a config, and how rules look at a draft.
import type { Target } from '../src/tracker/project.ts';
import type { Filling, Path } from './document.ts';
import type { Draft, DraftProject } from './draft.ts';
import type { Finding } from './issues.ts';
import type { WrittenService, WrittenTarget } from './schema.ts';

/** What a rule looks at. */
export interface RuleInput {
  readonly draft: Draft;
  /** How the environment took part in the value at a path. */
  readonly fillingOf: (path: Path) => Filling | undefined;
}

export interface Rule {
  readonly name: string;
  /** A warning lets the config pass. */
  readonly severity: 'problem' | 'warning';
  check(input: RuleInput): Iterable<Finding>;
}

/** The service of a config that names none. */
const defaultService: WrittenService = { mode: 'embedded', source: 'sandbox' };

/** The services in use: those written, or the sandbox as `default`. */
export function servicesOf(draft: Draft): ReadonlyMap<string, WrittenService | null> {
  return draft.services ?? new Map([['default', defaultService]]);
}

/** A target as the tracker knows it: a bare text is a domain. */
export function targetOf(written: WrittenTarget): Target {
  return typeof written === 'string' ? { match: 'domain', value: written } : written;
}

export function* eachService(draft: Draft): Generator<[string, WrittenService]> {
  for (const [name, service] of servicesOf(draft)) if (service !== null) yield [name, service];
}

/** Projects in which all of `keys` were understood. */
export function soundProjects(draft: Draft, ...keys: string[]): DraftProject[] {
  return draft.projects.filter((project) => keys.every((key) => !project.damaged.has(key)));
}
