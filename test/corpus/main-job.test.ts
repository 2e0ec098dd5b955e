// The main job on recorded pages: config -> run -> CSV through `replay`, with the ranks that a person sees.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import Papa from 'papaparse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { openApp } from '../../src/app/app.ts';
import { run } from '../../src/app/runs/run.ts';

const corpus = resolve('../shared/corpus');
const isHere = existsSync(join(corpus, 'truth'));
if (!isHere) console.log('skipped: the recorded pages of ../shared/corpus are not beside the project');

interface Truth {
  readonly file: string;
  readonly device: string;
  readonly date: string;
  readonly query_title: string;
  readonly check: string;
  readonly organic: readonly { readonly link: string }[];
}

/** A recorded page whose organic results were checked by eye or against a second parser. */
interface Recorded {
  readonly keyword: string;
  readonly device: 'desktop' | 'mobile';
  readonly date: string;
  /** Relative to the corpus. */
  readonly file: string;
  /** Destinations in the order a person sees. */
  readonly links: readonly string[];
}

type Row = Readonly<Record<string, string>>;

const targets = [
  'wikipedia.org',
  'reddit.com',
  'tripadvisor.com',
  'youtube.com',
  'dominos.co.in',
  'securitasdirect.es',
  'ibm.com',
];

function checkedPages(): Recorded[] {
  return readdirSync(join(corpus, 'truth'))
    .map((name): Truth => JSON.parse(readFileSync(join(corpus, 'truth', name), 'utf8')))
    .filter(
      (truth) => truth.file.startsWith('google/') && /by eye|identical/.test(truth.check) && truth.organic.length > 0,
    )
    .filter((truth) => !truth.query_title.includes('\uFFFD'))
    .map((truth) => ({
      keyword: truth.query_title.replace(/ - [^-]+$/, ''),
      device: truth.device === 'mobile' ? 'mobile' : 'desktop',
      date: truth.date,
      file: truth.file,
      links: truth.organic.map((result) => result.link),
    }));
}

/** Counts without the product's matching: the first link whose host is the domain or ends in a dot and the domain. */
function rankSeen(links: readonly string[], domain: string): number | null {
  const index = links.findIndex((link) => {
    const { hostname } = new URL(link);
    return hostname === domain || hostname.endsWith(`.${domain}`);
  });
  return index === -1 ? null : index + 1;
}

describe.skipIf(!isHere)('the main job on recorded pages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'main-job-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const pages = isHere ? checkedPages() : [];
  let rows: Row[];

  beforeAll(async () => {
    const index = pages.map(({ keyword, device, date, file }) => ({
      keyword,
      country: '',
      language: '',
      device,
      page: 1,
      date,
      file,
    }));
    writeFileSync(join(folder, 'index.json'), JSON.stringify(index));
    const config = {
      services: { default: { mode: 'embedded', source: 'replay', dir: corpus, index: join(folder, 'index.json') } },
      projects: [
        {
          id: 'real',
          targets,
          market: { country: 'US', language: 'en' },
          depth: 1,
          paging: 'full',
          keywords: pages.map(({ keyword, device }) => ({ keyword, devices: [device] })),
        },
      ],
    };
    writeFileSync(join(folder, 'rankledger.yaml'), JSON.stringify(config));
    const app = await openApp(await loadConfig({ cwd: folder, env: {} }));
    const { runs } = await run(app, { all: true });
    expect(runs.map((run) => [run.state, run.problems])).toEqual([['complete', []]]);
    await app.close();
    const csv = readFileSync(join(folder, 'reports/real/latest/rank-changes.csv'), 'utf8').replace('\uFEFF', '');
    rows = Papa.parse<Row>(csv, { header: true, skipEmptyLines: true }).data;
  });

  it('writes one row per keyword and target', () => {
    expect(pages.length).toBeGreaterThanOrEqual(20);
    expect(rows).toHaveLength(pages.length * targets.length);
  });

  it('gives every target the rank of the truth, and no rank if the truth has none', () => {
    const expected = pages.flatMap(({ keyword, device, links }) =>
      targets.map((target) => `${keyword} | ${device} | ${target} | ${rankSeen(links, target) ?? 'not_found'}`),
    );
    const found = rows.map(
      (row) => `${row['keyword']} | ${row['device']} | ${row['target']} | ${row['rank'] || row['status']}`,
    );
    expect(found.toSorted()).toEqual(expected.toSorted());
    expect(found.filter((row) => !row.endsWith('not_found')).length).toBeGreaterThan(20);
  });

  it('labels every row as replayed, with the day of the recording', () => {
    const days = new Set(pages.map((page) => page.date));
    expect(
      rows.filter((row) => row['source'] !== 'default/replay' || !days.has((row['checked_at'] ?? '').slice(0, 10))),
    ).toEqual([]);
  });
});
