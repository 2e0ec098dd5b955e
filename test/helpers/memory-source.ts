// A source in memory with scripted answers and failures. Bodies are JSON, so that reading can be scripted too.
import {
  type KeywordMetrics,
  type MetricsRequest,
  type PageRequest,
  type ReadPage,
  ServiceError,
  type Source,
  type SourceContext,
  type SourceKind,
} from '../../src/service/index.ts';

export interface MemoryScript {
  readonly kind?: SourceKind;
  /** The page as the engine would read it; thrown errors are the source's failure. */
  readonly page?: (request: PageRequest, context: SourceContext) => ReadPage | Promise<ReadPage>;
  /** The result of reading the body, instead of what `page` returned. */
  readonly read?: (request: PageRequest) => ReadPage;
  /** The result of the free request; absent: the source has none. */
  readonly probe?: () => void;
  readonly metrics?: (request: MetricsRequest) => KeywordMetrics[] | Promise<KeywordMetrics[]>;
}

export interface MemorySource extends Source {
  readonly asked: PageRequest[];
  readonly askedMetrics: MetricsRequest[];
  readonly contexts: SourceContext[];
  readonly closed: string[];
}

/** Two organic results and the question box. */
export function pageOf(request: PageRequest): ReadPage {
  const link = (rank: number) => `https://site${rank}.example/${encodeURIComponent(request.keyword)}/${request.page}`;
  return {
    serp: {
      organic: [
        { rank: 1, global_rank: 1, title: 'First', link: link(1) },
        { rank: 2, global_rank: 3, title: 'Second', link: link(2) },
      ],
      people_also_ask: [{ rank: 1, global_rank: 2, question: 'Why?' }],
    },
    features: [{ type: 'people_also_ask', links: [] }],
  };
}

export function metricsOf(keyword: string, volume: number | null, more: Partial<KeywordMetrics> = {}): KeywordMetrics {
  return {
    keyword,
    search_volume: volume,
    cpc: 1.25,
    competition: 40,
    competition_level: 'medium',
    country: 'us',
    language: 'en',
    intent: 'commercial',
    related_keywords: null,
    ...more,
  };
}

export function memorySource(script: MemoryScript = {}): MemorySource {
  const kind = script.kind ?? 'sandbox';
  const { probe } = script;
  const source = {
    asked: [] as PageRequest[],
    askedMetrics: [] as MetricsRequest[],
    contexts: [] as SourceContext[],
    closed: [] as string[],
  };
  return {
    ...source,
    serp: {
      name: 'memory',
      kind,
      async fetchPage(request, context) {
        source.asked.push(request);
        source.contexts.push(context);
        const page = await (script.page ?? pageOf)(request, context);
        return { body: { contentType: 'text/html', text: JSON.stringify(page) }, observedAt: context.at };
      },
      readPage(body, request) {
        if (script.read !== undefined) return script.read(request);
        if (body.text === 'not a page')
          throw new ServiceError('SERP_FAILED', 'No page.', { reason: 'unparseable', disposition: 'abandon' });
        return JSON.parse(body.text) as ReadPage;
      },
      ...(probe !== undefined && {
        async probe() {
          probe();
          return { answers: true, creditsLeft: null, unit: 'credit', message: 'It answers.' };
        },
      }),
      async close() {
        source.closed.push('serp');
      },
    },
    metrics: {
      name: 'memory',
      kind,
      async fetchMetrics(request) {
        source.askedMetrics.push(request);
        return await (script.metrics ?? (({ keyword }) => [metricsOf(keyword, 1000)]))(request);
      },
      async close() {
        source.closed.push('metrics');
      },
    },
  };
}

/** The ServiceError that the work fails with; fails the test if it succeeds or throws anything else. */
export async function failureOf(work: Promise<unknown> | (() => unknown)): Promise<ServiceError> {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw new Error('Not a ServiceError', { cause: error });
  }
  throw new Error('The work should have failed.');
}
