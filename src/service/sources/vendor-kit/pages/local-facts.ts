// Facts of sources that sell nothing: recorded, invented and combined pages. They have no limits of a vendor.
import type { SourceFacts } from '../../../model/source.ts';

export const localFacts = {
  prices: [],
  failureCharge: 'no',
  pageSize: 10,
  rate: { requestsPerSecond: 1000, concurrency: 1000 },
  devices: ['desktop', 'mobile'],
  hasCountries: true,
} as const satisfies Partial<SourceFacts>;
