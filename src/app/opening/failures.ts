// The error for a wrong request.
import type { BrokenEntries } from '../../../config/document/draft.ts';
import type { ResolvedConfig } from '../../../config/resolve.ts';

/** A mistake in the request: an unknown project, an invalid slot. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** The message of an error in a line, with the file that it names before it and its hint after. */
export function withHint(error: Error & { readonly hint?: string | undefined; readonly file?: string }): string {
  const { message, hint, file } = error;
  return `${file === undefined ? '' : `${file}: `}${message}${hint === undefined ? '' : `. ${hint}`}`;
}

/** Throws UsageError if variables are not set: a service must never receive a variable's name instead of a secret. */
export function rejectUnset({ unset }: ResolvedConfig): void {
  if (unset.length > 0) throw new UsageError(unset.join('\n'));
}

/** A service that cannot be opened: a folder or an account is missing, or options exclude each other. */
export class ServiceSetupError extends Error {
  override readonly name = 'ServiceSetupError';
  readonly code = 'CONFIG_INVALID';
  readonly hint: string;

  constructor(
    message: string,
    hint = 'Correct the service in the config; `rankledger check` shows it.',
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint;
  }
}

/** By service, why it cannot be opened. */
export type SetupFailures = ReadonlyMap<string, ServiceSetupError>;

/** Throws one ServiceSetupError for all failures, if there are any. */
export function throwFailures(failures: SetupFailures): void {
  const [first, ...others] = failures.values();
  if (first === undefined) return;
  if (others.length === 0) throw first;
  throw new ServiceSetupError([first, ...others].map(({ message }) => message).join('\n'));
}

/**
 * The config without the services that cannot be opened and the projects that use them; `broken` names both. Throws
 * ServiceSetupError if no project is left.
 */
export function withoutServices(config: ResolvedConfig, failures: SetupFailures): ResolvedConfig {
  if (failures.size === 0) return config;
  const projects = config.projects.filter(({ service }) => !failures.has(service));
  if (projects.length === 0) throwFailures(failures);
  const services = new Map([...config.services].filter(([name]) => !failures.has(name)));
  return { ...config, services, projects, broken: brokenWith(config, failures) };
}

/** The broken entries of a config, and beside them services that cannot be opened. */
export function brokenWith({ projects, broken }: ResolvedConfig, failures: SetupFailures): BrokenEntries {
  const stopped = projects.filter(({ service }) => failures.has(service)).map(({ id }) => id);
  const problems = [...failures.values()].map(({ message, hint }) => `${message}; ${hint}`);
  return { projects: [...broken.projects, ...stopped], problems: [...broken.problems, ...problems] };
}
