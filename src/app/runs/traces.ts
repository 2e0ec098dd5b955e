// Traces of runs for OpenTelemetry, run > check > purchase: read from history when a run has ended.
import { setTimeout } from 'node:timers/promises';
import type { Span } from '@opentelemetry/api';
import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { ReadableSpan, TracerProvider } from '@opentelemetry/sdk-trace';
import { trimSlashes } from '../../../config/resolve-reports.ts';
import type { RunPurchase } from '../../../db/reads/run-purchases.ts';
import { describeError } from '../../../jobs/alerts/alert-channel.ts';
import type { JobContext } from '../../../jobs/context.ts';
import { UsageError } from '../opening/failures.ts';

interface TraceSender {
  /** A run has ended. */
  send(runId: number): void;
  /** Waits for one more answer of a slow collector, and drops the traces that are left. */
  close(): Promise<void>;
}

/** A collector that does not answer must not hold up the end of a command. */
const timeoutMs = 5000;

/** `endpoint` as in OTEL_EXPORTER_OTLP_ENDPOINT; the SDK is loaded for it. Rejects with UsageError if it is missing. */
export async function openTraces(endpoint: string, context: JobContext): Promise<TraceSender> {
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
    throw new UsageError(
      `OTEL_EXPORTER_OTLP_ENDPOINT is not the URL of a collector: ${endpoint}`,
      'Set one such as http://127.0.0.1:4318, or unset it.',
    );
  const sdk = await loadSdk();
  const exporter = new sdk.OTLPTraceExporter({
    url: `${trimSlashes(endpoint)}/v1/traces`,
    timeoutMillis: timeoutMs,
  });
  const tracer = new RunTracer(sdk, exporter);
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let isClosed = false;
  return {
    send(runId) {
      waiting += 1;
      last = last
        .then(() => (isClosed ? undefined : tracer.send(context.store, runId)))
        .catch((error: unknown) => context.log.warn({ runId, error: describeError(error) }, 'trace could not be sent'))
        .finally(() => {
          waiting -= 1;
        });
    },
    async close() {
      const late = new AbortController();
      await Promise.race([last, setTimeout(timeoutMs, undefined, late).catch(() => undefined)]);
      late.abort();
      isClosed = true;
      if (waiting > 0) context.log.warn({ traces: waiting }, 'traces were dropped: the collector is too slow');
      await exporter.shutdown();
    },
  };
}

const packages =
  '@opentelemetry/api @opentelemetry/sdk-trace @opentelemetry/resources @opentelemetry/exporter-trace-otlp-http';

async function loadSdk() {
  try {
    const [api, { TracerProvider }, { resourceFromAttributes }, { OTLPTraceExporter }] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ]);
    return { ...api, TracerProvider, resourceFromAttributes, OTLPTraceExporter };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError(
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but the OpenTelemetry SDK is not installed',
      `Install it beside rankledger: npm install ${packages}`,
    );
  }
}

type Sdk = Awaited<ReturnType<typeof loadSdk>>;

class RunTracer {
  readonly #sdk: Sdk;
  readonly #exporter: OTLPTraceExporter;
  readonly #provider: TracerProvider;
  #ended: ReadableSpan[] = [];

  constructor(sdk: Sdk, exporter: OTLPTraceExporter) {
    this.#sdk = sdk;
    this.#exporter = exporter;
    this.#provider = new sdk.TracerProvider({
      resource: sdk.resourceFromAttributes({ 'service.name': 'rankledger' }),
      spanProcessors: [
        {
          onStart() {},
          onEnd: (span) => this.#ended.push(span),
          forceFlush: () => this.#flush(),
          shutdown: () => this.#flush(),
        },
      ],
    });
  }

  /** Rejects at the first part that the collector does not take. */
  async send(store: JobContext['store'], runId: number): Promise<void> {
    const run = store.runs.run(runId);
    if (run?.closedAt == null) return;
    const tracer = this.#provider.getTracer('rankledger');
    const { trace, ROOT_CONTEXT, SpanKind, SpanStatusCode } = this.#sdk;
    const root = tracer.startSpan('run', {
      root: true,
      startTime: run.openedAt,
      attributes: {
        'rankledger.run.id': runId,
        'rankledger.run.kind': run.kind,
        'rankledger.run.state': run.state,
        'rankledger.projects': store.runs.slotsOf(runId).map(({ project }) => project),
      },
    });
    const below = (parent: Span) => trace.setSpan(ROOT_CONTEXT, parent);
    for (const purchases of store.runPurchases.ofRun(runId)) {
      for (const [, [first, ...others]] of Map.groupBy(purchases, ({ reservationId }) => reservationId)) {
        if (first === undefined) continue;
        const check = first.check && {
          ...first.check,
          span: tracer.startSpan(
            'check',
            { startTime: first.openedAt, attributes: checkAttributes(first) },
            below(root),
          ),
        };
        for (const purchase of [first, ...others]) {
          const { openedAt, settledAt, errorCode } = purchase;
          const span = tracer.startSpan(
            'purchase',
            { startTime: openedAt, kind: SpanKind.CLIENT, attributes: purchaseAttributes(purchase) },
            below(check?.span ?? root),
          );
          if (errorCode !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: errorCode });
          span.end(settledAt);
        }
        check?.span.end(Math.max(check.finishedAt ?? 0, ...[first, ...others].map(({ settledAt }) => settledAt)));
      }
      await this.#flush();
    }
    if (run.state === 'halted') root.setStatus({ code: SpanStatusCode.ERROR, message: run.reason ?? 'halted' });
    root.end(run.closedAt);
    await this.#flush();
  }

  async #flush(): Promise<void> {
    const spans = this.#ended;
    this.#ended = [];
    if (spans.length === 0) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#exporter.export(spans, ({ code, error }) => {
      if (code === 0) resolve();
      else reject(error ?? new Error('the collector refused it'));
    });
    await promise;
  }
}

function checkAttributes({ checkId, check }: RunPurchase) {
  if (check === null) return {};
  return {
    'rankledger.check.id': checkId ?? 0,
    'rankledger.check.state': check.state,
    'rankledger.keyword': check.keyword,
    'rankledger.country': check.country,
    'rankledger.language': check.language,
    'rankledger.device': check.device,
    'rankledger.depth': check.depth,
  };
}

function purchaseAttributes({ service, page, attempt, state, currency, charged, simulated }: RunPurchase) {
  return {
    'rankledger.service': service,
    'rankledger.attempt': attempt,
    'rankledger.outcome': state,
    'rankledger.simulated': simulated === 1,
    ...(page === null ? {} : { 'rankledger.page': page }),
    ...(currency === 'serp_credit' ? { 'rankledger.credits': charged } : { 'rankledger.micro_usd': charged }),
  };
}
