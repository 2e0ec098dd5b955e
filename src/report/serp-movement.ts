// serp-movement.csv: which domains entered and left the top 10 and the top 20 of each keyword. What the pages show is serp.ts's part.
import { type CsvColumn, type CsvOptions, columnNotes } from './csv.ts';
import {
  commonRanks,
  rankOfDomain,
  readColumns,
  type Serp,
  type SerpRow,
  type SerpSites,
  whoseColumns,
} from './serp.ts';
import { type PackedTable, startSpool } from './spool.ts';

/** `first_check`, `not_comparable`: the search as a whole, in one line without a domain. */
export type Movement = 'entered' | 'left' | 'first_check' | 'not_comparable';

/** One line of the table. */
export interface MovementRow {
  readonly of: SerpRow;
  readonly movement: Movement;
  readonly top: number | null;
  /** Ranks that both checks read, at most `top`. */
  readonly compared: number | null;
  readonly domain: string | null;
  readonly target: string | null;
  readonly role: string | null;
  readonly rank: number | null;
  readonly previousRank: number | null;
}

/** A line whose URLs were looked up. */
interface WrittenRow extends MovementRow {
  readonly url: string | null;
  readonly previousUrl: string | null;
}

/** URLs are looked up for this many lines at once: enough to be worth it, and few enough not to hold on to their searches. */
const pendingMax = 500;
const tops = [10, 20] as const;

/** The columns of serp-movement.csv, in order. */
export const movementColumns: readonly CsvColumn<WrittenRow>[] = [
  ...whoseColumns<WrittenRow>(),
  {
    name: 'movement',
    kind: 'text',
    description: 'entered, left; first_check or not_comparable where the search as a whole has nothing to compare',
    value: (row) => row.movement,
  },
  { name: 'top', kind: 'number', description: 'Which top: 10 or 20', value: (row) => row.top },
  {
    name: 'top_compared',
    kind: 'number',
    description: 'How many of its ranks both checks read: entering and leaving are proven within these',
    value: (row) => row.compared,
  },
  { name: 'domain', kind: 'text', description: 'Registrable domain', value: (row) => row.domain },
  {
    name: 'target',
    kind: 'text',
    description: 'Target as configured that the result belongs to; empty for any other site',
    value: (row) => row.target,
  },
  { name: 'role', kind: 'text', description: 'own or competitor, where it is a target', value: (row) => row.role },
  {
    name: 'rank',
    kind: 'number',
    description: 'Best rank of the domain; empty where it is not on the pages read',
    value: (row) => row.rank,
  },
  {
    name: 'previous_rank',
    kind: 'number',
    description: 'The same in the baseline',
    value: (row) => row.previousRank,
  },
  { name: 'url', kind: 'text', description: 'The result at that rank', value: (row) => row.url },
  { name: 'previous_url', kind: 'text', description: 'The same in the baseline', value: (row) => row.previousUrl },
  ...readColumns<WrittenRow>(),
];

/** Name, kind and meaning of each column, for the documentation. */
export const movementColumnNotes = () => columnNotes(movementColumns);

/** Collects the lines of searches that come one by one. */
export interface SerpMovement {
  add(row: SerpRow): void;
  /** The table, once all searches are there. */
  lines(): PackedTable;
}

/** Starts an empty table. */
export function startSerpMovement(sites: SerpSites, options: CsvOptions): SerpMovement {
  const lines = startSpool(movementColumns, options);
  const pending: MovementRow[] = [];
  const write = (): void => {
    sites.readUrls(pending.flatMap((row) => [nowUrl(row), previousUrl(row)].flatMap((id) => id ?? [])));
    const text = (urlId: number | null): string | null => (urlId === null ? null : sites.url(urlId));
    for (const row of pending.splice(0)) {
      lines.add({ ...row, url: text(nowUrl(row)), previousUrl: text(previousUrl(row)) });
    }
  };
  return {
    add(row) {
      const { now, before } = row;
      if (now === null || before === null) pending.push(withoutDomain(row));
      else for (const line of movements(row, now, before, sites)) pending.push(line);
      if (pending.length >= pendingMax) write();
    },
    lines() {
      write();
      return lines;
    },
  };
}

/** Both tops, each only as deep as both checks read; the top 20 only where that is deeper than the top 10. */
function* movements(of: SerpRow, now: Serp, before: Serp, sites: SerpSites): Generator<MovementRow> {
  const common = commonRanks(now, before);
  let shallower = 0;
  for (const top of tops) {
    const compared = Math.min(top, common);
    if (compared <= shallower) return;
    shallower = compared;
    const line = (
      domain: number,
      movement: Movement,
      rank: number | null,
      previousRank: number | null,
    ): MovementRow => ({
      ...whoseResult(rank === null ? before.urlIds[(previousRank ?? 0) - 1] : now.urlIds[rank - 1], sites),
      ...{ of, movement, top, compared, domain: sites.domainName(domain), rank, previousRank },
    });
    for (const rank of within(now, compared)) {
      const domain = now.domains[rank - 1] ?? 0;
      const previous = rankOfDomain(before, domain);
      if (previous === null || previous > compared) yield line(domain, 'entered', rank, previous);
    }
    for (const previous of within(before, compared)) {
      const domain = before.domains[previous - 1] ?? 0;
      const rank = rankOfDomain(now, domain);
      if (rank === null || rank > compared) yield line(domain, 'left', rank, previous);
    }
  }
}

/** The best ranks of domains in a top. */
function* within({ bestRanks }: Serp, top: number): Generator<number> {
  for (const rank of bestRanks) {
    if (rank > top) return;
    yield rank;
  }
}

function nowUrl({ of, rank }: MovementRow): number | null {
  return rank === null ? null : (of.now?.urlIds[rank - 1] ?? null);
}

function previousUrl({ of, previousRank }: MovementRow): number | null {
  return previousRank === null ? null : (of.before?.urlIds[previousRank - 1] ?? null);
}

function whoseResult(urlId: number | undefined, sites: SerpSites): Pick<MovementRow, 'target' | 'role'> {
  const target = urlId === undefined ? undefined : sites.targets[sites.targetsOf(urlId)[0] ?? -1];
  return { target: target?.value ?? null, role: target?.role ?? null };
}

function withoutDomain(of: SerpRow): MovementRow {
  return {
    of,
    movement: of.now === null ? 'not_comparable' : (of.incomparable ?? 'not_comparable'),
    top: null,
    compared: null,
    domain: null,
    target: null,
    role: null,
    rank: null,
    previousRank: null,
  };
}
