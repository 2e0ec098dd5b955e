// The sums that the page shows, from the lines of summary.csv.
import { computeHeadline, countsOf } from '../../../rows/sums.ts';

import { changeClasses } from '../../../tracker/changes/change.ts';
import { buckets } from '../../../tracker/changes/visibility.ts';
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
      ...computeHeadline(sums),
      buckets: countsOf(buckets, sums.buckets),
      changes: countsOf(changeClasses, sums.classes),
    }),
  );
}
