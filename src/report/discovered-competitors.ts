// discovered-competitors.csv: who else shares the results pages, by share of voice. What the pages show is serp.ts's part.
import { ctr, rateOfAll } from '../tracker/visibility.ts';
import { type CsvColumn, type CsvOptions, columnNotes, csvChunks } from './csv.ts';
import type { Serp, SerpRow, SerpSites } from './serp.ts';

/** Lines of the table: more than anybody looks into. */
export const discoveredMax = 100;

/** One line of the table. */
export interface DiscoveredRow {
  readonly facts: DiscoveredFacts;
  readonly domain: string;
  readonly sums: DomainSums;
  readonly shareOfVoice: number | null;
  readonly exampleUrl: string | null;
}

/** What is true of the whole table. */
export interface DiscoveredFacts {
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

/** What a domain has in all searches. */
interface DomainSums {
  readonly domain: number;
  clicks: number;
  keywords: number;
  withVolume: number;
  top3: number;
  top10: number;
  ranks: number;
  /** The search that is worth most to it: by clicks, then by rank. */
  example: Sighting | null;
}

/** A domain in one search. */
interface Sighting {
  readonly search: Pick<SerpRow, 'keyword' | 'country' | 'language' | 'device'>;
  readonly rank: number;
  readonly urlId: number;
  readonly clicks: number;
}

/** The columns of discovered-competitors.csv, in order. */
export const discoveredColumns: readonly CsvColumn<DiscoveredRow>[] = [
  { name: 'project', kind: 'text', description: 'Project id', value: ({ facts }) => facts.project },
  {
    name: 'domain',
    kind: 'text',
    description: 'Registrable domain that is neither a target nor a competitor of the project',
    value: (row) => row.domain,
  },
  number('share_of_voice', 'Its estimated clicks / those of all domains on the same pages, percent', (row) =>
    rounded(row.shareOfVoice),
  ),
  number('estimated_clicks', 'Clicks a month: sum of volume x CTR(best rank); empty where no volume is known', (row) =>
    row.sums.withVolume === 0 ? null : rounded(row.sums.clicks),
  ),
  number('keywords', 'Rows in which it was seen: keywords x markets', ({ sums }) => sums.keywords),
  number('top_3', 'Rows in which it ranks 1 to 3', ({ sums }) => sums.top3),
  number('top_10', 'Rows in which it ranks 1 to 10', ({ sums }) => sums.top10),
  number('average_rank', 'Average of its best ranks, over the rows in which it was seen', ({ sums }) =>
    rounded(sums.ranks / sums.keywords),
  ),
  text(
    'example_keyword',
    'The keyword that is worth most clicks to it',
    ({ sums }) => sums.example?.search.keyword ?? null,
  ),
  text('example_country', 'Country of its market', ({ sums }) => sums.example?.search.country ?? null),
  text('example_language', 'Language of its market', ({ sums }) => sums.example?.search.language ?? null),
  text('example_device', 'Device of its market', ({ sums }) => sums.example?.search.device ?? null),
  number('example_rank', 'Best rank of the domain there', ({ sums }) => sums.example?.rank ?? null),
  text('example_url', 'The result at that rank', (row) => row.exampleUrl),
  number(
    'coverage_checked',
    'Rows with a complete check, of which all of this is',
    (row) => row.facts.coverage.checked,
  ),
  number('coverage_total', 'All rows: keywords x markets', (row) => row.facts.coverage.total),
  number('volume_count', 'Rows with a complete check and a known volume', (row) => row.facts.coverage.withVolume),
  number('pages_average', 'Results pages read a row: whoever ranks below was not seen', ({ facts: { coverage } }) =>
    coverage.checked === 0 ? null : rounded(coverage.pages / coverage.checked),
  ),
  text('ctr_curve', 'Click-through curve of the numbers', ({ facts }) => facts.ctrCurve),
  {
    name: 'source',
    kind: 'list',
    description: 'service/source of the pages',
    value: ({ facts }) => facts.coverage.sources,
  },
  number('run_id', 'The run that is reported', ({ facts }) => facts.runId),
  text(
    'warning',
    'What to know before believing the line: a suspect run, simulated data',
    ({ facts }) => facts.warning,
  ),
];

/** Name, kind and meaning of each column, for the documentation. */
export const discoveredColumnNotes = () => columnNotes(discoveredColumns);

/** Sums up searches that come one by one. */
export interface DiscoveredCompetitors {
  add(row: SerpRow): void;
  /** By estimated clicks, then by keywords in the top 10, then by keywords, at most `discoveredMax`. */
  rows(facts: Omit<DiscoveredFacts, 'coverage' | 'ctrCurve'>): DiscoveredRow[];
}

/** Starts an empty sum. `listed`: numbers of domains that are targets as a whole. Throws RangeError for a curve that does not exist. */
export function startDiscoveredCompetitors(
  curveName: string,
  sites: SerpSites,
  listed: ReadonlySet<number>,
): DiscoveredCompetitors {
  const domains = new Map<number, DomainSums>();
  const sources = new Set<string>();
  const counts = { total: 0, checked: 0, withVolume: 0, pages: 0 };
  let allClicks = 0;
  return {
    add(row) {
      counts.total += 1;
      const { now, searchVolume, keyword, country, language, device } = row;
      if (now === null) return;
      counts.checked += 1;
      counts.pages += now.pages;
      if (searchVolume !== null) counts.withVolume += 1;
      sources.add(now.source);
      allClicks += (searchVolume ?? 0) * rateOfAll(curveName, now.bestRanks);
      const search = { keyword, country, language, device };
      for (const [domain, rank] of strangers(now, listed, sites)) {
        const clicks = (searchVolume ?? 0) * ctr(curveName, rank);
        const sums = entry(domains, domain);
        addTo(sums, rank, clicks, searchVolume !== null);
        if (isWorthMore(clicks, rank, sums.example)) {
          sums.example = { search, rank, urlId: now.urlIds[rank - 1] ?? 0, clicks };
        }
      }
    },
    rows(facts) {
      const coverage = { ...counts, sources: [...sources].sort() };
      return biggest(domains.values(), sites).map((sums) => ({
        facts: { ...facts, ctrCurve: curveName, coverage },
        domain: sites.domainName(sums.domain),
        sums,
        shareOfVoice: allClicks === 0 ? null : (100 * sums.clicks) / allClicks,
        exampleUrl: sums.example === null ? null : sites.url(sums.example.urlId),
      }));
    },
  };
}

/** The table, in pieces. */
export function discoveredCsv(rows: readonly DiscoveredRow[], options?: CsvOptions): Generator<string> {
  return csvChunks(discoveredColumns, rows, options);
}

/** Domains that are not listed, each with the best rank of its results that belong to no target. */
function* strangers(
  { urlIds, domains }: Serp,
  listed: ReadonlySet<number>,
  sites: SerpSites,
): Generator<readonly [domain: number, rank: number]> {
  const met: number[] = [];
  for (const [index, domain] of domains.entries()) {
    if (domain === 0 || met.includes(domain) || listed.has(domain)) continue;
    if (sites.targetsOf(urlIds[index] ?? 0).length > 0) continue;
    met.push(domain);
    yield [domain, index + 1];
  }
}

function entry(domains: Map<number, DomainSums>, domain: number): DomainSums {
  const known = domains.get(domain);
  if (known !== undefined) return known;
  const sums = { domain, clicks: 0, keywords: 0, withVolume: 0, top3: 0, top10: 0, ranks: 0, example: null };
  domains.set(domain, sums);
  return sums;
}

function addTo(sums: DomainSums, rank: number, clicks: number, hasVolume: boolean): void {
  sums.clicks += clicks;
  sums.keywords += 1;
  if (hasVolume) sums.withVolume += 1;
  if (rank <= 3) sums.top3 += 1;
  if (rank <= 10) sums.top10 += 1;
  sums.ranks += rank;
}

function isWorthMore(clicks: number, rank: number, example: Sighting | null): boolean {
  return example === null || clicks > example.clicks || (clicks === example.clicks && rank < example.rank);
}

/** Names are looked up of those only that could be among them. */
function biggest(domains: Iterable<DomainSums>, sites: SerpSites): DomainSums[] {
  const ordered = [...domains].sort(byWorth);
  const last = ordered[discoveredMax - 1];
  const candidates = last === undefined ? ordered : ordered.filter((sums) => byWorth(sums, last) <= 0);
  const name = ({ domain }: DomainSums): string => sites.domainName(domain);
  return candidates.sort((a, b) => byWorth(a, b) || (name(a) < name(b) ? -1 : 1)).slice(0, discoveredMax);
}

function byWorth(a: DomainSums, b: DomainSums): number {
  return b.clicks - a.clicks || b.top10 - a.top10 || b.keywords - a.keywords;
}

function number(
  name: string,
  description: string,
  value: (row: DiscoveredRow) => number | null,
): CsvColumn<DiscoveredRow> {
  return { name, kind: 'number', description, value };
}

function text(
  name: string,
  description: string,
  value: (row: DiscoveredRow) => string | null,
): CsvColumn<DiscoveredRow> {
  return { name, kind: 'text', description, value };
}

/** Four decimals. */
function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10_000) / 10_000 + 0;
}
