// A temporary folder for a measurement, filled with a config and always removed.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The host that every measurement tracks. */
export const ownHost = 'shop.example';

export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'rankledger-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const subjects = ['running shoes', 'mortgage rates', 'city hotels', 'coffee machine', 'cloud storage', 'yoga lessons'];

/** The same keyword for the same number; all differ. */
export function keywordAt(index: number): string {
  return `${subjects[index % subjects.length]} ${index}`;
}

interface ConfigOptions {
  /** Pages of each keyword. Default: 1. */
  readonly depth?: number;
  /** As the option of the sandbox. */
  readonly atOnceCredits?: number | undefined;
}

/** Writes a config that tracks `keywords` keywords on one device, on the sandbox. Returns its path. */
export function writeConfig(
  folder: string,
  keywords: number,
  { depth = 1, atOnceCredits }: ConfigOptions = {},
): string {
  const file = join(folder, 'rankledger.yaml');
  const rows = Array.from({ length: keywords }, (_, index) => `${keywordAt(index)},tag ${index % 7}\n`);
  writeFileSync(join(folder, 'keywords.csv'), `keyword,tags\n${rows.join('')}`);
  writeFileSync(
    file,
    `timezone: UTC
database: rankledger.sqlite
reports: { dir: reports }
services:
  default: ${JSON.stringify({ mode: 'embedded', source: 'sandbox', sites: [ownHost], atOnceCredits })}
budget:
  serpCredits: { perMonth: ${keywords * 40} }
queue: { driver: embedded, concurrency: 20 }
projects:
  - id: bench
    service: default
    targets: [${ownHost}]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop] }
    depth: ${depth}
    paging: full
    keywordsFile: keywords.csv
`,
  );
  return file;
}

/** Writes a config of several projects, each with its own keywords on one device. Returns its path. */
export function writeProjectsConfig(folder: string, projects: number, keywords: number, depth = 1): string {
  const file = join(folder, 'rankledger.yaml');
  const ids = Array.from({ length: projects }, (_, index) => `project${index}`);
  for (const [index, id] of ids.entries()) {
    const rows = Array.from({ length: keywords }, (_, at) => `${keywordAt(index * keywords + at)},tag ${at % 7}\n`);
    writeFileSync(join(folder, `${id}.csv`), `keyword,tags\n${rows.join('')}`);
  }
  const project = (id: string): string => `  - id: ${id}
    targets: [${ownHost}]
    competitors: [rival.example]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop] }
    depth: ${depth}
    paging: full
    keywordsFile: ${id}.csv
`;
  writeFileSync(
    file,
    `timezone: UTC
database: rankledger.sqlite
reports: { dir: reports }
services:
  default: { mode: embedded, source: sandbox, sites: [${ownHost}, rival.example] }
queue: { driver: embedded, concurrency: 20 }
projects:
${ids.map(project).join('')}`,
  );
  return file;
}
