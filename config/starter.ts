// The files that `rankledger init` writes: a commented config and keyword file that run on the sandbox.
import {
  countryCode,
  countryComplaint,
  languageCode,
  languageComplaint,
  targetComplaint,
} from './schema/complaints.ts';

export interface StarterFile {
  /** Relative to the folder, with forward slashes. */
  readonly path: string;
  readonly content: string;
}

/** Keywords of the example. */
const inlineKeywords = `    # Keywords can be listed here, in a CSV file, or both.
    keywords:
      - running shoes
      - { keyword: trail running shoes, tags: [trail], priority: high }
    keywordsFile: keywords/example.csv
`;

const volumes = `    # Search volumes, bought on the 2nd of each month. 33 results cost as much as 1.
    volumes: { schedule: "0 4 2 * *", limit: 33 }
`;

const sandboxNote = `# This starter runs on the sandbox, a synthetic world of search results: no key, no network, no cost.
`;
const sandboxService = `  default: { mode: embedded, source: sandbox, sites: [example.com, example.org] }   # sites: who ranks in the synthetic world
`;

const config = `# What rankledger tracks, with which services, and at what cost.
${sandboxNote}#
#   rankledger check      check this file and its cost
#   rankledger plan       show what a run would buy
#   rankledger run --all  track now, and write reports

# Time zone of schedules, reports and budget days.
timezone: UTC

# Paths are relative to this file.
database: data/rankledger.sqlite
reports: { dir: reports, csv: { bom: true } }

# Where result pages come from. A project uses the service called default unless it names another.
services:
${sandboxService}
  # A vendor's key, your own proxies or browser, or your own search engine. The page
  # docs/reference/sources.md of the manual lists the sources and what they cost; \`rankledger check --online\` tries one.
  # Keys come from the environment, never from this file.
  # web: { mode: embedded, source: NAME, apiKey: "\${VENDOR_KEY}" }

  # A provider that speaks the Search Data Service specification.
  # vendor:
  #   mode: remote
  #   baseUrl: https://api.example.com
  #   user: \${SERVICE_API_USER}
  #   password: \${SERVICE_API_PASSWORD}
  #   concurrency: 20
  #   requestsPerSecond: 10
  #   timeoutMs: 60000

# Spending limits. One result page costs one SERP credit; keyword metrics cost US dollars.
# What does not fit is deferred and listed, never bought.
budget:
  serpCredits: { perRun: 200, perDay: 500, perMonth: 10000 }
  keywordDataUsd: { perRun: 1.00, perMonth: 5.00 }

projects:
  - id: example
    # service: vendor

    # Sites to find. A plain domain includes its subdomains; a part of a site is written
    # { match: prefix, value: "https://example.com/blog/" }; host and url are the other two kinds.
    targets: [example.com]
    # Sites to compare with.
    competitors: [example.org]

    # When to check: minute hour day month weekday. Every morning at six:
    schedule: "0 6 * * *"

    # Default country, language and devices of the keywords.
    market: { country: US, language: en, devices: [desktop, mobile] }

    # Result pages per check; each costs a credit. until-found stops when all own targets are found.
    depth: 3
    paging: until-found
    # Once a week deeper:
    # deep: { depth: 10, every: 7d }
    # Maximum age of pages that are reused for free:
    freshFor: 12h

${inlineKeywords}
${volumes}`;

/** Only `keyword` is required. An empty cell uses the project's value; tags and devices are joined by |. */
const keywords = `keyword,country,language,device,tags,priority,depth
best running shoes,,,,shoes|head,high,5
waterproof hiking boots,,,,boots,,
hydration vest,,,mobile,gear,low,
fell running shoes,GB,en,desktop|mobile,shoes|uk,,
`;

/** The starter files, in writing order. They load without problems or warnings. */
export function starterFiles(): StarterFile[] {
  return [
    { path: 'rankledger.yaml', content: config },
    { path: 'keywords/example.csv', content: keywords },
  ];
}

/** As the schema allows it for names. */
const idCharactersMax = 64;

export interface SiteStarter {
  /** Without www, in ASCII. */
  readonly domain: string;
  /** The text of the config. */
  readonly config: string;
  /** Relative to the folder, with forward slashes. */
  readonly keywordsPath: string;
}

/** The market where keywords are searched; default: US, en. */
export interface StarterMarket {
  readonly country?: string;
  readonly language?: string;
}

/** The service that a starter buys from. */
export interface StarterService {
  /** Its keys of the config. */
  readonly written: string;
  readonly devices: readonly string[];
  readonly sellsVolumes: boolean;
}

/**
 * The starter config for one site whose keywords are in a file; or what is wrong with the domain or the market. Without
 * a service it runs on the sandbox.
 */
export function siteStarter(
  domain: string,
  { country = 'US', language = 'en' }: StarterMarket,
  service?: StarterService,
): SiteStarter | { readonly complaint: string } {
  const host = hostOfDomain(domain);
  const isDomain = host !== null && /^[a-z\d-]+(\.[a-z\d-]+)+$/.test(host);
  const complaint = !isDomain
    ? `"${domain}" is not a domain, such as example.com`
    : (targetComplaint({ match: 'domain', value: host }) ?? countryComplaint(country) ?? languageComplaint(language));
  if (host === null || complaint !== undefined) return { complaint: complaint ?? '' };
  const id = host.slice(0, idCharactersMax);
  const keywordsPath = `keywords/${id}.csv`;
  const market = `country: ${countryCode(country)}, language: ${languageCode(language)}`;
  const bought = service === undefined ? [] : boughtFrom(service);
  const replacements = [
    ...bought,
    ['sites: [example.com, example.org]', `sites: [${host === 'example.org' ? host : `${host}, example.org`}]`],
    ['- id: example\n', `- id: ${id}\n`],
    ['targets: [example.com]', `targets: [${host}]`],
    ['    competitors: [example.org]', '    # competitors: [example.org]'],
    ['country: US, language: en', market],
    [inlineKeywords, `    # Keywords can be listed here, in a CSV file, or both.\n    keywordsFile: ${keywordsPath}\n`],
  ] as const;
  const text = replacements.reduce((before, [from, to]) => before.replace(from, () => to), config);
  return { domain: host, config: text, keywordsPath };
}

/** Lines of the starter on the sandbox, and those of a service in their place. */
function boughtFrom({ written, devices, sellsVolumes }: StarterService): (readonly [string, string])[] {
  const metrics = '    # Search volumes need a source of keyword metrics: metrics: { source: ... } in the service.\n';
  return [
    [sandboxNote, '# It buys pages of a vendor, whose key comes from the environment.\n'],
    [sandboxService, `  default: { ${written} }\n`],
    ['devices: [desktop, mobile]', `devices: [${devices.join(', ')}]`],
    ...(sellsVolumes ? [] : [[volumes, metrics] as const]),
  ];
}

/** The host without www, in ASCII; null: the text is no host, or more than one. */
function hostOfDomain(domain: string): string | null {
  const url = URL.parse(domain.includes('://') ? domain : `https://${domain}`);
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== '/') return null;
  if (`${url.port}${url.username}${url.search}${url.hash}` !== '') return null;
  return url.hostname.replace(/\.$/, '').replace(/^www\./, '');
}
