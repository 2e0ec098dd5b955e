// The filters of the toolbar: their parameters, and how people read their values.
import { withChanges } from './address.js';
import { plain, statusText } from './words.js';

/** @typedef {import('../records.ts').ProjectFacts} ProjectFacts */
/**
 * @typedef {object} Field
 * @property {string} name parameter of the read API
 * @property {string} label
 * @property {'choice' | 'range' | 'text' | 'flag'} kind
 * @property {readonly string[]} [values] of a choice
 */

/** Parameters that keep only some rows, in the order of their chips. */
const labels = /** @type {const} */ ({
  q: 'Keyword',
  tag: 'Tags',
  market: 'Market',
  country: 'Country',
  location: 'Location',
  device: 'Device',
  target: 'Target',
  bucket: 'Rank bucket',
  rank: 'Rank',
  change: 'Change',
  move: 'Ranks gained',
  significance: 'Significance',
  volume: 'Searches a month',
  cpc: 'CPC in US$',
  clicks: 'Estimated clicks',
  daysInTop10: 'Days in top 10, of 30',
  intent: 'Intent',
  feature: 'SERP feature',
  owned: 'Own SERP feature',
  lost: 'Lost SERP feature',
  url: 'URL',
  otherUrl: 'Preferred URL',
  status: 'Status',
});
/** @typedef {keyof typeof labels} FilterName */

export const filterNames = /** @type {FilterName[]} */ (Object.keys(labels));
const ranges = ['rank', 'move', 'volume', 'cpc', 'clicks', 'daysInTop10'];

export const buckets = ['1', '2-3', '4-10', '11-20', '21-50', '51-100', 'not_found', 'unknown'];
const statuses = ['ranked', 'not_found', 'not_followed', 'incomplete', 'failed', 'deferred', 'unknown_paid'];
const changes = ['improved', 'declined', 'unchanged', 'entered', 'dropped', 'first_check', 'not_comparable'];
const significances = ['noise', 'likely', 'certain'];
const intents = ['commercial', 'informational', 'navigational', 'transactional'];

/** @param {FilterName} name @param {Field['kind']} kind @param {readonly string[]} [values] @returns {Field} */
function field(name, kind, values = []) {
  return { name, label: labels[name], kind, values };
}

/**
 * The menus of the toolbar with their fields. Menus without anything to choose are left out.
 * @param {ProjectFacts} facts
 * @returns {{ readonly label: string, readonly fields: readonly Field[] }[]}
 */
export function filterMenus({ tags, markets, targets, features }) {
  const unique = (/** @type {readonly string[]} */ values) => [...new Set(values)].sort();
  const menus = [
    { label: 'Tags', fields: [field('tag', 'choice', tags)] },
    {
      label: 'Market',
      fields: [
        field('market', 'choice', unique(markets.map(({ country, language }) => `${country} ${language}`))),
        field('device', 'choice', unique(markets.map(({ device }) => device))),
        field('location', 'choice', unique(markets.flatMap(({ location }) => location ?? []))),
      ],
    },
    { label: 'Target', fields: [field('target', 'choice', targets.length > 1 ? [...targets, '*'] : [])] },
    {
      label: 'Rank',
      fields: [field('rank', 'range'), field('bucket', 'choice', buckets), field('daysInTop10', 'range')],
    },
    {
      label: 'Change',
      fields: [
        field('move', 'range'),
        field('change', 'choice', changes),
        field('significance', 'choice', significances),
      ],
    },
    { label: 'Volume', fields: [field('volume', 'range'), field('cpc', 'range'), field('clicks', 'range')] },
    { label: 'Intent', fields: [field('intent', 'choice', intents)] },
    {
      label: 'Features',
      fields: [
        field('feature', 'choice', features),
        field('owned', 'choice', features),
        field('lost', 'choice', features),
      ],
    },
    { label: 'URL', fields: [field('url', 'text'), field('otherUrl', 'flag')] },
    { label: 'Status', fields: [field('status', 'choice', statuses)] },
  ];
  const isUsable = (/** @type {Field} */ { kind, values = [] }) => kind !== 'choice' || values.length > 0;
  return menus
    .map(({ label, fields }) => ({ label, fields: fields.filter(isUsable) }))
    .filter(({ fields }) => fields.length > 0);
}

/** What is wrong with words or a `/regex/`, as the server reads them; null: nothing. @param {string} written */
export function textComplaint(written) {
  const source = /^\/(.+)\/i?$/s.exec(written.trim())?.[1];
  if (source === undefined) return null;
  try {
    new RegExp(source, 'iu');
    return null;
  } catch {
    return `/${source}/ is not a regular expression`;
  }
}

/** A value of a filter as people read it. @param {string} name @param {string} value */
export function valueText(name, value) {
  if (name === 'status') return statusText(value);
  if (name === 'bucket') return bucketText(value);
  if (name === 'target' && value === '*') return 'all targets';
  return ['change', 'feature', 'owned', 'lost'].includes(name) ? plain(value) : value;
}

/** @param {string} bucket */
export function bucketText(bucket) {
  if (bucket === '1') return 'Rank 1';
  return bucket === 'not_found' ? 'Not found' : bucket === 'unknown' ? 'Unknown' : `Ranks ${bucket.replace('-', '–')}`;
}

/**
 * @typedef {object} Chip an active filter
 * @property {string} name
 * @property {string} label
 * @property {string} text
 * @property {URLSearchParams} without the query without it
 */

/** @param {URLSearchParams} query @returns {Chip[]} */
export function chipsOf(query) {
  return filterNames.flatMap((name) => {
    const written = query.getAll(name).filter(Boolean);
    if (written.length === 0) return [];
    // each tag parameter is a condition; those of another choice are alternatives
    const conditions = name === 'tag' ? written : [isChoice(name) ? written.join('|') : written[0]];
    return conditions.map((value = '', index) => {
      const others = name === 'tag' ? written.toSpliced(index, 1) : null;
      return {
        name,
        label: labels[name],
        text: conditionText(name, value),
        without: changed(query, { [name]: others }),
      };
    });
  });
}

/** @param {string} name */
function isChoice(name) {
  return !ranges.includes(name) && !['q', 'url', 'otherUrl'].includes(name);
}

/** @param {FilterName} name @param {string} value */
function conditionText(name, value) {
  if (name === 'otherUrl') return value === 'true' ? 'another URL ranks' : 'ranks';
  if (ranges.includes(name)) return rangeText(value);
  return isChoice(name) ? choiceText(name, value) : value;
}

/** `a|!b` as `a, not b`. @param {string} name @param {string} value */
function choiceText(name, value) {
  const { any, none } = parseChoice([value]);
  const words = (/** @type {string[]} */ values) => values.map((one) => valueText(name, one)).join(' or ');
  return [any.length > 0 ? words(any) : '', none.length > 0 ? `not ${words(none)}` : ''].filter(Boolean).join(', ');
}

/** @param {readonly string[]} written */
export function parseChoice(written) {
  const values = written.flatMap((part) => part.split('|')).filter(Boolean);
  return {
    any: values.filter((value) => !value.startsWith('!')),
    none: values.filter((value) => value.startsWith('!')).map((value) => value.slice(1)),
  };
}

/** `1..10` as `1 to 10`. @param {string} value */
function rangeText(value) {
  const [from = '', to = from] = value.split('..');
  if (from === to) return from;
  if (from === '') return `at most ${to}`;
  return to === '' ? `at least ${from}` : `${from} to ${to}`;
}

/**
 * The query with changed parameters, at the first page of the table.
 * @param {URLSearchParams} query
 * @param {Record<string, string | readonly string[] | null>} changes
 */
export function changed(query, changes) {
  return withChanges(query, { page: null, ...changes });
}

/** The query without any filter. @param {URLSearchParams} query */
export function withoutFilters(query) {
  return changed(query, Object.fromEntries(filterNames.map((name) => [name, null])));
}

/**
 * The query with the fields of a menu as they stand in its form. A field that was not touched keeps its parameter.
 * Tags add a condition.
 * @param {URLSearchParams} query
 * @param {readonly Field[]} fields
 * @param {Pick<FormData, 'get' | 'getAll'>} form
 */
export function withForm(query, fields, form) {
  let next = query;
  for (const of of fields) {
    const written = writtenField(of, form);
    if (of.name === 'tag') next = changed(next, { tag: [...next.getAll('tag'), ...written] });
    else if (written.join() !== shownField(of, query).join()) next = changed(next, { [of.name]: written });
  }
  return next;
}

/** @param {Field} field @param {Pick<FormData, 'get' | 'getAll'>} form @returns {string[]} */
function writtenField({ name, kind }, form) {
  const text = (/** @type {string} */ key) => String(form.get(key) ?? '').trim();
  if (kind === 'range') return asRange(text(`${name}.from`), text(`${name}.to`));
  if (kind !== 'choice') return text(name) === '' ? [] : [text(name)];
  return asChoice(form.getAll(name).map(String), text(`${name}.mode`));
}

/** The parameter as a form shows it. @param {Field} field @param {URLSearchParams} query @returns {string[]} */
function shownField({ name, kind, values = [] }, query) {
  if (kind !== 'choice') return query.getAll(name).filter(Boolean).slice(0, 1);
  const { mode, chosen } = choiceState(query.getAll(name));
  return asChoice(
    values.filter((value) => chosen.includes(value)),
    mode,
  );
}

/**
 * What a form shows of a choice.
 * @param {readonly string[]} written
 * @returns {{ mode: 'any' | 'none', chosen: string[] }}
 */
export function choiceState(written) {
  const { any, none } = parseChoice(written);
  return any.length === 0 && none.length > 0 ? { mode: 'none', chosen: none } : { mode: 'any', chosen: any };
}

/** @param {readonly string[]} values @param {string} mode `any`, `all` or `none` of them */
function asChoice(values, mode) {
  if (values.length === 0) return [];
  if (mode === 'all') return [...values];
  return [values.map((value) => (mode === 'none' ? `!${value}` : value)).join('|')];
}

/** @param {string} from @param {string} to */
function asRange(from, to) {
  if (from === '' && to === '') return [];
  return from === to ? [from] : [`${from}..${to}`];
}
