// Checks the options of services against the schemas of their sources.
import type * as z from 'zod';
import { metricsOptionsSchema, sourceKindOf, sourceOptionsSchema } from '../../src/service/index.ts';
import type { Path } from '../document/document.ts';
import type { PartialConfig } from '../document/draft.ts';
import { type ConfigIssue, schemaIssues } from '../document/issues.ts';
import { eachService } from './rule.ts';
import { isSecretOption, secretHint, unknownSource } from './service-rules.ts';

type Written = Readonly<Record<string, unknown>>;

/** Findings about the options of embedded services. Unknown sources are the subject of a rule. */
export async function optionIssues(draft: PartialConfig): Promise<ConfigIssue[]> {
  const services = [...eachService(draft)].map(async ([name, service]) => {
    if (service.mode !== 'embedded') return [];
    const { mode: _, source, account: __, retryUnreadable: ___, metrics, ...options } = service;
    const path = ['services', name];
    const own = await pagesIssues(path, source, options, ['account', 'metrics', 'retryUnreadable', 'source']);
    if (metrics === undefined) return own;
    const { source: metricsSource, ...metricsOptions } = metrics;
    const schema = await metricsOptionsSchema(metricsSource);
    return [...own, ...misfits([...path, 'metrics'], schema, metricsOptions, ['source'])];
  });
  return (await Promise.all(services)).flat();
}

async function pagesIssues(
  path: Path,
  source: string,
  options: Written,
  alsoKnown: readonly string[],
): Promise<ConfigIssue[]> {
  const own = misfits(path, await sourceOptionsSchema(source), options, alsoKnown);
  const parts = source === 'chain' && Array.isArray(options['sources']) ? options['sources'] : [];
  const others = parts.map(async (part: unknown, at) => await partIssues([...path, 'sources', at], part));
  return [...own, ...(await Promise.all(others)).flat()];
}

/** Findings about one source of a chain. The chain itself reports parts that are not mappings. */
async function partIssues(path: Path, part: unknown): Promise<ConfigIssue[]> {
  if (typeof part !== 'object' || part === null) return [];
  const { source, ...options } = part as Written;
  if (typeof source !== 'string' || source === '') return [];
  const kind = sourceKindOf(source);
  if (kind === undefined) return [{ path: [...path, 'source'], ...unknownSource(source) }];
  if (kind !== 'live') {
    const message = `"${source}" is not a live source, and a chain takes live sources only`;
    return [{ path: [...path, 'source'], message }];
  }
  return await pagesIssues(path, source, options, ['source']);
}

function misfits(
  path: Path,
  schema: z.ZodType | undefined,
  options: Written,
  alsoKnown: readonly string[],
): ConfigIssue[] {
  const { error } = schema?.safeParse(options) ?? {};
  if (error === undefined || schema === undefined) return [];
  return schemaIssues(error, schema, options, alsoKnown).map(({ hint, ...issue }) => {
    const found = { path: [...path, ...issue.path], message: sentence(issue.message) };
    const key = String(issue.path.at(-1));
    // quotes do not make a wrong secret right
    const remedy = isSecretOption(key) && hint?.endsWith('in quotes') !== false ? secretHint(key) : hint;
    return remedy === undefined ? found : { ...found, hint: remedy };
  });
}

/** Sources describe the expected value: `a key of printable characters`. */
function sentence(message: string): string {
  if (message === 'Invalid URL') return 'must be a URL such as https://api.example.com';
  return message.replace(/^(an?|the|printable) /, 'must be $&');
}
