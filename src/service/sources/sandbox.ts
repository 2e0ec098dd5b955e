// The sandbox: an invented search world. Free, offline, and equal for equal seed and day.

import { type AnswerModule, answerEngines, type MetricsModule, type SourceFacts } from '../model/source.ts';
import { atOnceRange, sandboxOptions } from './sandbox/options.ts';
import { localFacts, mapFacts as mapPages } from './vendor-kit/facts.ts';

const facts: SourceFacts = {
  ...localFacts,
  title: 'Sandbox',
  locations: ['place', 'coordinate'],
  hasLocalResults: true,
  failureRule: 'Nothing costs anything.',
  emptyRule: 'The invented page says so.',
  example: 'mode: embedded\nsource: sandbox\nsites: [acme.com]',
};

const mapFacts: SourceFacts = {
  ...facts,
  ...mapPages,
  title: 'Sandbox, Google Maps',
  example: 'mode: embedded\nsource: sandbox-maps\nsites: [acme.com]',
};

async function openWorld(options: unknown) {
  const parsed = sandboxOptions.parse(options);
  return (await import('./sandbox/answers.ts')).openWorld(parsed);
}

/**
 * An invented source of pages, metrics and AI answers. A request on a UTC day has one answer, byte for byte.
 * Throws ZodError for options that do not fit the schema.
 */
export async function createSandboxSource(options: unknown) {
  const { pages, metrics, answers } = await openWorld(options);
  return { serp: pages, metrics, answers };
}

/** Invented pages of Google Maps, in the world of `createSandboxSource`. */
export async function createSandboxMaps(options: unknown) {
  const { maps, metrics } = await openWorld(options);
  return { serp: maps, metrics };
}

export const pagesModule = {
  facts,
  options: sandboxOptions,
  create: createSandboxSource,
  range: (options: unknown) => atOnceRange(sandboxOptions.parse(options)),
};

export const mapsModule = { facts: mapFacts, options: sandboxOptions, create: createSandboxMaps };

/** Its metrics alone. */
export const metricsModule: MetricsModule<typeof sandboxOptions> = {
  facts: {
    title: facts.title,
    prices: [],
    failureCharge: 'no',
    failureRule: facts.failureRule,
    knows: ['search_volume', 'cpc', 'competition', 'intent', 'related_keywords'],
    keywordsMax: 1000,
    rate: facts.rate,
    note: 'The numbers are invented.',
    example: 'mode: embedded\nsource: sandbox\nmetrics: { source: sandbox, seed: 2 }',
  },
  options: sandboxOptions,
  create: async (options) => (await openWorld(options)).metrics,
};

/** Its AI answers alone. */
export const answerModule: AnswerModule = {
  facts: {
    title: facts.title,
    engines: answerEngines.map((engine) => ({
      engine,
      microUsdMax: 5_000,
      asOf: '2026-11',
      format: 'Invented answers, at a price of play money.',
    })),
    failureCharge: 'no',
    failureRule: facts.failureRule,
    rate: facts.rate,
    example: 'mode: embedded\nsource: sandbox\nanswers: { source: sandbox, seed: 2 }',
  },
  options: sandboxOptions,
  create: async (options) => (await openWorld(options)).answers,
};
