// serp-movement.csv: which domains entered and left the top 10 and the top 20 of each keyword. What the pages show is serp.ts's part.
import { type CsvColumn, type CsvOptions, columnNotes } from './csv.ts';
import { commonRanks, type Place, readColumns, type Serp, type SerpRow, type SerpSites, whoseColumns } from './serp.ts';
import { type Spool, startSpool } from './spool.ts';

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
  readonly url: string | null;
  readonly previousUrl: string | null;
}

const tops = [10, 20] as const;

/** The columns of serp-movement.csv, in order. */
export const movementColumns: readonly CsvColumn<MovementRow>[] = [
  ...whoseColumns<MovementRow>(),
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
  { name: 'previous_rank', kind: 'number', description: 'The same in the baseline', value: (row) => row.previousRank },
  { name: 'url', kind: 'text', description: 'The result at that rank', value: (row) => row.url },
  { name: 'previous_url', kind: 'text', description: 'The same in the baseline', value: (row) => row.previousUrl },
  ...readColumns<MovementRow>(),
];

/** Name, kind and meaning of each column, for the documentation. */
export const movementColumnNotes = () => columnNotes(movementColumns);

/** Collects the lines of searches that come one by one. */
export interface SerpMovement {
  add(row: SerpRow): void;
  readonly lines: Spool<MovementRow>;
}

/** Starts an empty table. */
export function startSerpMovement(sites: SerpSites, options: CsvOptions): SerpMovement {
  const lines = startSpool(movementColumns, options);
  return {
    lines,
    add(row) {
      const { now, before } = row;
      if (now === null || before === null) lines.add(withoutDomain(row));
      else for (const line of movements(row, now, before, sites)) lines.add(line);
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
    const line = (domain: number, movement: Movement): MovementRow => ({
      of,
      movement,
      top,
      compared,
      domain: sites.domainName(domain),
      ...whoseResult(now.domains.get(domain), before.domains.get(domain), sites),
    });
    for (const [domain] of within(now, compared)) {
      if (!isWithin(before.domains.get(domain), compared)) yield line(domain, 'entered');
    }
    for (const [domain] of within(before, compared)) {
      if (!isWithin(now.domains.get(domain), compared)) yield line(domain, 'left');
    }
  }
}

/** Domains stand in order of rank. */
function* within({ domains }: Serp, top: number): Generator<readonly [number, Place]> {
  for (const entry of domains) {
    if (entry[1].rank > top) return;
    yield entry;
  }
}

function isWithin(place: Place | undefined, top: number): boolean {
  return place !== undefined && place.rank <= top;
}

function whoseResult(
  now: Place | undefined,
  before: Place | undefined,
  sites: SerpSites,
): Pick<MovementRow, 'target' | 'role' | 'rank' | 'previousRank' | 'url' | 'previousUrl'> {
  const shown = now ?? before;
  const target = shown === undefined ? undefined : sites.targets[sites.targetsOf(shown.urlId)[0] ?? -1];
  return {
    target: target?.value ?? null,
    role: target?.role ?? null,
    rank: now?.rank ?? null,
    previousRank: before?.rank ?? null,
    url: now === undefined ? null : sites.url(now.urlId),
    previousUrl: before === undefined ? null : sites.url(before.urlId),
  };
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
    url: null,
    previousUrl: null,
  };
}
