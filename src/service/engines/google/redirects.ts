// Where redirects lead whose addresses only the engine knows (`/goto?url=TOKEN`, since June 2026), as far as scripts of the page say.

/** Destinations by the token of the redirect. */
export type Destinations = ReadonlyMap<string, string>;

/** Most pairs that are read; a page has about three a result. */
const pairsMax = 1_000;
/** A redirect and the address after it, as scripts hold them: `"/goto?url\u003dTOKEN"],["https://site.example/page"`. Tokens and addresses are at most 2,048 characters. */
const pair =
  /"\/goto\?url(?:=|\\u003d|\\x3d)([\w-]{1,2048})(?![\w-])(?:[^"\\]|\\.){0,200}"(?:,(?:null|-?\d{1,12})){0,20}\],\["(https?:(?:[^"\\]|\\.){1,2048})"/g;
const redirect = '/goto?url';

/** Reads the pairs of a page. A token that stands with two addresses has none. */
export function readDestinations(html: string): Destinations {
  const found = new Map<string, string>();
  if (!html.includes(redirect)) return found;
  const ambiguous = new Set<string>();
  let count = 0;
  for (const [, token = '', written = ''] of html.matchAll(pair)) {
    if (++count > pairsMax) break;
    const address = unescaped(written);
    if (address === undefined) continue;
    const known = found.get(token);
    if (known !== undefined && known !== address) ambiguous.add(token);
    found.set(token, address);
  }
  for (const token of ambiguous) found.delete(token);
  return found;
}

/** The token of a redirect's address; undefined for any other address. */
export function tokenOf(address: string): string | undefined {
  return /\/goto\?(?:[^#]*&)?url=([\w-]+)/.exec(address)?.[1];
}

/** Pairs as a script that `readDestinations` reads: what was found out later is kept in the page. */
export function scriptOf(destinations: Destinations): string {
  const pairs = [...destinations].map(([token, address]) => `["${redirect}\\u003d${token}"],[${quoted(address)}]`);
  return `<script type="application/json">[${pairs.join(',')}]</script>`;
}

/** As JSON, without characters that would end the script. */
function quoted(address: string): string {
  return JSON.stringify(address).replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
}

/** A string of a script decoded; undefined where it is no http address. */
function unescaped(written: string): string | undefined {
  try {
    const text: unknown = JSON.parse(`"${written.replace(/\\x([0-9a-f]{2})/gi, '\\u00$1')}"`);
    return typeof text === 'string' && URL.canParse(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
