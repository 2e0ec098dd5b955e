// The files that `rankledger init` writes: a commented config and keyword file that run on the sandbox.

export interface StarterFile {
  /** Relative to the folder, with forward slashes. */
  readonly path: string;
  readonly content: string;
}

const config = `# What rankledger tracks, with which services, and at what cost.
# This starter runs on the sandbox, a synthetic world of search results: no key, no network, no cost.
#
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
  default: { mode: embedded, source: sandbox, sites: [example.com, example.org] }   # sites: who ranks in the synthetic world

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

    # Keywords can be listed here, in a CSV file, or both.
    keywords:
      - running shoes
      - { keyword: trail running shoes, tags: [trail], priority: high }
    keywordsFile: keywords/example.csv

    # Search volumes, bought on the 2nd of each month. 33 results cost as much as 1.
    volumes: { schedule: "0 4 2 * *", limit: 33 }
`;

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
