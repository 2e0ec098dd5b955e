// The state of the page is its address: /p/{project}/{view}?parameters. Links can be shared, and back and forward work.
import { useEffect, useState } from 'preact/hooks';

/**
 * @typedef {object} Address
 * @property {string | null} project null: the portfolio
 * @property {string} view `keywords`, `keyword`, `serp`, ...
 * @property {URLSearchParams} query
 */

/** @param {{ readonly pathname: string, readonly search: string }} location @returns {Address} */
export function parseAddress({ pathname, search }) {
  const [, first, project, view] = pathname.split('/');
  const query = new URLSearchParams(search);
  if (first !== 'p' || !project) return { project: null, view: 'portfolio', query };
  return { project: decodeURIComponent(project), view: view || 'keywords', query };
}

/**
 * The path of a view. Parameters without a value are left out.
 * @param {string | null} project
 * @param {string} [view]
 * @param {URLSearchParams | Record<string, string | readonly string[] | null | undefined>} [parameters]
 */
export function pathOf(project, view = 'keywords', parameters = {}) {
  const path = project === null ? '/' : `/p/${encodeURIComponent(project)}/${view}`;
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
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.origin !== location.origin || link.target !== '' || link.hasAttribute('download')) return;
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (!/^\/(p\/.*)?$/.test(link.pathname)) return;
  event.preventDefault();
  goTo(link.pathname + link.search);
  scrollTo(0, 0);
}
