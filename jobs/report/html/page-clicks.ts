// Measured clicks in report.html: of its rows, and of the pages that rank.
import type { PageClicks } from '../../../src/report/html/data/page-data.ts';
import type { ProjectClicks } from '../../clicks/project-clicks.ts';

export function pageClicks(clicks: ProjectClicks, changes: PageClicks['changes'], urls: readonly string[]): PageClicks {
  return {
    facts: clicks.facts(),
    changes,
    pages: urls.flatMap((url, index) => {
      const page = clicks.ofPage(url);
      return page === null ? [] : [[index, page.clicks, page.impressions] as const];
    }),
  };
}
