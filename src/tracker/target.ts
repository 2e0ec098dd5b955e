// Targets: how a site, a part of it or one page is written, and whether a URL belongs to it. Never by substring, never by RegExp.
import { destinationOf, siteIn } from './destination.ts';
import type { Target } from './project.ts';

/** A target that means nothing: the message says why and what to write instead. */
export class InvalidTarget extends Error {
  override readonly name = 'InvalidTarget';
}

/** Targets made ready for many URLs. */
export interface CompiledTargets {
  readonly count: number;
  /** Indexes, ascending, of the targets that the URL belongs to; a shared empty list for most URLs. Of a site alone those are domains and hosts. */
  indexesOf(url: string): readonly number[];
  /** Indexes of the other targets that a site alone may belong to: which page of it is meant is not known. Empty for any URL. */
  possibleIndexesOf(site: string): readonly number[];
}

/** What a target means, once written forms that mean the same are the same. */
type Meaning =
  | { readonly match: 'domain' | 'host'; readonly host: string }
  | { readonly match: 'prefix'; readonly authority: string; readonly path: string }
  | { readonly match: 'url'; readonly authority: string; readonly page: string };

/** A prefix or url target, beside its place in the list. */
interface PageTarget {
  readonly index: number;
  readonly meaning: Exclude<Meaning, { readonly host: string }>;
}

const none: readonly number[] = Object.freeze([]);
const matches: readonly string[] = ['domain', 'host', 'prefix', 'url'] satisfies Target['match'][];

/**
 * A target as written in the config: a bare string is a `domain`. The value is kept as written, because reports print it.
 * Throws InvalidTarget where it means nothing.
 */
export function parseTarget(written: string | { readonly match?: string; readonly value: string }): Target {
  const { match, value } = typeof written === 'string' ? { match: 'domain', value: written } : written;
  if (match !== undefined && !matches.includes(match)) {
    throw new InvalidTarget(`"${match}" is no kind of target: use domain, host, prefix or url`);
  }
  const target: Target = { match: (match ?? 'domain') as Target['match'], value: value.trim() };
  meaningOf(target);
  return target;
}

/** What is wrong with a target, or null. */
export function targetProblem(target: Target): string | null {
  try {
    meaningOf(target);
    return null;
  } catch (error) {
    if (error instanceof InvalidTarget) return error.message;
    throw error;
  }
}

/** One string for all spellings of one target: `domain:xn--mller-kva.example`, `prefix:shop.example.com/acme`. Throws InvalidTarget. */
export function targetKey(target: Target): string {
  const meaning = meaningOf(target);
  if (meaning.match === 'prefix') return `prefix:${meaning.authority}${meaning.path}`;
  if (meaning.match === 'url') return `url:${meaning.authority}${meaning.page}`;
  return `${meaning.match}:${meaning.host}`;
}

/** Whether the URL belongs to the target. For many URLs compile the targets instead. Throws InvalidTarget. */
export function matchesTarget(target: Target, url: string): boolean {
  return compileTargets([target]).indexesOf(url).length > 0;
}

/**
 * Makes targets ready for many URLs: one map look-up for each label of a URL's host, whatever the number of targets.
 *
 * - `domain`: the host or any subdomain of it, on any port. `www` is a subdomain like any other.
 * - `host`: exactly that host, on any port.
 * - `prefix`: that host and port, and a path that begins with the prefix's segments; `/acme`, `/acme/` mean the same and match
 *   `/acme`, `/acme/` and `/acme/x`, never `/acmeous`. A path's case counts.
 * - `url`: one page. Scheme, default port, fragment (text fragments too) and Google's `srsltid` are ignored. A trailing slash counts
 *   except at the root, and so do the query and its order: servers may answer differently (RFC 3986, section 6.2). Where both spellings are
 *   one page, a `prefix` target takes both.
 *
 * Hosts compare in lower-case ASCII (punycode) without trailing dots. Only http and https URLs belong to a target, and sites alone (destination.ts) to
 * domains and hosts. Throws InvalidTarget.
 */
export function compileTargets(targets: readonly Target[]): CompiledTargets {
  const domains = new Map<string, number[]>();
  const hosts = new Map<string, number[]>();
  const pages = new Map<string, PageTarget[]>();
  const possible = new Map<string, number[]>();
  targets.forEach((target, index) => {
    const meaning = meaningOf(target);
    if (meaning.match !== 'domain')
      append(possible, withoutWww(hostPart('host' in meaning ? meaning.host : meaning.authority)), index);
    if ('host' in meaning) append(meaning.match === 'domain' ? domains : hosts, meaning.host, index);
    else append(pages, hostPart(meaning.authority), { index, meaning });
  });
  // Most names end where no domain of ours begins: their lengths tell without a look-up.
  const lengths = new Set([...domains.keys()].map((domain) => domain.length));

  function indexesOf(url: string): readonly number[] {
    const parsed = webUrl(url);
    const host = parsed === null ? siteIn(url) : withoutTrailingDots(parsed.hostname);
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

  function possibleIndexesOf(site: string): readonly number[] {
    const host = possible.size === 0 ? null : siteIn(site);
    const indexes = host === null ? undefined : possible.get(withoutWww(host));
    if (indexes === undefined) return none;
    const matched = indexesOf(site);
    return indexes.filter((index) => !matched.includes(index));
  }

  return { count: targets.length, indexesOf, possibleIndexesOf };
}

/** Engines leave `www.` out of the sites that they show. */
function withoutWww(host: string): string {
  return host.startsWith('www.') ? host.slice(4) : host;
}

/** One string for all spellings of one page, as `url` targets compare them; null where it is no http(s) URL. */
export function pageKey(url: string): string | null {
  const parsed = webUrl(url);
  return parsed === null ? null : `${authorityOf(parsed)}${pageOf(parsed)}`;
}

/** Whether two addresses are of different pages; null where that is not known of one of them. */
export function isOtherPage(address: string, other: string): boolean | null {
  if (destinationOf(address) !== 'exact' || destinationOf(other) !== 'exact') return null;
  const key = pageKey(address);
  return address !== other && (key === null || key !== pageKey(other));
}

/** The host of an http(s) URL in lower-case ASCII without trailing dots; null where there is none. */
export function hostOf(url: string): string | null {
  const parsed = webUrl(url);
  return parsed === null ? null : withoutTrailingDots(parsed.hostname);
}

/** The prefix and url targets of one host that the URL belongs to. */
function pagesMatching(targets: readonly PageTarget[], url: URL): number[] {
  const authority = authorityOf(url);
  const path = samePercents(url.pathname);
  const page = pageOf(url);
  return targets.flatMap(({ index, meaning }) => {
    if (meaning.authority !== authority) return [];
    const matched = meaning.match === 'prefix' ? beginsWithSegments(path, meaning.path) : meaning.page === page;
    return matched ? [index] : [];
  });
}

function meaningOf(target: Target): Meaning {
  const { match, value } = target;
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
  if (match === 'url') return { match, authority: authorityOf(url), page: pageOf(url) };
  if (url.search !== '' || url.hash !== '') {
    throw new InvalidTarget(`"${value}": a prefix is a host and a path, without query or fragment`);
  }
  return { match, authority: authorityOf(url), path: withoutTrailingSlashes(samePercents(url.pathname)) };
}

/** The value as a URL; a scheme may be left out. */
function readValue(value: string): URL {
  const schemeEnd = value.indexOf('://');
  const url = URL.parse(schemeEnd === -1 ? `https://${value}` : value);
  const host = url === null ? '' : withoutTrailingDots(url.hostname);
  if (url === null || host === '') throw new InvalidTarget(`"${value}" is no host or URL`);
  if (!isWeb(url)) throw new InvalidTarget(`"${value}": only http and https pages have a rank`);
  if (url.username !== '' || url.password !== '') throw new InvalidTarget(`"${value}": leave out the user name`);
  if (host.includes('*')) throw new InvalidTarget(`"${value}": no wildcards; a domain takes its subdomains with it`);
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

/** Where the label after the one at `from` begins, or -1. */
function nextLabel(host: string, from: number): number {
  const dot = host.indexOf('.', from);
  return dot === -1 ? -1 : dot + 1;
}

/** The URL, where it is one of the web. */
function webUrl(text: string): URL | null {
  const url = URL.parse(text);
  return url !== null && isWeb(url) ? url : null;
}

function isWeb(url: URL): boolean {
  return url.protocol === 'https:' || url.protocol === 'http:';
}

function withoutTrailingDots(host: string): string {
  let end = host.length;
  while (end > 0 && host.charCodeAt(end - 1) === 46) end -= 1;
  return end === host.length ? host : host.slice(0, end);
}

function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path.charCodeAt(end - 1) === 47) end -= 1;
  return path.slice(0, end);
}

/** Host and port, the default port left out whichever scheme it belongs to: the scheme does not count. */
function authorityOf(url: URL): string {
  const host = withoutTrailingDots(url.hostname);
  return url.port === '' || url.port === '80' || url.port === '443' ? host : `${host}:${url.port}`;
}

/** The host of an authority as `authorityOf` writes it; an IPv6 address has colons of its own. */
function hostPart(authority: string): string {
  const port = authority.lastIndexOf(':');
  return port === -1 || authority.endsWith(']') ? authority : authority.slice(0, port);
}

function pageOf(url: URL): string {
  const kept = url.search
    .slice(1)
    .split('&')
    .filter((part) => part !== '' && part !== 'srsltid' && !part.startsWith('srsltid='));
  const path = samePercents(url.pathname);
  return kept.length === 0 ? path : `${path}?${samePercents(kept.join('&'))}`;
}

function beginsWithSegments(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path.charCodeAt(prefix.length) === 47);
}

/** Equal percent-encodings made equal (RFC 3986, section 6.2.2): upper-case digits, unreserved characters plain. */
function samePercents(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%[0-9a-f]{2}/giu, (percent) => {
    const character = String.fromCharCode(Number.parseInt(percent.slice(1), 16));
    return /[a-z0-9._~-]/iu.test(character) ? character : percent.toUpperCase();
  });
}
