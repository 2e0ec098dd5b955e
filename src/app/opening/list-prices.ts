// List prices of the sources that a config names, and what a month of a keyword costs by them.

import type { ResolvedConfig, ServiceConfig } from '../../../config/resolve.ts';
import type { BestSources } from '../../../jobs/context.ts';
import { describeMetricsSource, describeSource, type SourcePrice } from '../../service/terms.ts';
import { costOfPages, type DollarRange, doubleShareMax, rangeOfPages } from '../../tracker/page-price.ts';

type Options = Readonly<Record<string, unknown>>;

/** List price of pages or keyword data, for the method that the config chooses. */
export interface ListPrice {
  readonly unit: SourcePrice['unit'];
  /**
   * Pages: the first of a search, and each further one. Keyword data: a request for one keyword, and each related
   * keyword in its answer.
   */
  readonly first: number;
  readonly further: number;
  /** Keyword data: each further tracked keyword in the same request. Pages: null. */
  readonly together: number | null;
  /** Micro-USD of a unit, over the plans that are sold. */
  readonly unitMicroUsd: SourcePrice['unitMicroUsd'];
  readonly asOf: string;
}

/** The list price of pages; null: unknown, or free. */
export async function pagePrice(source: string, options: Options): Promise<ListPrice | null> {
  const described = await describeSource(source);
  const price = chosen(described?.facts.prices ?? [], options);
  if (price === undefined) return null;
  const { unit, firstPage, furtherPage, unitMicroUsd, asOf } = price;
  return { unit, first: firstPage, further: furtherPage, together: null, unitMicroUsd, asOf };
}

/** The list price of keyword data; null: unknown, or free. */
export async function metricsPrice(source: string, options: Options): Promise<ListPrice | null> {
  const described = await describeMetricsSource(source);
  const price = chosen(described?.facts.prices ?? [], options);
  if (price === undefined) return null;
  const { unit, perRequest, perWanted, perRelated, unitMicroUsd, asOf } = price;
  return { unit, first: perRequest, further: perRelated, together: perWanted, unitMicroUsd, asOf };
}

/**
 * The price of the mode that the options choose: the mode whose option matches, the most specific one first; else the
 * first mode that no option rules out.
 */
function chosen<Price extends { readonly mode?: string }>(
  prices: readonly Price[],
  options: Options,
): Price | undefined {
  const words = (price: Price) =>
    (price.mode ?? '').split(',').flatMap((pair) => {
      const [key = '', value = ''] = pair.split(':').map((part) => part.trim());
      return key === '' ? [] : [{ key, value }];
    });
  const said = (price: Price) => words(price).filter(({ key, value }) => String(options[key]) === value).length;
  const open = prices.filter((price) =>
    words(price).every(({ key, value }) => options[key] === undefined || String(options[key]) === value),
  );
  const full = open.filter((price) => said(price) === words(price).length);
  return full.toSorted((one, other) => said(other) - said(one))[0] ?? open[0];
}

/** What the operator pays. */
const ofPlan = (microUsd: number): ListPrice => ({
  unit: 'credit',
  first: 1,
  further: 1,
  together: null,
  unitMicroUsd: { least: microUsd, most: microUsd },
  asOf: 'config',
});

/** What the operator pays, in units of the list price where there is one. */
export function priceOfPlan(microUsdPerCredit: number | undefined, listed: ListPrice | null): ListPrice | null {
  if (microUsdPerCredit === undefined) return listed;
  const own = ofPlan(microUsdPerCredit);
  if (listed === null) return own;
  const microUsd = microUsdPerCredit / listed.first;
  return { ...listed, unitMicroUsd: { least: microUsd, most: microUsd }, asOf: own.asOf };
}

type Services = Pick<ResolvedConfig, 'services' | 'best'>;

/** The services that sell what this one does: those that one of `mode: best` chooses from. */
export function sellersOf({ best }: Services, service: string): readonly string[] {
  return best.get(service)?.of ?? [service];
}

/** What so many pages of a service cost, those included that are bought twice; null: no price is known. */
export async function plannedCost(
  config: Services,
  service: string,
  pages: number,
  searches: number,
): Promise<DollarRange | null> {
  const range = costOfPages(await pricesOf(config, service), pages, searches);
  if (range === null || !config.best.has(service)) return range;
  return { least: range.least, most: range.most * (1 + doubleShareMax) };
}

/** Prices of pages, of each source that may sell them; empty: one of them has none, or is remote. */
async function pricesOf(config: Services, service: string): Promise<readonly ListPrice[]> {
  const sellers = sellersOf(config, service).map((name) => servicePrices(config.services.get(name)));
  const prices = await Promise.all(sellers);
  return prices.some(({ length }) => length === 0) ? [] : prices.flat();
}

/** The same of a service with one source, or a chain. */
async function servicePrices(service: ServiceConfig | undefined): Promise<readonly ListPrice[]> {
  if (service?.microUsdPerCredit !== undefined) return [ofPlan(service.microUsdPerCredit)];
  if (service?.mode !== 'embedded') return [];
  const { source, options } = service;
  const chain = Array.isArray(options['sources']) ? (options['sources'] as readonly Options[]) : null; // by its schema
  const sources = chain ?? [{ ...options, source }];
  const prices = await Promise.all(sources.map((written) => pagePrice(String(written['source']), written)));
  const known = prices.filter((price) => price !== null);
  return known.length === prices.length ? known : [];
}

/** Services of `mode: best`, with those of their sources that `isOpen`. */
export async function bestSources(
  config: Services,
  isOpen: (service: string) => boolean = () => true,
): Promise<Map<string, BestSources>> {
  const found = new Map<string, BestSources>();
  if (config.best.size === 0) return found;
  const prices = await pagePrices(config);
  for (const [name, { of, agreement }] of config.best) {
    const open = of.filter(isOpen);
    const microUsd = new Map(open.map((each) => [each, prices.get(each)?.most ?? 0]));
    found.set(name, { of: open, agreement, microUsd });
  }
  return found;
}

/** Micro-USD of a page, by service; those without list prices are missing. */
export async function pagePrices(config: Services): Promise<Map<string, DollarRange>> {
  const found = new Map<string, DollarRange>();
  for (const name of config.services.keys()) {
    const range = rangeOfPages(await pricesOf(config, name));
    if (range !== null) found.set(name, range);
  }
  return found;
}
