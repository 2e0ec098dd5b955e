// The sums that the page shows, from the lines of summary.csv.
import { wholeSums } from '../../../rows/sums.ts';
import { marketName } from '../../../tracker/project.ts';
import type { SummaryRow } from '../../tables/summary.ts';
import type { PageSums } from './page-data.ts';

/** Lines of markets and tags; summary.csv has them all. */
const segmentsMax = 500;

export function pageSums(lines: readonly SummaryRow[]): PageSums[] {
  const segments = lines.filter(({ scope }) => scope !== 'project').slice(0, segmentsMax);
  return [...lines.filter(({ scope }) => scope === 'project'), ...segments].map(
    ({ scope, target, tag, country, language, device, location, sums }) => ({
      target,
      by: scope,
      segment:
        scope === 'tag'
          ? (tag ?? '')
          : scope === 'market'
            ? marketName({ country: country ?? '', language: language ?? '', device: device ?? '', location })
            : '',
      ...wholeSums(sums),
    }),
  );
}
