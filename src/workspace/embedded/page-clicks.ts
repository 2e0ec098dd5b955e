// The changes of clicks that report.html holds: those of the newest four weeks, the largest only.
import type { PageClicks } from '../../report/html/data/page-data.ts';
import type { ClickReader } from '../click-records.ts';
import { InvalidQuery } from '../contract.ts';

export function pageClickReader({ changes }: PageClicks): ClickReader {
  const notHeld = (what: string): never => {
    throw new InvalidQuery(`This file does not hold ${what}. \`rankledger view\` shows them.`);
  };
  return {
    changes({ by, days, to }) {
      const held = by === 'query' || by === 'page' ? changes[by] : notHeld(`changes by ${by}`);
      const { from, to: until } = held.period;
      const heldDays = (Date.parse(until) - Date.parse(from)) / 86_400_000 + 1;
      if (days !== heldDays || (to !== undefined && to !== until)) notHeld('changes of other days');
      return held;
    },
    untracked: () => notHeld('queries that are not tracked'),
    silent: () => notHeld('keywords without impressions'),
  };
}
