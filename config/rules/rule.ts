// The interface of rules that span several config keys.
import type { Target } from '../../src/tracker/project.ts';
import type { EnvSubstitution, Path } from '../document/document.ts';
import type { PartialConfig, PartialProject } from '../document/draft.ts';
import type { ConfigIssue } from '../document/issues.ts';
import type { WrittenService, WrittenTarget } from '../schema/schema.ts';

/** The input of a rule. */
export interface RuleInput {
  readonly draft: PartialConfig;
  /** How variables were substituted in the value at a path. */
  readonly substitutionOf: (path: Path) => EnvSubstitution | undefined;
}

export interface Rule {
  readonly name: string;
  /** A warning does not reject the config. */
  readonly severity: 'problem' | 'warning';
  check(input: RuleInput): Iterable<ConfigIssue>;
}

/** The service of a config that names none. */
const defaultService: WrittenService = { mode: 'embedded', source: 'sandbox' };

/** The services: those written, or the sandbox as `default`. */
export function writtenServices(draft: PartialConfig): ReadonlyMap<string, WrittenService | null> {
  return draft.services ?? new Map([['default', defaultService]]);
}

/** Converts a written target: a bare text is a domain. */
export function toTarget(written: WrittenTarget): Target {
  return typeof written === 'string' ? { match: 'domain', value: written } : written;
}

export function* eachService(draft: PartialConfig): Generator<[string, WrittenService]> {
  for (const [name, service] of writtenServices(draft)) if (service !== null) yield [name, service];
}

/** Projects in which all of `keys` are valid. */
export function soundProjects(draft: PartialConfig, ...keys: string[]): PartialProject[] {
  return draft.projects.filter((project) => keys.every((key) => !project.invalidKeys.has(key)));
}
