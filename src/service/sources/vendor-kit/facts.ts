// Facts that several sources share, without the code that reads pages: commands that call no source need facts only.
import type { SourceFacts } from '../../model/source.ts';

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
