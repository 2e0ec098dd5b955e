// The state of the page is its address: /p/{project}/{view}?parameters, or #{view}?parameters in a file.
import { useEffect, useState } from 'preact/hooks';

/**
 * @typedef {object} Address
 * @property {string | null} project null: the portfolio
 * @property {string} view `keywords`, `keyword`, `serp`, ...
 * @property {URLSearchParams} query
 */

/** The project of a file. Null: the page comes from a server. @type {string | null} */
let fileProject = null;

/** The page is a file about one project: its state follows the `#`. @param {string} project */
export function keepInHash(project) {
  fileProject = project;
}

/**
 * @param {{ readonly pathname: string, readonly search: string, readonly hash?: string }} location
 * @returns {Address}
 */
export function parseAddress({ pathname, search, hash = '' }) {
  if (fileProject !== null) {
    const [view, written] = hash.slice(1).split('?');
    return { project: fileProject, view: view || 'keywords', query: new URLSearchParams(written) };
  }
  const query = new URLSearchParams(search);
  if (pathname === '/') return { project: null, view: 'portfolio', query };
  const [, project = '', view = ''] = /^\/p\/([^/]+)(?:\/([^/]*))?$/.exec(pathname) ?? [];
  try {
    return project === ''
      ? { ...nowhere, query }
      : { project: decodeURIComponent(project), view: view || 'keywords', query };
  } catch {
    // its percent-encoding is broken
    return { ...nowhere, query };
  }
}

/** An address that no view has. */
const nowhere = { project: null, view: 'missing' };

/**
 * The path of a view. Parameters without a value are left out.
 * @param {string | null} project
 * @param {string} [view]
 * @param {URLSearchParams | Record<string, string | readonly string[] | null | undefined>} [parameters]
 */
export function pathOf(project, view = 'keywords', parameters = {}) {
  const base = project === null ? '/' : `/p/${encodeURIComponent(project)}/${view}`;
  const path = fileProject === null ? base : `#${view}`;
  const query = parameters instanceof URLSearchParams ? parameters : queryOf(parameters);
  const written = query.toString();
  return written === '' ? path : `${path}?${written}`;
}

/** @param {Record<string, string | readonly string[] | null | undefined>} parameters */
function queryOf(parameters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one) query.append(name, String(one));
  }
  return query;
}

/**
 * The query with some parameters changed; null removes one.
 * @param {URLSearchParams} query
 * @param {Record<string, string | readonly string[] | null>} changes
 */
export function withChanges(query, changes) {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    next.delete(name);
    for (const one of Array.isArray(value) ? value : [value]) if (one) next.append(name, one);
  }
  return next;
}

const changed = 'addresschange';

/** Goes to a path. `replace`: without a new entry in the browser's history. @param {string} path */
export function goTo(path, { replace = false } = {}) {
  if (replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  dispatchEvent(new Event(changed));
}

/** The address of the page, kept current. @returns {Address} */
export function useAddress() {
  const [address, setAddress] = useState(() => parseAddress(location));
  useEffect(() => {
    const read = () => setAddress(parseAddress(location));
    addEventListener('popstate', read);
    addEventListener(changed, read);
    return () => {
      removeEventListener('popstate', read);
      removeEventListener(changed, read);
    };
  }, []);
  return address;
}

/** Follows a link of the page without loading it again. @param {MouseEvent} event */
export function followLink(event) {
  if (event.defaultPrevented) return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null) return;
  if (fileProject !== null) {
    followHash(event, link);
    return;
  }
  if (link.origin !== location.origin || link.target !== '' || link.hasAttribute('download')) return;
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (!/^\/(p\/.*)?$/.test(link.pathname) || link.hash !== '') return;
  event.preventDefault();
  goTo(link.pathname + link.search);
  if (link.closest('.pages') === null) scrollTo(0, 0);
}

/**
 * Follows a link within a file. A link to a section keeps the state of the page.
 * @param {MouseEvent} event
 * @param {HTMLAnchorElement} link
 */
function followHash(event, link) {
  const written = link.getAttribute('href') ?? '';
  if (!written.startsWith('#') || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const state = parseAddress(location).query;
  const isSection = !written.includes('?') && document.getElementById(written.slice(1)) !== null;
  if (isSection && state.size === 0) return;
  event.preventDefault();
  goTo(isSection ? `${written}?${state}` : written);
  // a link of another section leads to the table that it filters
  const view = written.slice(1).split('?')[0] ?? '';
  const from = link.closest('section')?.id;
  const isElsewhere = from !== undefined && from !== view;
  if (isElsewhere || (isSection && link.closest('nav:not(.pages)') !== null))
    document.getElementById(view)?.scrollIntoView();
}
