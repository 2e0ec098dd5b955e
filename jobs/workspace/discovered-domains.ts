// Other domains on the pages of the filtered searches, with the numbers of discovered-competitors.csv.

import { startDiscoveredCompetitors } from '../../src/report/tables/discovered-competitors.ts';
import { rounded } from '../../src/tracker/figures.ts';
import { marketName } from '../../src/tracker/project.ts';
import { InvalidQuery } from '../../src/workspace/contract.ts';
import type { DiscoveredDomain } from '../../src/workspace/records.ts';
import type { SerpScope } from '../report/rows/report-scope.ts';
import { serpRows } from '../report/rows/serp-rows.ts';
import { ProjectSites } from '../report/rows/serp-sites.ts';
import type { TableRow } from './columns/column-rows.ts';
import { trailKey } from './columns/project-searches.ts';

/** Their pages are read in some seconds. */
const searchesMax = 20_000;

/** Throws InvalidQuery for too many searches. */
export function discoveredDomains(scope: SerpScope, rows: readonly TableRow[], ctrCurve: string): DiscoveredDomain[] {
  const shown = new Set(rows.map((row) => trailKey(row.keyword, row)));
  if (shown.size > searchesMax) {
    throw new InvalidQuery(
      `filter: ${shown.size} searches are too many to read their pages; narrow it to ${searchesMax}`,
    );
  }
  const keywords = new Set(rows.map(({ keyword }) => keyword));
  const project = { ...scope.project, keywords: scope.project.keywords.filter(({ keyword }) => keywords.has(keyword)) };
  const sites = new ProjectSites(scope.context.store.serpContents, project);
  const discovered = startDiscoveredCompetitors(ctrCurve, sites, sites.listed);
  for (const searches of serpRows({ ...scope, project }, sites)) {
    for (const { row } of searches) if (shown.has(trailKey(row.keyword, row))) discovered.add(row);
  }
  const run = scope.runs.at(-1);
  return discovered
    .rows({ project: project.id, runId: run?.id ?? 0, warning: null })
    .map(({ domain, sums, shareOfVoice, exampleUrl }) => ({
      domain,
      shareOfVoice: rounded(shareOfVoice, 4),
      estimatedClicks: rounded(sums.clicks, 4),
      keywords: sums.keywords,
      top3: sums.top3,
      top10: sums.top10,
      averageRank: rounded(sums.ranks / sums.keywords, 4) ?? 0,
      exampleKeyword: sums.search.keyword,
      exampleMarket: marketName(sums.search),
      exampleRank: sums.rank,
      exampleUrl,
    }));
}
