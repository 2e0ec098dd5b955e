// Targets: parsing them, and matching URLs and listed places against them. Never by substring, never by RegExp.
import type { Project, Target } from '../project.ts';
import { isTracking } from '../tracking.ts';

/**
 * `exact`: a URL. `host_only`: the engine hid the page, and history stores the host without a scheme (`shop.example`).
 * `hidden`: the engine's own redirect, whose destination is unknown.
 */
export type Destination = 'exact' | 'host_only' | 'hidden';

export function classifyDestination(address: string): Destination {
  if (isHidden(address)) return 'hidden';
  return hostOfSite(address) === null ? 'exact' : 'host_only';
}

/** The host of a URL, as stored for `host_only` results. A URL without a host is returned unchanged. */
export function siteAddress(url: string): string {
  const host = URL.parse(url)?.hostname ?? '';
  return hostOfSite(host) ?? url;
}

/** The host of a `host_only` address; null for any other. */
function hostOfSite(address: string): string | null {
  return address.length <= hostCharactersMax && bareHost.test(address) ? address : null;
}

const hostCharactersMax = 253;
const bareHost = /^[^\s/:?#@%]+\.[^\s/:?#@%.]+$/;

/** An opaque redirect: `/goto?url=CAES...`, as engines have written since 2026. */
const redirect = /^(?:https?:\/\/[^/]+)?\/goto\?(?:[^#]*&)?url=(?!https?(?::|%3a))/i;

function isHidden(address: string): boolean {
  return address.includes('/goto?') && redirect.test(address);
}

/** A place as a page or vendor lists it. Absent fields are unknown. */
export interface ListedPlace {
  readonly name: string;
  /** Google's place id, `ChIJ...`. */
  readonly placeId?: string;
  /** Google's number of the place. */
  readonly cid?: string;
  readonly address?: string;
  readonly website?: string;
}

/** What identifies a tracked place. `name` and `address` are normalised (`normalise`). */
export type PlaceIdentity =
  | { readonly by: 'cid'; readonly cid: string }
  | { readonly by: 'placeId'; readonly placeId: string }
  | { readonly by: 'name'; readonly name: string; readonly address: string };

/** `unknown`: the list does not say enough to prove that the place is absent. */
type PlaceFinding = { readonly index: number } | 'absent' | 'unknown';

/** Whether the target ranks in local results, whose clicks no curve estimates and whose ranks no organic ones meet. */
export function isPlace({ match }: Pick<Target, 'match'>): boolean {
  return match === 'place';
}

const cid = /^(?:cid:)?(\d{5,20})$/;
const placeId = /^[A-Za-z0-9_-]{20,}$/;

/**
 * Reads `cid:123...`, a place id (`ChIJ...`), or `Name, Address`, whose name ends at the first comma. Null: none of
 * these.
 */
export function parsePlace(value: string): PlaceIdentity | null {
  const text = value.trim();
  const number = cid.exec(text)?.[1];
  if (number !== undefined) return { by: 'cid', cid: number };
  if (placeId.test(text)) return { by: 'placeId', placeId: text };
  const comma = text.indexOf(',');
  if (comma === -1) return null;
  const [name, address] = [normalise(text.slice(0, comma)), normalise(text.slice(comma + 1))];
  return name === '' || address === '' ? null : { by: 'name', name, address };
}

/** One string for all spellings of a place. */
export function placeKey(place: PlaceIdentity): string {
  if (place.by === 'cid') return `cid:${place.cid}`;
  return place.by === 'placeId' ? `id:${place.placeId}` : `${place.name}, ${place.address}`;
}

/**
 * Finds a place in a list. Ids are compared exactly. A name must be equal, and one of the two addresses must begin with
 * the other, because lists often show the street alone. Places without the id or address that decides make an absence
 * `unknown`.
 */
export function findPlace(list: readonly ListedPlace[], wanted: PlaceIdentity): PlaceFinding {
  let isUnknown = false;
  for (const [index, listed] of list.entries()) {
    const isIt = isListed(listed, wanted);
    if (isIt === true) return { index };
    isUnknown ||= isIt === null;
  }
  return isUnknown ? 'unknown' : 'absent';
}

/** The address of a place on Google Maps by its cid or place id; without an id its website; null: it has none. */
export function placeUrl(place: ListedPlace): string | null {
  if (place.cid !== undefined) return `https://maps.google.com/?cid=${place.cid}`;
  if (place.placeId !== undefined) return `https://www.google.com/maps/place/?q=place_id:${place.placeId}`;
  return place.website ?? null;
}

/** Null: the listed place does not say. */
function isListed(listed: ListedPlace, wanted: PlaceIdentity): boolean | null {
  if (wanted.by === 'cid') return listed.cid === undefined ? null : listed.cid === wanted.cid;
  if (wanted.by === 'placeId') return listed.placeId === undefined ? null : listed.placeId === wanted.placeId;
  if (normalise(listed.name) !== wanted.name) return false;
  if (listed.address === undefined) return null;
  const address = normalise(listed.address);
  return beginsWithWords(address, wanted.address) || beginsWithWords(wanted.address, address);
}

function beginsWithWords(text: string, start: string): boolean {
  return start !== '' && (text === start || text.startsWith(`${start} `));
}

/** Words in lower case, without marks, punctuation and accents. */
function normalise(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/['’]/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** A target that cannot match anything. The message says why and what to write instead. */
export class InvalidTarget extends Error {
  override readonly name = 'InvalidTarget';
}

/** Targets compiled for matching many URLs. */
export interface CompiledTargets {
  readonly count: number;
  /** The targets that rank in local results instead of by a URL. */
  readonly places: readonly { readonly index: number; readonly place: PlaceIdentity }[];
  /**
   * Indexes, ascending, of the targets that the URL belongs to; most URLs share one empty list. A `host_only` address
   * matches domains and hosts.
   */
  matchingIndexes(url: string): readonly number[];
  /** Indexes of the other targets that a `host_only` address may belong to: its page is unknown. Empty for a URL. */
  possibleIndexes(site: string): readonly number[];
}

/** A target in canonical form. */
type Meaning =
  | { readonly match: 'domain' | 'host'; readonly host: string }
  | { readonly match: 'prefix'; readonly authority: string; readonly path: string }
  | { readonly match: 'url'; readonly authority: string; readonly page: string }
  | { readonly match: 'place'; readonly place: PlaceIdentity };

/** A prefix or url target with its index. */
interface PageTarget {
  readonly index: number;
  readonly meaning: Extract<Meaning, { readonly authority: string }>;
}

const none: readonly number[] = Object.freeze([]);
const matches: readonly string[] = ['domain', 'host', 'prefix', 'url', 'place'] satisfies Target['match'][];

/**
 * Parses a target of the config: a bare string is a `domain`. The value stays as written, because reports print it.
 * Throws InvalidTarget.
 */
export function parseTarget(written: string | { readonly match?: string; readonly value: string }): Target {
  const { match, value } = typeof written === 'string' ? { match: 'domain', value: written } : written;
  if (match !== undefined && !matches.includes(match)) {
    throw new InvalidTarget(`"${match}" is not a kind of target: use domain, host, prefix, url or place`);
  }
  const target: Target = { match: (match ?? 'domain') as Target['match'], value: value.trim() };
  canonicalTarget(target);
  return target;
}

/** What is wrong with a target; null: nothing. */
export function targetProblem(target: Target): string | null {
  try {
    canonicalTarget(target);
    return null;
  } catch (error) {
    if (error instanceof InvalidTarget) return error.message;
    throw error;
  }
}

/**
 * One string for all spellings of one target: `domain:xn--mller-kva.example`, `prefix:shop.example.com/acme`. Throws
 * InvalidTarget.
 */
export function targetKey(target: Target): string {
  const meaning = canonicalTarget(target);
  if (meaning.match === 'prefix') return `prefix:${meaning.authority}${meaning.path}`;
  if (meaning.match === 'url') return `url:${meaning.authority}${meaning.page}`;
  if (meaning.match === 'place') return `place:${placeKey(meaning.place)}`;
  return `${meaning.match}:${meaning.host}`;
}

/** Whether a key of `targetKey` is that of a place. */
export function isPlaceKey(key: string): boolean {
  return key.startsWith('place:');
}

/** Whether a result can belong to both: a domain and a prefix inside it, or nested prefixes. Throws InvalidTarget. */
function canShareResults(a: Target, b: Target): boolean {
  const exampleOf = (target: Target): string | null => {
    const meaning = canonicalTarget(target);
    if (meaning.match === 'place') return null;
    if ('host' in meaning) return `https://${meaning.host}/`;
    return `https://${meaning.authority}${meaning.match === 'prefix' ? meaning.path : meaning.page}`;
  };
  const [ofA, ofB] = [exampleOf(a), exampleOf(b)];
  if (ofA === null || ofB === null) return targetKey(a) === targetKey(b);
  return matchesTarget(a, ofB) || matchesTarget(b, ofA);
}

/** Pairs of targets that a result can belong to at once, by their values. Throws InvalidTarget. */
export function overlappingTargets(targets: readonly Target[]): [string, string][] {
  return targets.flatMap((a, index) =>
    targets.slice(index + 1).flatMap((b): [string, string][] => (canShareResults(a, b) ? [[a.value, b.value]] : [])),
  );
}

/** Whether the URL belongs to the target. For many URLs compile the targets instead. Throws InvalidTarget. */
export function matchesTarget(target: Target, url: string): boolean {
  return compileTargets([target]).matchingIndexes(url).length > 0;
}

/**
 * Compiles targets: matching takes one map look-up per label of a URL's host, however many targets there are.
 *
 * - `domain`: the host or any subdomain, on any port. `www` is a subdomain like any other.
 * - `host`: exactly that host, on any port.
 * - `prefix`: that host and port, and a path that begins with the prefix's segments. `/acme` and `/acme/` are the same
 *   and match `/acme`, `/acme/` and `/acme/x`, never `/acmeous`. Paths are case-sensitive.
 * - `url`: one page. Scheme, default port, fragment (also text fragments) and tracking parameters are ignored. A
 *   trailing slash counts except at the root, and so do the query and its order, because servers may answer differently
 *   (RFC 3986, section 6.2). If both spellings are one page, use a `prefix` target.
 *
 * Hosts compare in lower-case ASCII (punycode) without trailing dots. Only http and https URLs match, and `host_only`
 * addresses match domains and hosts. A `place` matches no URL. Throws InvalidTarget.
 */
export function compileTargets(targets: readonly Target[]): CompiledTargets {
  const domains = new Map<string, number[]>();
  const hosts = new Map<string, number[]>();
  const pages = new Map<string, PageTarget[]>();
  const possible = new Map<string, number[]>();
  const places: { index: number; place: PlaceIdentity }[] = [];
  targets.forEach((target, index) => {
    const meaning = canonicalTarget(target);
    if (meaning.match === 'place') {
      places.push({ index, place: meaning.place });
      return;
    }
    if (meaning.match !== 'domain')
      append(possible, withoutWww(hostPart('host' in meaning ? meaning.host : meaning.authority)), index);
    if ('host' in meaning) append(meaning.match === 'domain' ? domains : hosts, meaning.host, index);
    else append(pages, hostPart(meaning.authority), { index, meaning });
  });
  // Few label boundaries coincide with the length of a tracked domain: comparing lengths saves most look-ups.
  const lengths = new Set([...domains.keys()].map((domain) => domain.length));

  function matchingIndexes(url: string): readonly number[] {
    const parsed = webUrl(url);
    const host = parsed === null ? hostOfSite(url) : withoutTrailingDots(parsed.hostname);
    if (host === null) return none;
    let found: number[] | undefined;
    for (let at = 0; at !== -1; at = nextLabel(host, at)) {
      const indexes = lengths.has(host.length - at) ? domains.get(host.slice(at)) : undefined;
      if (indexes !== undefined) found = [...(found ?? []), ...indexes];
    }
    const exact = hosts.size === 0 ? undefined : hosts.get(host);
    if (exact !== undefined) found = [...(found ?? []), ...exact];
    const onHost = parsed === null || pages.size === 0 ? undefined : pages.get(host);
    if (parsed !== null && onHost !== undefined) found = [...(found ?? []), ...pagesMatching(onHost, parsed)];
    return found === undefined || found.length === 0 ? none : found.sort((a, b) => a - b);
  }

  function possibleIndexes(site: string): readonly number[] {
    const host = possible.size === 0 ? null : hostOfSite(site);
    const indexes = host === null ? undefined : possible.get(withoutWww(host));
    if (indexes === undefined) return none;
    const matched = matchingIndexes(site);
    return indexes.filter((index) => !matched.includes(index));
  }

  return { count: targets.length, places, matchingIndexes, possibleIndexes };
}

/** Engines omit `www.` from displayed sites. */
function withoutWww(host: string): string {
  return host.startsWith('www.') ? host.slice(4) : host;
}

/** One key for all spellings of a page, as `url` targets compare them; null: not an http(s) URL. */
export function pageKey(url: string): string | null {
  const parsed = webUrl(url);
  return parsed === null ? null : `${parseAuthority(parsed)}${parsePage(parsed)}`;
}

/** One key for all spellings of a page, also for addresses that are not of the web. */
export function pageIdentity(address: string): string {
  return pageKey(address) ?? address;
}

/** Whether two addresses are different pages; null if the page of one is unknown. */
export function isOtherPage(address: string, other: string): boolean | null {
  if (classifyDestination(address) !== 'exact' || classifyDestination(other) !== 'exact') return null;
  const key = pageKey(address);
  return address !== other && (key === null || key !== pageKey(other));
}

/** The host of an http(s) URL in lower-case ASCII without trailing dots; null: none. */
export function hostInUrl(url: string): string | null {
  const parsed = webUrl(url);
  return parsed === null ? null : withoutTrailingDots(parsed.hostname);
}

/** The prefix and url targets of one host that match the URL. */
function pagesMatching(targets: readonly PageTarget[], url: URL): number[] {
  const authority = parseAuthority(url);
  const path = normalisePercents(url.pathname);
  const page = parsePage(url);
  return targets.flatMap(({ index, meaning }) => {
    if (meaning.authority !== authority) return [];
    const matched = meaning.match === 'prefix' ? beginsWithSegments(path, meaning.path) : meaning.page === page;
    return matched ? [index] : [];
  });
}

function canonicalTarget(target: Target): Meaning {
  const { match, value } = target;
  if (match === 'place') return { match, place: readPlace(value) };
  const url = readValue(value);
  const host = withoutTrailingDots(url.hostname);
  if (match === 'domain' || match === 'host') {
    if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
      throw new InvalidTarget(
        `"${value}" is more than a ${match}: write { match: prefix, value: ... } or { match: url, value: ... }`,
      );
    }
    if (url.port !== '') throw new InvalidTarget(`"${value}": a ${match} has no port; it matches every port`);
    return { match, host };
  }
  if (match === 'url') return { match, authority: parseAuthority(url), page: parsePage(url) };
  if (url.search !== '' || url.hash !== '') {
    throw new InvalidTarget(`"${value}": a prefix is a host and a path, without query or fragment`);
  }
  return { match, authority: parseAuthority(url), path: withoutTrailing(normalisePercents(url.pathname), '/') };
}

function readPlace(value: string): PlaceIdentity {
  const place = parsePlace(value);
  if (place !== null) return place;
  throw new InvalidTarget(`"${value}" is not a place: write cid:NUMBER, a place id (ChIJ...), or "Name, Address"`);
}

/** Parses a value as a URL; the scheme is optional. */
function readValue(value: string): URL {
  const schemeEnd = value.indexOf('://');
  const url = URL.parse(schemeEnd === -1 ? `https://${value}` : value);
  const host = url === null ? '' : withoutTrailingDots(url.hostname);
  if (url === null || host === '') throw new InvalidTarget(`"${value}" is not a host or URL`);
  if (!isWeb(url)) throw new InvalidTarget(`"${value}": only http and https pages have a rank`);
  if (url.username !== '' || url.password !== '') throw new InvalidTarget(`"${value}": leave out the user name`);
  if (host.includes('*')) throw new InvalidTarget(`"${value}": no wildcards; a domain includes its subdomains`);
  if (host.includes(',') || host.includes(';')) throw new InvalidTarget(`"${value}" is not one host or URL`);
  const labels = host.split('.');
  if (labels.includes('')) throw new InvalidTarget(`"${value}" has an empty label in its host`);
  if (labels.length === 1 && host !== 'localhost' && !host.startsWith('[')) {
    throw new InvalidTarget(`"${value}" is not a full host name: it has no dot`);
  }
  return url;
}

function append<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}

/** Index of the next label of a host, or -1. */
function nextLabel(host: string, from: number): number {
  const dot = host.indexOf('.', from);
  return dot === -1 ? -1 : dot + 1;
}

/** The URL if it is http(s). */
function webUrl(text: string): URL | null {
  const url = URL.parse(text);
  return url !== null && isWeb(url) ? url : null;
}

function isWeb(url: URL): boolean {
  return url.protocol === 'https:' || url.protocol === 'http:';
}

function withoutTrailingDots(host: string): string {
  return host.endsWith('.') ? withoutTrailing(host, '.') : host;
}

function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}

/** Host and port. Either default port is left out, because the scheme does not count. */
function parseAuthority(url: URL): string {
  const host = withoutTrailingDots(url.hostname);
  return url.port === '' || url.port === '80' || url.port === '443' ? host : `${host}:${url.port}`;
}

/** The host of an authority; an IPv6 address contains colons. */
function hostPart(authority: string): string {
  const port = authority.lastIndexOf(':');
  return port === -1 || authority.endsWith(']') ? authority : authority.slice(0, port);
}

function parsePage(url: URL): string {
  const kept = url.search
    .slice(1)
    .split('&')
    .filter((part) => part !== '' && !isTracking(part));
  const path = normalisePercents(url.pathname);
  return kept.length === 0 ? path : `${path}?${normalisePercents(kept.join('&'))}`;
}

function beginsWithSegments(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path.charCodeAt(prefix.length) === 47);
}

/** Normalises percent-encoding (RFC 3986, section 6.2.2): upper-case digits, unreserved characters decoded. */
function normalisePercents(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%[0-9a-f]{2}/giu, (percent) => {
    const character = String.fromCharCode(Number.parseInt(percent.slice(1), 16));
    return /[a-z0-9._~-]/iu.test(character) ? character : percent.toUpperCase();
  });
}

interface TrackedTarget {
  readonly target: Target;
  readonly role: 'own' | 'competitor';
}

/** Own targets, then competitors. A target of both kinds is own. */
export function trackedTargets({ targets, competitors }: Pick<Project, 'targets' | 'competitors'>): TrackedTarget[] {
  const found = new Map<string, TrackedTarget>();
  for (const [role, list] of [['own', targets] as const, ['competitor', competitors] as const]) {
    for (const target of list) if (!found.has(targetKey(target))) found.set(targetKey(target), { target, role });
  }
  return [...found.values()];
}

/** The host in a key of a target: `prefix:shop.example.com/acme` -> `shop.example.com`. */
export function hostInKey(key: string): string {
  return hostInUrl(`http://${key.slice(key.indexOf(':') + 1)}`) ?? '';
}
