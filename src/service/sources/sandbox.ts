// The sandbox: an invented search world. Free, offline, and equal for equal seed and day.

import * as z from 'zod';
import { googleEngine } from '../engines/google/index.ts';
import { ServiceError } from '../model/errors.ts';
import type {
  MetricsModule,
  MetricsSource,
  PageRequest,
  SerpSource,
  Source,
  SourceContext,
  SourceDependencies,
  SourceFacts,
} from '../model/source.ts';
import { composePage } from './sandbox/compose.ts';
import { captchaPage } from './sandbox/html.ts';
import { listMetrics } from './sandbox/metrics.ts';
import { derive, hashText, unit } from './sandbox/random.ts';
import { renderDesktop } from './sandbox/render-desktop.ts';
import { renderMobile } from './sandbox/render-mobile.ts';
import { normalizeKeyword } from './sandbox/topics.ts';
import { createWorld, type World } from './sandbox/world.ts';
import { localFacts } from './vendor-kit/local-facts.ts';

const dayMs = 86_400_000;
const name = 'sandbox';

export const facts: SourceFacts = {
  ...localFacts,
  title: 'Sandbox',
  failureRule: 'Nothing costs anything.',
  emptyRule: 'The invented page says so.',
  example: 'mode: embedded\nsource: sandbox\nsites: [acme.com]',
};

/** Options as a person writes them; each may be left out. */
export const sandboxOptions = z.strictObject({
  seed: z.int().min(0).max(0x7fffffff).default(1).describe('Number of the world: another one is another world.'),
  sites: z
    .array(z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/u, 'a lower-case host name, such as shop.example.com'))
    .max(200)
    .default([])
    .describe('Hosts that the world holds besides its own: each ranks for most keywords.'),
  /**
   * Share of pages that come as a captcha, 0 to 1. The same page of the same search is blocked all day, however often
   * it is asked, and may come through on the next.
   */
  blockedShare: z.number().min(0).max(1).default(0).describe('Share of pages that come as a captcha, 0 to 1.'),
});

export type SandboxOptions = z.input<typeof sandboxOptions>;

/**
 * An invented source of pages and metrics. A request on a UTC day has one answer, byte for byte.
 * Throws ZodError for options that do not fit the schema.
 */
export function createSandboxSource(options: SandboxOptions, _dependencies: SourceDependencies): Source {
  const { seed, sites, blockedShare } = sandboxOptions.parse(options);
  const world = createWorld(seed, sites);
  const serp: SerpSource = {
    name,
    kind: 'sandbox',
    async fetchPage(request, context) {
      refuseAborted(context);
      const day = Math.floor(context.at / dayMs);
      const isBlocked = unit(blockKey(request, seed, day)) < blockedShare;
      const text = isBlocked ? captchaPage(request.keyword) : render(world, request, day);
      return { body: { contentType: 'text/html', text }, observedAt: context.at };
    },
    editionAt: (at) => String(Math.floor(at / dayMs)),
    readPage(body, request) {
      return googleEngine.parse(body.text, { keyword: request.keyword, mobile: request.mobile });
    },
  };
  return { serp, metrics: metricsOf(seed) };
}

function metricsOf(seed: number): MetricsSource {
  return {
    name,
    kind: 'sandbox',
    async fetchMetrics(request, context) {
      refuseAborted(context);
      const date = new Date(context.at);
      return listMetrics({ ...request, month: (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth() }, seed);
    },
  };
}

/** Its metrics alone. */
export const metricsModule: MetricsModule = {
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
  create: (options) => metricsOf(sandboxOptions.parse(options).seed),
};

function render(world: World, request: PageRequest, day: number): string {
  const { country, language, mobile } = request;
  const ranking = world.rank({ keyword: normalizeKeyword(request.keyword), country, language, mobile }, day);
  const page = composePage(ranking, request.keyword, request.page);
  return mobile ? renderMobile(page) : renderDesktop(page);
}

function blockKey(request: PageRequest, seed: number, day: number): number {
  const search = [request.country, request.language, request.mobile, request.keyword].join('\n');
  return derive(derive(hashText(search, derive(seed, 3)), request.page), day);
}

function refuseAborted({ signal }: SourceContext): void {
  if (signal.aborted)
    throw new ServiceError('ABORTED', 'The request was given up before it was answered.', {
      cause: signal.reason,
      charged: 'no',
    });
}
