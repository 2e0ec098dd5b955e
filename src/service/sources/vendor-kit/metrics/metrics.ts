// Defines a vendor of keyword metrics and makes its source. Each vendor is one adapter file with this shape.
import type * as z from 'zod';
import type { KeywordMetrics } from '../../../model/results/keyword-data.ts';
import type {
  MetricsFacts,
  MetricsModule,
  MetricsRequest,
  MetricsSource,
  SourceContext,
  SourceDependencies,
  SourceProbe,
} from '../../../model/source.ts';
import { type Fields, ShapeError } from '../../../net/fields.ts';
import { PaidParts } from '../client/paid-parts.ts';
import { type KeyState, probeKeys } from '../client/probe.ts';
import type { VendorCall, VendorClient } from '../client/vendor-client.ts';
import { type ClientForm, openVendorClient, type VendorOptions } from '../pages/define.ts';
import { metricsFailure } from './metrics-failure.ts';
import { type AskedMetrics, type KnownMetrics, togetherOrAlone, toRows, withWanted } from './metrics-list.ts';

/** Sends one call and returns the answer. Throws ServiceError. */
export type Ask = (call: (key: string) => VendorCall) => Promise<Fields>;

/** A vendor of metrics as its file writes it. */
export interface MetricsForm<Options extends VendorOptions> extends ClientForm<Options> {
  readonly facts: MetricsFacts;
  readonly options: z.ZodType<Options>;
  /**
   * Asks for the metrics, as `listOf` puts them together. Throws ShapeError for an answer of another shape,
   * ServiceError INVALID_REQUEST, charged `no`, for what the vendor does not have.
   */
  fetch(asked: AskedMetrics, ask: Ask, options: Options): Promise<readonly KnownMetrics[]>;
  /**
   * Whether a wanted keyword may be asked for beside others: one that the vendor refuses would spoil the call for all.
   * Absent: every one may.
   */
  takes?(keyword: string): boolean;
  /** The free request for the remaining credits; absent if the vendor has none. */
  readonly probe?: {
    /** Another base URL for that request. */
    readonly baseUrl?: string;
    call(key: string, options: Options): VendorCall;
    read(root: Fields): KeyState;
  };
}

/**
 * How a source of metrics is written in a config, beside a source of pages; each option comes from that variable of the
 * environment.
 */
export function metricsExample(source: string, variables: Readonly<Record<string, string>>): string {
  const options = Object.entries(variables).map(([option, variable]) => `${option}: "\${${variable}}"`);
  return `mode: embedded\nsource: sandbox\nmetrics: { ${[`source: ${source}`, ...options].join(', ')} }`;
}

export function defineMetrics<Options extends VendorOptions>(form: MetricsForm<Options>): MetricsModule {
  return {
    facts: form.facts,
    options: form.options,
    create: (options, dependencies) => new MetricsVendor(form, form.options.parse(options), dependencies),
  };
}

class MetricsVendor<Options extends VendorOptions> implements MetricsSource {
  readonly name: string;
  readonly kind = 'live';
  readonly probe?: (context: SourceContext) => Promise<SourceProbe>;
  readonly #form: MetricsForm<Options>;
  readonly #options: Options;
  readonly #line: VendorClient;
  readonly #parts: PaidParts;

  constructor(form: MetricsForm<Options>, options: Options, dependencies: SourceDependencies) {
    this.name = form.name;
    this.#form = form;
    this.#options = options;
    this.#line = openVendorClient(form, options, dependencies);
    this.#parts = new PaidParts(dependencies.clock);
    const { probe } = form;
    if (probe === undefined) return;
    const unit = form.facts.prices[0]?.unit ?? 'credit';
    const asked = { name: form.name, unit, call: (key: string) => probe.call(key, options), read: probe.read };
    this.probe = async ({ signal }) => {
      if (probe.baseUrl === undefined) return await probeKeys(this.#line, asked, signal);
      const elsewhere = openVendorClient({ ...form, baseUrl: probe.baseUrl }, options, dependencies);
      try {
        return await probeKeys(elsewhere, asked, signal);
      } finally {
        await elsewhere.close();
      }
    };
  }

  async fetchMetrics(request: MetricsRequest, { signal, wanted = [] }: SourceContext): Promise<KeywordMetrics[]> {
    const asked = withWanted(request, wanted, (keyword) => this.#form.takes?.(keyword) ?? true);
    return await togetherOrAlone(asked, async (each) => await this.#fetch(each, signal));
  }

  async #fetch(request: AskedMetrics, signal: AbortSignal): Promise<KeywordMetrics[]> {
    const used: string[] = [];
    const ask: Ask = async (call) => {
      const part = JSON.stringify(call(''));
      const root = this.#parts.get(part) ?? (await this.#line.send(call, signal)).root;
      this.#parts.keep(part, root);
      used.push(part);
      return root;
    };
    try {
      const known = await this.#form.fetch(request, ask, this.#options);
      this.#parts.drop(used);
      return toRows(known, request);
    } catch (error) {
      if (error instanceof ShapeError) this.#parts.drop(used);
      throw metricsFailure(error, this.#form, used.length > 0);
    }
  }

  async close(): Promise<void> {
    await this.#line.close();
  }
}
