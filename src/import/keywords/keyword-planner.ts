// Google Keyword Planner exports: a preamble, one row a keyword, one column a month, in seven languages.
import { parseAmount, parseCurrency, parseVolume, plainWord } from '../cells/amounts.ts';
import { parseMonthHeader } from '../cells/months.ts';
import type { KeywordLayout, KeywordRole, KeywordTableFormat } from './keyword-reading.ts';

type PlannerRole = Extract<KeywordRole, 'keyword' | 'currency' | 'volume' | 'level' | 'competition'> | BidRole;
type BidRole = 'bid_low' | 'bid_high';

/** Column names without accents and punctuation: English, German, French, Spanish, Italian, Portuguese, Dutch. */
const names: Readonly<Record<Exclude<PlannerRole, BidRole>, readonly string[]>> = {
  keyword: [
    'keyword',
    'suchbegriff',
    'mot cle',
    'palabra clave',
    'parola chiave',
    'palavra chave',
    'zoekwoord',
    'keyword text',
  ],
  currency: ['currency', 'wahrung', 'devise', 'moneda', 'divisa', 'valuta', 'moeda'],
  volume: [
    'avg monthly searches',
    'average monthly searches',
    'durchschnittl suchanfragen pro monat',
    'durchschn suchanfragen pro monat',
    'recherches mensuelles moyennes',
    'promedio de busquedas mensuales',
    'media ricerche mensili',
    'media de pesquisas mensais',
    'gem maandelijkse zoekopdrachten',
  ],
  level: ['competition', 'wettbewerb', 'concurrence', 'competencia', 'concorrenza', 'concorrencia', 'concurrentie'],
  competition: [
    'competition indexed value',
    'wettbewerb indexierter wert',
    'concurrence valeur indexee',
    'competencia valor indexado',
    'concorrenza valore indicizzato',
    'concorrencia valor indexado',
    'concurrentie geindexeerde waarde',
  ],
};

/** Words that identify an unknown column name, in any order: versions of the tool order them differently. */
const words = {
  searches: /search|suchanfrag|recherch|busqueda|ricerch|pesquisa|zoek/,
  monthly: /month|monat|mensu|mensil|mensa|maand/,
  competition: /compet|wettbewerb|concurren|concorren/,
  index: /index|indiz|indic|indeks/,
  bid: /\bbids?\b|gebot|enchere|\bpuja|oferta|offert|\blance|licitac|\bbod\b/,
  low: /low|niedrig|unter|faible|basse?|baj[oa]|inferi|baix|menor|minim|laag|lage|onder/,
  high: /high|hoch|hoh|ober|haut|elev|alt[oa]|superi|maior|mayor|maxim|hoog|hoge|boven/,
  segment: /segment/,
  change: /change|ander|variation|cambi|variaz|varia|mudanca|wijzig|evolution/,
};

/** Least number of columns; some files have a column of segments before the volume. */
const widthMin = 9;

export const keywordPlanner: KeywordTableFormat = {
  name: 'keyword-planner',
  layoutOf(header, _options, below) {
    const columns = namedColumns(header) ?? columnsByIndex(header, below);
    if (columns === null) return null;
    const months = header.flatMap((cell, column) => {
      const month = parseMonthHeader(cell);
      return month === null ? [] : [{ month, column }];
    });
    const segment = header.findIndex((cell) => words.segment.test(plainWord(cell)));
    const layout: KeywordLayout = {
      width: header.length,
      columns,
      months,
      series: null,
      intents: [],
      segment: segment === -1 ? null : segment,
      currency: null,
      competitionMax: 100,
      hasIntentCodes: false,
      mayBeMarked: true,
    };
    return layout;
  },
};

/**
 * Null if the header is of another tool. A Keyword Planner header has a keyword, searches a month, and bids, a
 * currency, changes or single months, but no cost per click.
 */
function namedColumns(header: readonly string[]): Map<KeywordRole, number> | null {
  const columns = new Map<KeywordRole, number>();
  for (const [column, cell] of header.entries()) {
    const role = parseMonthHeader(cell) === null ? findRole(cell) : null;
    if (role !== null && !columns.has(role)) columns.set(role, column);
  }
  if (!columns.has('keyword') || !columns.has('volume') || header.some((cell) => /^cpc\b/i.test(cell))) return null;
  const isPlanner =
    (['currency', 'bid_low', 'bid_high'] as const).some((role) => columns.has(role)) ||
    header.some((cell) => isMonthOfSearches(cell) || words.change.test(plainWord(cell)));
  return isPlanner ? columns : null;
}

function isMonthOfSearches(cell: string): boolean {
  return cell.includes(':') && parseMonthHeader(cell) !== null;
}

function findRole(cell: string): PlannerRole | null {
  const name = plainWord(cell)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  for (const role of ['keyword', 'currency', 'volume', 'level', 'competition'] as const) {
    if (names[role].includes(name)) return role;
  }
  if (words.competition.test(name)) return words.index.test(name) ? 'competition' : null;
  if (words.bid.test(name)) return parseBid(cell);
  return words.searches.test(name) && words.monthly.test(name) && !words.change.test(name) ? 'volume' : null;
}

/** The words in parentheses say which end of the range; the words before them say "top of the page". */
function parseBid(cell: string): BidRole | null {
  const end = plainWord(/\(([^()]*)\)$/.exec(cell.trimEnd())?.[1] ?? cell.split(/\s+/).slice(-2).join(' '));
  if (words.low.test(end)) return 'bid_low';
  return words.high.test(end) ? 'bid_high' : null;
}

/**
 * Columns of a header in an unknown language, by index: keyword, currency, perhaps a segment, searches, two changes,
 * competition, its index, two bids. The rows below must match too: the index alone proves nothing.
 */
function columnsByIndex(
  header: readonly string[],
  below: readonly (readonly string[])[],
): Map<KeywordRole, number> | null {
  const rows = below.filter((cells) => cells.length === header.length);
  if (header.length < widthMin || rows.length === 0 || header.some((cell) => parseCurrency(cell) !== null)) return null;
  if (!rows.every((cells) => parseCurrency(cells[1] ?? '') !== null)) return null;
  for (const volume of [2, 3]) {
    const fits = rows.every((cells) => matchesLayout(cells.slice(volume)));
    if (!fits || !rows.some((cells) => parseVolume(cells[volume] ?? '').kind !== 'nothing')) continue;
    const roles = [
      ['keyword', 0],
      ['currency', 1],
      ['volume', volume],
      ['level', volume + 3],
      ['competition', volume + 4],
      ['bid_low', volume + 5],
      ['bid_high', volume + 6],
    ] as const;
    return new Map(roles);
  }
  return null;
}

function matchesLayout([volume = '', first = '', second = '', level = '', index = '', low = '', high = '']: string[]) {
  const isChange = (cell: string): boolean => /^[-+\u2212]?[\d.,\s\u00a0]*%?$|^\u221e$/.test(cell);
  return (
    parseVolume(volume).kind !== 'unreadable' &&
    isChange(first) &&
    isChange(second) &&
    !/\d/.test(level) &&
    /^(100|\d{1,2})?$/.test(index) &&
    parseAmount(low).kind !== 'unreadable' &&
    parseAmount(high).kind !== 'unreadable'
  );
}
