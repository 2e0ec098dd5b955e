// Paths of the read API, with those parameters of the page's address that they take.
import { filterNames, textComplaint } from './filters.js';

/** @type {readonly string[]} */
const ofTable = ['date', 'compare', ...filterNames];

/** Parameters of the address by the kind of answer. */
export const takes = Object.freeze({
  table: ofTable,
  chart: ['from', 'to', 'granularity', ...ofTable],
  period: ['from', 'to'],
});

/** The toolbar names what the server would refuse. @param {string} name @param {string} value */
const isUsable = (name, value) => value !== '' && !((name === 'q' || name === 'url') && textComplaint(value) !== null);

/**
 * @param {string} project
 * @param {string} resource such as `segments` or `keywords/abc/checks`
 * @param {URLSearchParams} query of the address
 * @param {readonly string[]} names parameters to take from it
 * @param {Record<string, string>} [more]
 */
export function apiPath(project, resource, query, names, more = {}) {
  const taken = new URLSearchParams(
    [...query].filter(([name, value]) => names.includes(name) && isUsable(name, value)),
  );
  for (const [name, value] of Object.entries(more)) taken.set(name, value);
  const written = taken.toString();
  const path = `/v1/projects/${encodeURIComponent(project)}/${resource}`;
  return written === '' ? path : `${path}?${written}`;
}

/** Filters and dates of the address, for links to other views. @param {URLSearchParams} query */
export function sharedQuery(query) {
  return new URLSearchParams([...query].filter(([name]) => takes.chart.includes(name)));
}

/** The `url` filter that finds this URL and no other. @param {string} url */
export function exactUrl(url) {
  const expression = `/^${url.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$/`;
  return expression.length > 200 ? url.slice(0, 200) : expression;
}
