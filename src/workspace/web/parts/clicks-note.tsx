// What measured clicks are sums of.
import type { ReactNode } from 'react';
import type { ProjectFacts } from '../../../read/records.ts';
import type { KnownFault } from '../../../tracker/clicks/known-faults.ts';
import { days, number } from '../words.ts';

export function Faults({ faults = [] }: { readonly faults: readonly KnownFault[] | undefined }): ReactNode {
  return faults.map((fault) => (
    <span key={fault.from}>
      {fault.text} on {days(fault.from, fault.to)}: <a href={fault.source}>source</a>.{' '}
    </span>
  ));
}

/** `facts` undefined: the project has none. */
export function ClicksNote({ facts }: { readonly facts: ProjectFacts['clicks'] }): ReactNode {
  if (facts === undefined) return null;
  const {
    property,
    from,
    to,
    days: stored,
    freshDays,
    clicks,
    impressions,
    hiddenClicks,
    hiddenImpressions,
    alone,
    pagesFrom,
    faults,
  } = facts;
  return (
    <p className="cover">
      Measured: Search Console, <bdi>{property}</bdi>, {days(from, to)}, {number(stored)} of 28 days.
      {freshDays > 0 &&
        ` ${number(freshDays)} newer ${freshDays === 1 ? 'day is' : 'days are'} not final and left out.`}{' '}
      Hidden queries have {number(hiddenClicks)} of {number(clicks)} clicks
      {impressions !== null &&
        hiddenImpressions !== null &&
        ` and ${number(hiddenImpressions)} of ${number(impressions)} impressions`}
      ; they are in no row.
      {impressions === null && (
        <>
          {' '}
          Some of these days are stored by page only: impressions of queries with several pages are unknown until{' '}
          <code>rankledger backfill clicks</code> fetches the days by query.
        </>
      )}{' '}
      {alone !== undefined &&
        ` By query alone ${number(alone.query.clicks)} clicks are counted, by page alone ${number(alone.page.clicks)}.`}{' '}
      {pagesFrom === 'pages'
        ? 'Rows are by query, country and device; pages are counted alone. '
        : 'Pages have the clicks of their shown queries. '}
      <Faults faults={faults} />
      Average positions are no ranks.
    </p>
  );
}
