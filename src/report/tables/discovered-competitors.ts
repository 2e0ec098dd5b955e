// discovered-competitors.csv: other domains on the same results pages, by share of voice.

import type { Serp, SerpRow, SerpSites } from '../../read/serp.ts';
import { estimatedClicks, sumRates } from '../../tracker/changes/visibility.ts';
import { byText, rounded } from '../../tracker/figures.ts';
import { columnsOf, fieldColumns, runDay } from '../formats/columns.ts';
import type { CsvColumn } from '../formats/csv.ts';

/** Most lines of the table. */
export const discoveredMax = 100;

/** One line of the table. */
export interface DiscoveredRow {
  readonly facts: DiscoveredFacts;
  readonly domain: string;
  readonly sums: DomainSums;
  readonly shareOfVoice: number | null;
  /** Read when it is asked for: of some hundred thousand domains, few are shown. */
  readonly exampleUrl: () => string;
}

/** Facts that all lines share. */
interface DiscoveredFacts {
  readonly project: string;
  readonly ctrCurve: string;
  readonly runId: number;
  readonly warning: string | null;
  readonly coverage: DiscoveredCoverage;
}

interface DiscoveredCoverage {
  readonly total: number;
  readonly checked: number;
  readonly withVolume: number;
  readonly pages: number;
  readonly sources: readonly string[];
}

/** The sums of a domain over all searches. */
interface DomainSums {
  readonly domain: number;
  /** Null: none of its keywords has a known volume. */
  readonly clicks: number | null;
  readonly keywords: number;
  readonly top3: number;
  readonly top10: number;
  readonly ranks: number;
  /** Its most valuable search: by clicks, then by rank. */
  readonly search: Search;
  readonly rank: number;
  readonly urlId: number;
}

type Search = Pick<SerpRow, 'keyword' | 'country' | 'language' | 'device' | 'location'>;

const { text, number, list } = columnsOf<DiscoveredRow>();

export const discoveredColumns: readonly CsvColumn<DiscoveredRow>[] = [
  ...fieldColumns(({ facts }: DiscoveredRow) => facts, 'project'),
  text('domain', 'Registrable domain that is neither a target nor a competitor of the project', (row) => row.domain),
  number(
    'share_of_voice',
    'Its estimated clicks / those of all domains on the same pages, percent; empty without clicks',
    (row) => rounded(row.shareOfVoice, 4),
  ),
  number(
    'estimated_clicks',
    'Clicks per month: sum of volume x CTR(best rank) over its keywords with a known volume; empty without any',
    ({ sums }) => rounded(sums.clicks, 4),
  ),
  number('keywords', 'Keywords for which it was seen, counted once per market', ({ sums }) => sums.keywords),
  number('top_3', 'Keywords for which it ranks 1 to 3', ({ sums }) => sums.top3),
  number('top_10', 'Keywords for which it ranks 1 to 10', ({ sums }) => sums.top10),
  number('average_rank', 'Average of its best ranks, over the keywords for which it was seen', ({ sums }) =>
    rounded(sums.ranks / sums.keywords, 4),
  ),
  text('example_keyword', 'Keyword that gives it the most clicks', ({ sums }) => sums.search.keyword),
  text('example_country', 'Country of that keyword', ({ sums }) => sums.search.country),
  text('example_language', 'Language of that keyword', ({ sums }) => sums.search.language),
  text('example_device', 'Device of that keyword', ({ sums }) => sums.search.device),
  number('example_rank', 'Best rank of the domain for that keyword', ({ sums }) => sums.rank),
  text('example_url', 'URL at that rank', (row) => row.exampleUrl()),
  number(
    'coverage_checked',
    'Keywords with a complete check; the table counts only these',
    (row) => row.facts.coverage.checked,
  ),
  number('coverage_total', 'All tracked keywords, counted once per market', (row) => row.facts.coverage.total),
  number('volume_count', 'Keywords with a complete check and a known volume', (row) => row.facts.coverage.withVolume),
  number(
    'pages_average',
    'Average of results pages read; sites that rank below them were not seen',
    ({ facts: { coverage } }) => (coverage.checked === 0 ? null : rounded(coverage.pages / coverage.checked, 4)),
  ),
  text('ctr_curve', 'Click-through curve of the numbers', ({ facts }) => facts.ctrCurve),
  list('source', 'service/source of the pages', ({ facts }) => facts.coverage.sources),
  number('run_id', 'Run of the report', ({ facts }) => facts.runId),
  text('warning', 'Warnings: a suspect run, simulated data', ({ facts }) => facts.warning),
  runDay(),
  text(
    'example_location',
    'Location of that keyword; empty for the country as a whole',
    ({ sums }) => sums.search.location ?? null,
  ),
];

interface DiscoveredCompetitors {
  add(row: SerpRow): void;
  /** By estimated clicks (unknown counts as none), then by keywords in the top 10, then by keywords. */
  rows(facts: Omit<DiscoveredFacts, 'coverage' | 'ctrCurve'>, rowsMax?: number): DiscoveredRow[];
}

/** `listed`: ids of domains that are targets as a whole. Throws RangeError for an unknown curve. */
export function startDiscoveredCompetitors(
  curveName: string,
  sites: SerpSites,
  listed: ReadonlySet<number>,
): DiscoveredCompetitors {
  const domains = new DomainTable();
  const sources = new Set<string>();
  const counts = { total: 0, checked: 0, withVolume: 0, pages: 0 };
  let allClicks = 0;
  return {
    add(row) {
      counts.total += 1;
      const { now, searchVolume, keyword, country, language, device, location } = row;
      if (now === null) return;
      counts.checked += 1;
      counts.pages += now.pages;
      if (searchVolume !== null) counts.withVolume += 1;
      sources.add(now.source);
      allClicks += (searchVolume ?? 0) * sumRates(curveName, now.bestRanks);
      const search = { keyword, country, language, device, location };
      for (const rank of unlistedDomains(now, listed, sites)) {
        const clicks = estimatedClicks(searchVolume, rank, curveName);
        domains.add(now.domains[rank - 1] ?? 0, rank, clicks, search, now.urlIds[rank - 1] ?? 0);
      }
    },
    rows(facts, rowsMax = Number.POSITIVE_INFINITY) {
      const coverage = { ...counts, sources: [...sources].sort() };
      return biggest(domains, sites, rowsMax).map((sums) => ({
        facts: { ...facts, ctrCurve: curveName, coverage },
        domain: sites.domainName(sums.domain),
        sums,
        shareOfVoice: allClicks === 0 || sums.clicks === null ? null : (100 * sums.clicks) / allClicks,
        exampleUrl: () => sites.url(sums.urlId),
      }));
    },
  };
}

/** The best ranks of unlisted domains, without results that belong to a target. */
function unlistedDomains({ urlIds, domains }: Serp, listed: ReadonlySet<number>, sites: SerpSites): number[] {
  const met: number[] = [];
  const ranks: number[] = [];
  for (let index = 0; index < domains.length; index += 1) {
    const domain = domains[index] ?? 0;
    if (domain === 0 || met.includes(domain) || listed.has(domain)) continue;
    if (sites.targetsOf(urlIds[index] ?? 0).length > 0) continue;
    met.push(domain);
    ranks.push(index + 1);
  }
  return ranks;
}

/**
 * Sums of some hundred thousand domains by column and domain id, because objects would take several times the memory.
 */
class DomainTable {
  readonly #clicks: number[] = [];
  /** Of its keywords: those with a known volume. */
  readonly #weighed: number[] = [];
  readonly #keywords: number[] = [];
  readonly #top3: number[] = [];
  readonly #top10: number[] = [];
  readonly #ranks: number[] = [];
  readonly #searches: (Search | null)[] = [];
  readonly #bestClicks: number[] = [];
  readonly #bestRanks: number[] = [];
  readonly #urlIds: number[] = [];

  /** `clicks` null: the volume is not known. */
  add(domain: number, rank: number, clicks: number | null, search: Search, urlId: number): void {
    this.#grow(domain);
    const worth = clicks ?? 0;
    this.#clicks[domain] = (this.#clicks[domain] ?? 0) + worth;
    this.#weighed[domain] = (this.#weighed[domain] ?? 0) + (clicks === null ? 0 : 1);
    this.#keywords[domain] = (this.#keywords[domain] ?? 0) + 1;
    this.#top3[domain] = (this.#top3[domain] ?? 0) + (rank <= 3 ? 1 : 0);
    this.#top10[domain] = (this.#top10[domain] ?? 0) + (rank <= 10 ? 1 : 0);
    this.#ranks[domain] = (this.#ranks[domain] ?? 0) + rank;
    const best = this.#bestClicks[domain] ?? 0;
    const isBetter = worth > best || (worth === best && rank < (this.#bestRanks[domain] ?? 0));
    if (!isBetter && this.#searches[domain] !== null) return;
    this.#searches[domain] = search;
    this.#bestClicks[domain] = worth;
    this.#bestRanks[domain] = rank;
    this.#urlIds[domain] = urlId;
  }

  *all(): Generator<DomainSums> {
    for (const [domain, search] of this.#searches.entries()) {
      if (search === null) continue;
      yield {
        domain,
        clicks: this.#weighed[domain] === 0 ? null : (this.#clicks[domain] ?? 0),
        keywords: this.#keywords[domain] ?? 0,
        top3: this.#top3[domain] ?? 0,
        top10: this.#top10[domain] ?? 0,
        ranks: this.#ranks[domain] ?? 0,
        search,
        rank: this.#bestRanks[domain] ?? 0,
        urlId: this.#urlIds[domain] ?? 0,
      };
    }
  }

  #grow(domain: number): void {
    while (this.#searches.length <= domain) {
      this.#searches.push(null);
      const columns = [
        this.#clicks,
        this.#weighed,
        this.#keywords,
        this.#top3,
        this.#top10,
        this.#ranks,
        this.#bestClicks,
      ];
      for (const column of [...columns, this.#bestRanks, this.#urlIds]) column.push(0);
    }
  }
}

/** Selects the first lines without sorting all: names break ties only. */
function biggest(domains: DomainTable, sites: SerpSites, rowsMax: number): DomainSums[] {
  const inOrder = (a: DomainSums, b: DomainSums): number =>
    byWorth(a, b) || byText(sites.domainName(a.domain), sites.domainName(b.domain));
  let kept: DomainSums[] = [];
  for (const sums of domains.all()) {
    kept.push(sums);
    if (kept.length >= 10 * rowsMax) kept = kept.sort(inOrder).slice(0, rowsMax);
  }
  return kept.sort(inOrder).slice(0, rowsMax);
}

function byWorth(a: DomainSums, b: DomainSums): number {
  return (b.clicks ?? 0) - (a.clicks ?? 0) || b.top10 - a.top10 || b.keywords - a.keywords;
}
