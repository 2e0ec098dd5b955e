// The sandbox: an invented search world. Free, offline, and equal for equal seed and day.

import * as z from 'zod';
import type { MetricsModule, PageRange, Source, SourceFacts } from '../model/source.ts';
import { type AnswerModule, answerEngines } from '../model/source.ts';
import { eventForm, hostName } from './sandbox/events.ts';
import { lieOptions } from './sandbox/lies.ts';
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

/** Options as a person writes them; each may be left out. */
export const sandboxOptions = z.strictObject({
  seed: z.int().min(0).max(0x7fffffff).default(1).describe('Number of the world; each number gives another world.'),
  sites: z.array(hostName).max(200).default([]).describe('Hosts to add to the world; each ranks for most keywords.'),
  /**
   * Share of pages that come as a captcha, 0 to 1. The same page of the same search is blocked all day in every
   * request, and may succeed on the next.
   */
  blockedShare: z.number().min(0).max(1).default(0).describe('Share of pages that come as a captcha, 0 to 1.'),
  atOnceCredits: z
    .int()
    .min(1)
    .max(10)
    .optional()
    .describe('Also sells pages 1 to 10 at once, as some vendors do, for so many credits. Default: single pages only.'),
  ...lieOptions,
  events: z
    .array(eventForm)
    .max(1000)
    .optional()
    .describe(
      'Events to plant: sites that enter, pass, leave, show another page or title; features, updates, demand. Default: none.',
    ),
});

function sandboxRange({ atOnceCredits }: z.output<typeof sandboxOptions>): PageRange | undefined {
  return atOnceCredits === undefined ? undefined : { pagesMax: 10, credits: () => atOnceCredits };
}

/**
 * An invented source of pages, metrics and AI answers. A request on a UTC day has one answer, byte for byte.
 * Throws ZodError for options that do not fit the schema.
 */
export async function createSandboxSource(options: unknown): Promise<Source> {
  const world = sandboxOptions.parse(options);
  const { sandboxAnswers, sandboxMetrics, sandboxPages } = await import('./sandbox/answers.ts');
  return {
    serp: sandboxPages(world, sandboxRange(world)),
    metrics: sandboxMetrics(world),
    answers: sandboxAnswers(world),
  };
}

/** Invented pages of Google Maps, in the world of `createSandboxSource`. */
export async function createSandboxMaps(options: unknown): Promise<Source> {
  const world = sandboxOptions.parse(options);
  const { sandboxMapPages, sandboxMetrics } = await import('./sandbox/answers.ts');
  return { serp: sandboxMapPages(world), metrics: sandboxMetrics(world) };
}

export const pagesModule = {
  facts,
  options: sandboxOptions,
  create: createSandboxSource,
  range: (options: unknown) => sandboxRange(sandboxOptions.parse(options)),
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
  async create(options) {
    const { sandboxMetrics } = await import('./sandbox/answers.ts');
    return sandboxMetrics(sandboxOptions.parse(options));
  },
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
  async create(options) {
    const { sandboxAnswers } = await import('./sandbox/answers.ts');
    return sandboxAnswers(sandboxOptions.parse(options));
  },
};
