// Says which parameters and paths of an address ask an engine for another search than its plain web search.
import { pageFailure } from './page/failure.ts';
import type { Tree } from './page/tree.ts';

interface OtherSearches {
  /** Paths of the engine's other searches. */
  readonly path: RegExp;
  /** By parameter (`as_*`: all that begin so), the values that ask for the web search all the same. */
  readonly parameters: Readonly<Record<string, RegExp>>;
}

const none = /^$/;
/** Languages, and a range of dates that the reader has yet to enter (`cdr:1,cd_min:x,cd_max:x`). */
const plainTools = /:x(?:,|$)|^lr:[\w|]+$/;

/** Of the verticals of DuckDuckGo, these have no list of results. Others (`ia=about`) open an answer above the list. */
const verticals = 'chat|images|local|maps(?:_maps)?|maps_expanded|news|places|products|shopping|videos';

const otherSearches: Readonly<Record<string, OtherSearches>> = {
  google: {
    path: /^\/(?:finance|imghp|localservices|maps|shopping|travel)\b/,
    // 0 is the tab of all results, 14 the web search without features around its results
    parameters: {
      tbm: none,
      udm: /^(?:0|14)$/,
      tbs: plainTools,
      chips: none,
      ibp: none,
      'as_*': /^(?:all|any|y)$/,
    },
  },
  bing: {
    path: /^\/(?:chat|copilotsearch|images|maps|news|shop|travel|videos)\b/,
    // other filters name the entity or the answer that the reader chose
    parameters: { filters: /^(?!.*\bex1:)/s, qft: none, ex1: none },
  },
  duckduckgo: {
    path: /^\/(?:maps|local)\b/,
    parameters: { ia: new RegExp(`^(?!(?:${verticals})$)`), iax: none, iaxm: none, iar: none, df: none },
  },
};

/** The parameter that makes a search of the engine another one (`tbm=nws`); undefined for a web search. */
export function otherSearch(engine: string, parameters: Iterable<readonly [string, string]>): string | undefined {
  const plain = otherSearches[engine]?.parameters ?? {};
  for (const [name, value] of parameters) {
    const values = plain[name.startsWith('as_') ? 'as_*' : name];
    if (values !== undefined && value.trim() !== '' && !values.test(value.trim())) return `${name}=${value.trim()}`;
  }
  return undefined;
}

/** As `otherSearch`, for an address on the engine's own hosts. */
export function otherSearchAt(engine: string, address: URL): string | undefined {
  return otherSearches[engine]?.path.test(address.pathname) === true
    ? address.pathname
    : otherSearch(engine, address.searchParams);
}

/** Browsers and extensions that save a page write its address at its beginning, in characters. */
const headCharacters = 2_000;

/** Throws for a page whose own address, `addresses` or search form ask for another search: `tbm=shop`, `qdr:d`. */
export function rejectOtherSearch(
  engine: string,
  { tree, addresses, html }: { readonly tree: Tree; readonly addresses: readonly string[]; readonly html: string },
): void {
  const [, saved = ''] =
    /(?:saved from url=\(\d{1,4}\)|\n url: )(https?:[^\s>]+)/.exec(html.slice(0, headCharacters)) ?? [];
  const found = [...addresses, saved].map((address) => {
    const url = URL.parse(address);
    return url === null ? undefined : otherSearchAt(engine, url);
  });
  const other = otherSearch(engine, fieldsOf(tree)) ?? found.find((each) => each !== undefined);
  if (other !== undefined) throw pageFailure('wrong_query', html, `It is another search: ${other.slice(0, 80)}.`);
}

/** The names and values of the inputs of the page, and of the chosen options of its lists. */
function* fieldsOf({ elements }: Tree): Iterable<readonly [string, string]> {
  let list = '';
  for (const element of elements) {
    if (element.tag === 'input' && element.has('name')) yield [element.get('name') ?? '', element.get('value') ?? ''];
    else if (element.tag === 'select') list = element.get('name') ?? '';
    else if (element.tag === 'option' && element.has('selected')) yield [list, element.get('value') ?? ''];
  }
}
