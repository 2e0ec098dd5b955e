// The state of a page is its address: /p/{project}/{page}?parameters, or #{page}?parameters in a file.
import { createContext, useContext, useSyncExternalStore } from 'react';

export interface Address {
  /** Null: the portfolio. */
  readonly project: string | null;
  readonly page: string;
  readonly query: URLSearchParams;
}

export type Parameters = URLSearchParams | Readonly<Record<string, string | readonly string[] | null | undefined>>;

/** The project of a file, whose state follows the `#`. Null: the page comes from a server. */
let fileProject: string | null = null;

export function keepInHash(project: string): void {
  fileProject = project;
}

export function parseAddress({ pathname, search, hash }: Pick<Location, 'pathname' | 'search' | 'hash'>): Address {
  if (fileProject !== null) {
    const [page, written] = hash.slice(1).split('?');
    return { project: fileProject, page: page || 'home', query: new URLSearchParams(written) };
  }
  const query = new URLSearchParams(search);
  if (pathname === '/') return { project: null, page: 'portfolio', query };
  const [, project, page] = /^\/p\/([^/]+)(?:\/([^/]*))?$/.exec(pathname) ?? [];
  try {
    if (project !== undefined) return { project: decodeURIComponent(project), page: page || 'home', query };
  } catch {
    // its percent-encoding is broken
  }
  return { project: null, page: 'missing', query };
}

/** The path of a page. Parameters without a value are left out. */
export function pathTo(project: string | null, page = 'home', parameters: Parameters = {}): string {
  const query = parameters instanceof URLSearchParams ? parameters : changed(new URLSearchParams(), parameters);
  const written = query.size === 0 ? '' : `?${query}`;
  if (fileProject !== null) return `#${page}${written}`;
  if (project === null) return `/${written}`;
  return `/p/${encodeURIComponent(project)}/${page}${written}`;
}

/** The query with some parameters changed; null removes one. */
export function changed(query: URLSearchParams, changes: Exclude<Parameters, URLSearchParams>): URLSearchParams {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    next.delete(name);
    for (const one of typeof value === 'string' ? [value] : (value ?? [])) if (one !== '') next.append(name, one);
  }
  return next;
}

const event = 'addresschange';

/** `replace`: without a new entry in the browser's history. */
export function goTo(path: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  dispatchEvent(new Event(event));
}

function subscribe(onChange: () => void): () => void {
  addEventListener('popstate', onChange);
  addEventListener(event, onChange);
  return () => {
    removeEventListener('popstate', onChange);
    removeEventListener(event, onChange);
  };
}

let known: { readonly href: string; readonly address: Address } | undefined;

function current(): Address {
  if (known?.href !== location.href) known = { href: location.href, address: parseAddress(location) };
  return known.address;
}

/** Everything inside keeps this address; null: it follows that of the page. */
export const HeldAddress = createContext<Address | null>(null);

/** The address of the page, kept current. */
export function useAddress(): Address {
  const now = useSyncExternalStore(subscribe, current);
  return useContext(HeldAddress) ?? now;
}

/** Changes parameters of the address, in place. Null removes one. */
export function useChangeQuery(): (changes: Exclude<Parameters, URLSearchParams>, how?: { replace?: boolean }) => void {
  const { project, page } = useAddress();
  return (changes, how) => goTo(pathTo(project, page, changed(current().query, changes)), how);
}

/** Follows links between pages without loading again. */
export function followLinks(click: MouseEvent): void {
  const link = click.target instanceof Element ? click.target.closest('a') : null;
  if (link === null || click.defaultPrevented || link.target !== '' || link.hasAttribute('download')) return;
  if (click.button !== 0 || click.metaKey || click.ctrlKey || click.shiftKey || click.altKey) return;
  const isPage =
    fileProject === null ? /^\/(p\/.*|parts)?$/.test(link.pathname) && link.hash === '' : link.hash.length > 1;
  if (link.origin !== location.origin || !isPage) return;
  if (link.getAttribute('href')?.startsWith('#') && document.getElementById(link.hash.slice(1)) !== null) return;
  click.preventDefault();
  const before = current().page;
  goTo(fileProject === null ? link.pathname + link.search : link.hash);
  if (fileProject !== null) document.getElementById(current().page)?.scrollIntoView();
  else if (current().page !== before) scrollTo(0, 0);
}
