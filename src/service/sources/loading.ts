// Describes and creates a source for both registries, with one message for all faults of its options.
import type * as z from 'zod';
import { ServiceError } from '../model/errors.ts';

/** One option of a source, for documentation. */
export interface SourceOption {
  readonly name: string;
  readonly is: string;
  readonly isRequired: boolean;
}

/** The options that a schema takes, in its order. */
export async function describeOptions(schema: z.ZodType): Promise<SourceOption[]> {
  const { toJSONSchema } = await import('zod');
  const { properties = {}, required = [] } = toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([option, property]) => ({
    name: option,
    is: (typeof property === 'object' && property.description) || '',
    isRequired: required.includes(option),
  }));
}

/** What `make` makes. Throws Error with one message that begins with `what`, such as `Source "replay"`. */
export async function createNamed<Made>(what: string, make: () => Made | Promise<Made>): Promise<Made> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new Error(`${what}: ${describeProblems(error)}`, { cause: error });
  }
}

/** The message of an error, with its remedy where it has one; of a schema's error, each problem with its place. */
function describeProblems(error: Error): string {
  if (error instanceof ServiceError) return `${error.message} ${error.hint}`;
  const issues = (error as Partial<z.ZodError>).issues;
  if (issues === undefined) return error.message;
  return issues
    .map((issue) =>
      issue.path.length === 0 ? describeIssue(issue) : `${issue.path.join('.')}: ${describeIssue(issue)}`,
    )
    .join('; ');
}

/**
 * Words a problem for the author of the option. If the option takes several forms, the problem of the intended form.
 */
function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_union') {
    const first = issue.errors.flatMap(([problem]) => problem ?? []);
    if (first.length > 0 && first.every(isMissing)) return 'is missing';
    const meant = first.find(({ code }) => code !== 'invalid_type') ?? first[0];
    return meant === undefined ? issue.message : describeIssue(meant);
  }
  return isMissing(issue) ? 'is missing' : issue.message.replace(/^Invalid input: /, '');
}

function isMissing({ code, message }: z.core.$ZodIssue): boolean {
  return code === 'invalid_type' && message.endsWith('received undefined');
}
