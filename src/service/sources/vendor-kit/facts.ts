// Facts that several sources share, without the code that reads pages: commands that call no source need facts only.
import type { SourceFacts, SourcePrice } from '../../model/source.ts';

/** Of sources that sell nothing: recorded, invented and combined pages. They have no limits of a vendor. */
export const localFacts = {
  prices: [],
  failureCharge: 'no',
  pageSize: 10,
  rate: { requestsPerSecond: 1000, concurrency: 1000 },
  devices: ['desktop', 'mobile'],
  hasCountries: true,
} as const satisfies Partial<SourceFacts>;

/** What all sources of map pages have in common. A page of Google Maps has 20 places. */
export const mapFacts = {
  pageSize: 20,
  hasCountries: true,
  hasLocalResults: true,
  hasOnlyLocalResults: true,
} as const satisfies Partial<SourceFacts>;

/** What most vendors of the engine's results pages have in common. */
export const webFacts = {
  pageSize: 10,
  devices: ['desktop', 'mobile'],
  hasCountries: true,
  locations: ['place', 'coordinate'],
  hasLocalResults: true,
} as const satisfies Partial<SourceFacts>;

/** The same credits for each page; a credit costs `least` to `most` micro-USD, over the plans on sale. */
export function creditPrice(credits: number, [least, most]: readonly [number, number], asOf: string): SourcePrice {
  return { unit: 'credit', firstPage: credits, furtherPage: credits, unitMicroUsd: { least, most }, asOf };
}

/** The same micro-USD for each page. */
export function pagePrice(microUsd: number, asOf: string): SourcePrice {
  const unitMicroUsd = { least: 1, most: 1 };
  return { unit: 'micro_usd', firstPage: microUsd, furtherPage: microUsd, unitMicroUsd, asOf };
}

/** How a source is written in a config; each option comes from that variable of the environment. */
export function vendorExample(source: string, variables: Readonly<Record<string, string>>): string {
  const options = Object.entries(variables).map(([option, variable]) => `${option}: \${${variable}}`);
  return ['mode: embedded', `source: ${source}`, ...options].join('\n');
}

/** The same of a source of keyword metrics or AI answers, beside a source of pages. */
export function besideExample(
  kind: 'metrics' | 'answers',
  source: string,
  variables: Readonly<Record<string, string>>,
): string {
  const options = Object.entries(variables).map(([option, variable]) => `${option}: "\${${variable}}"`);
  return `mode: embedded\nsource: sandbox\n${kind}: { ${[`source: ${source}`, ...options].join(', ')} }`;
}
