// The vendor whose key is in the environment, for a first run that asks nothing.
import type { StarterService } from '../../../config/starter.ts';
import {
  describeSource,
  metricsSourceNames,
  sourceEngine,
  sourceKindOf,
  sourceNames,
  usualEngine,
} from '../../service/terms.ts';
import { rangeOfPages } from '../../tracker/page-price.ts';
import { pagePrice } from './list-prices.ts';

export interface EnvironmentService extends StarterService {
  readonly title: string;
  /** Names of the variables that hold its key. */
  readonly variables: readonly string[];
}

/**
 * The cheapest vendor of results pages all of whose variables are set, under the names that the manual gives them; null
 * if there is none. One of another engine than Google is taken only where there is no other. Own fetching has no key,
 * and a vendor of maps finds no pages.
 */
export async function environmentService(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<EnvironmentService | null> {
  let best: { readonly service: EnvironmentService; readonly microUsd: number; readonly isUsual: boolean } | null =
    null;
  for (const name of sourceNames.filter((each) => sourceKindOf(each) === 'live')) {
    const facts = (await describeSource(name))?.facts;
    const variables = [...(facts?.example ?? '').matchAll(/\$\{(\w+)\}/g)].map(([, variable = '']) => variable);
    const isSet = variables.length > 0 && variables.every((variable) => (environment[variable] ?? '') !== '');
    const price = await pagePrice(name, {});
    if (facts === undefined || facts.hasOnlyLocalResults === true || !isSet || price === null) continue;
    const microUsd = rangeOfPages([price])?.most ?? 0;
    const isUsual = sourceEngine(name) === usualEngine;
    if (best !== null && (best.isUsual === isUsual ? best.microUsd <= microUsd : best.isUsual)) continue;
    const { title, devices } = facts;
    const sellsVolumes = metricsSourceNames.includes(name);
    best = {
      service: { title, devices, sellsVolumes, variables, written: inOneLine(facts.example) },
      microUsd,
      isUsual,
    };
  }
  return best?.service ?? null;
}

/** `mode: embedded, source: serper, apiKey: "${SERPER_KEY}"` */
function inOneLine(example: string): string {
  return example.replaceAll(/: (\$\{\w+\})/g, ': "$1"').replaceAll('\n', ', ');
}
