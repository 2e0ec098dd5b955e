// serp-movement.csv: domains that entered and left the top 10 and the top 20 of each keyword.

import { commonRanks, rankOfDomain, type Serp, type SerpRow, type SerpSites } from '../../read/serp.ts';
import { columnsOf, searchTable } from '../formats/columns.ts';
import type { TableRows } from '../formats/table-writer.ts';

/** `first_check`, `not_comparable`: one line for the whole search, without a domain. */
type Movement = 'entered' | 'left' | 'first_check' | 'not_comparable';

/** One line of the table. */
interface MovementRow {
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
  /** Null together with the rank; so is `previousUrlId`. */
  readonly urlId: number | null;
  readonly previousUrlId: number | null;
  /** Set before the line is written. */
  url: string | null;
  previousUrl: string | null;
  readonly note?: string;
}

/** Lines whose URLs are looked up together. They hold the pages of their searches, which must not live for long. */
const pendingMax = 100;
const tops = [10, 20] as const;

const { text, number } = columnsOf<MovementRow>();

export const movementTable = searchTable<MovementRow>([
  text(
    'movement',
    'entered or left; first_check or not_comparable for a search without a comparison',
    (row) => row.movement,
  ),
  number('top', 'Top 10 or top 20', (row) => row.top),
  number(
    'top_compared',
    'Number of these ranks that both checks read; entering and leaving are proven within them',
    (row) => row.compared,
  ),
  text('domain', 'Registrable domain', (row) => row.domain),
  text('target', 'Target of the result, as configured; empty for any other site', (row) => row.target),
  text('role', 'own or competitor, for a target', (row) => row.role),
  number('rank', 'Best rank of the domain; empty if it is not on the pages read', (row) => row.rank),
  number('previous_rank', 'The same in the baseline', (row) => row.previousRank),
  text('url', 'URL at that rank', (row) => row.url),
  text('previous_url', 'The same in the baseline', (row) => row.previousUrl),
]);

export function startSerpMovement(sites: SerpSites): Required<TableRows<SerpRow, MovementRow>> {
  let pending: MovementRow[] = [];
  const rest = (): MovementRow[] => {
    const rows = pending;
    pending = [];
    const ids = rows.flatMap(({ urlId, previousUrlId }) => [urlId, previousUrlId]);
    sites.readUrls(ids.filter((id) => id !== null));
    for (const row of rows) {
      row.url = row.urlId === null ? null : sites.url(row.urlId);
      row.previousUrl = row.previousUrlId === null ? null : sites.url(row.previousUrlId);
    }
    return rows;
  };
  return {
    add(row) {
      const { now, before } = row;
      if (now === null || before === null) pending.push(withoutDomain(row));
      else addMovements(pending, row, now, before, sites);
      return pending.length < pendingMax ? [] : rest();
    },
    rest,
  };
}

/** Both tops, each down to the rank that both checks read; the top 20 only if that is beyond the top 10. */
function addMovements(lines: MovementRow[], of: SerpRow, now: Serp, before: Serp, sites: SerpSites): void {
  const common = commonRanks(now, before);
  let shallower = 0;
  for (const top of tops) {
    const compared = Math.min(top, common);
    if (compared <= shallower) return;
    shallower = compared;
    const scope = { of, top, compared };
    for (const rank of now.bestRanks) {
      if (rank > compared) break;
      const domain = now.domains[rank - 1] ?? 0;
      const previous = rankOfDomain(before, domain);
      if (previous !== null && previous <= compared) continue;
      const previousUrlId = previous === null ? null : (before.urlIds[previous - 1] ?? null);
      const result = { domain, rank, urlId: now.urlIds[rank - 1] ?? null, previousRank: previous, previousUrlId };
      lines.push(toLine(scope, 'entered', result, sites));
    }
    for (const previousRank of before.bestRanks) {
      if (previousRank > compared) break;
      const domain = before.domains[previousRank - 1] ?? 0;
      const rank = rankOfDomain(now, domain);
      if (rank !== null && rank <= compared) continue;
      const urlId = rank === null ? null : (now.urlIds[rank - 1] ?? null);
      const previousUrlId = before.urlIds[previousRank - 1] ?? null;
      lines.push(toLine(scope, 'left', { domain, rank, urlId, previousRank, previousUrlId }, sites));
    }
  }
}

/** A domain's rank now and at the baseline, by domain id. */
interface DomainResult extends Pick<MovementRow, 'rank' | 'urlId' | 'previousRank' | 'previousUrlId'> {
  readonly domain: number;
}

function toLine(
  { of, top, compared }: Pick<MovementRow, 'of' | 'top' | 'compared'>,
  movement: Movement,
  { domain, rank, urlId, previousRank, previousUrlId }: DomainResult,
  sites: SerpSites,
): MovementRow {
  const shown = urlId ?? previousUrlId;
  const target = shown === null ? undefined : sites.targets[sites.targetsOf(shown)[0] ?? -1];
  const line: MovementRow = {
    of,
    movement,
    top,
    compared,
    domain: sites.domainName(domain),
    target: target?.value ?? null,
    role: target?.role ?? null,
    rank,
    previousRank,
    urlId,
    previousUrlId,
    url: null,
    previousUrl: null,
  };
  return of.happened === undefined ? line : { ...line, note: of.happened };
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
    urlId: null,
    previousUrlId: null,
    url: null,
    previousUrl: null,
  };
}
