// Resolves redirects such as `/goto?url=TOKEN` (since June 2026) whose target the scripts of the page name.

/** Destinations by the token of the redirect. */
export type Destinations = ReadonlyMap<string, string>;

/**
 * Limit of redirects read from scripts; a page has about three per result. And the maximum distance of a URL behind its
 * redirect, in characters.
 */
const redirectsMax = 2_000;
const pairCharactersMax = 5_000;
const redirect = '/goto?url';

/**
 * Reads the pairs of a page: `"/goto?url\u003dTOKEN"],["https://site.example/page"`. A token with two different URLs is
 * ignored.
 */
export function readDestinations(html: string): Destinations {
  const found = new Map<string, string>();
  const ambiguous = new Set<string>();
  let at = nextRedirect(html, 0);
  for (let count = 0; at >= 0 && count < redirectsMax; count++) {
    const [token, address] = pairAt(html.slice(at, at + pairCharactersMax));
    if (token !== undefined && address !== undefined) {
      if ((found.get(token) ?? address) !== address) ambiguous.add(token);
      found.set(token, address);
    }
    at = nextRedirect(html, at);
  }
  for (const token of ambiguous) found.delete(token);
  return found;
}

/** Where the text behind the next `"/goto?url` begins; -1 for none. Its last characters are rare: that is fast. */
function nextRedirect(html: string, from: number): number {
  const [before, rare] = ['"/goto', '?url'];
  for (let at = html.indexOf(rare, from); at >= 0; at = html.indexOf(rare, at + rare.length))
    if (html.startsWith(before, at - before.length)) return at + rare.length;
  return -1;
}

/** The token and the URL of the text behind `"/goto?url`; undefined if it is not a pair. */
function pairAt(text: string): readonly [token?: string, address?: string | undefined] {
  const [, token] = /^(?:=|\\u003d|\\x3d)([\w-]+)/.exec(text) ?? [];
  const rest = text.slice(text.indexOf('"') + 1);
  const [between] = /^[,nul\d-]*\],\["/.exec(rest) ?? [];
  const end = between === undefined ? -1 : rest.indexOf('"', between.length);
  if (token === undefined || between === undefined || end < 0) return [];
  return [token, unescaped(rest.slice(between.length, end))];
}

/** The token of a redirect's URL; undefined for any other URL. */
export function readToken(address: string): string | undefined {
  const url = URL.parse(address);
  return url?.pathname === '/goto' ? /^[\w-]+/.exec(url.searchParams.get('url') ?? '')?.[0] : undefined;
}

/** Pairs as a script that `readDestinations` reads: destinations that were resolved later are kept in the page. */
export function renderScript(destinations: Destinations): string {
  const pairs = [...destinations].map(([token, address]) => `["${redirect}\\u003d${token}"],[${quoted(address)}]`);
  return `<script type="application/json">[${pairs.join(',')}]</script>`;
}

/** As JSON, without characters that would end the script or the text. */
function quoted(address: string): string {
  return `"${address.replace(/["\\<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)}"`;
}

/** A string of a script decoded; undefined where it is not an http address. */
function unescaped(written: string): string | undefined {
  try {
    const text: unknown = JSON.parse(`"${written.replace(/\\x([0-9a-f]{2})/gi, '\\u00$1')}"`);
    return typeof text === 'string' && /^https?:/i.test(text) && URL.canParse(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
