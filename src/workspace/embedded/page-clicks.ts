// The changes of clicks that report.html holds: those of the newest four weeks, the largest only.
import type { PageClicks } from '../../report/html/data/page-data.ts';
import type { ClickReader } from '../click-records.ts';
import { notHeld } from './page-project.ts';

export function pageClickReader({ changes }: PageClicks): ClickReader {
  const refuse = (what: string): never => {
    throw notHeld(what);
  };
  return {
    changes({ by, days, to }) {
      const held = by === 'query' || by === 'page' ? changes[by] : refuse(`changes by ${by}`);
      const { from, to: until } = held.period;
      const heldDays = (Date.parse(until) - Date.parse(from)) / 86_400_000 + 1;
      if (days !== heldDays || (to !== undefined && to !== until)) refuse('changes of other days');
      return held;
    },
    untracked: () => refuse('queries that are not tracked'),
    silent: () => refuse('keywords without impressions'),
  };
}
