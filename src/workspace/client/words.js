// Numbers and dates as people read them. A missing value is a dash, never a number.

const missing = '–';
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** @param {number | null | undefined} value @param {number} [digits] */
export function number(value, digits = 0) {
  if (value == null) return missing;
  return value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: 0 });
}

/** `1 page`, `2 pages`. @param {number | null} value @param {string} one @param {string} [many] */
export function counted(value, one, many = `${one}s`) {
  return `${number(value)} ${value === 1 ? one : many}`;
}

/** @param {number | null | undefined} value percent */
export function percent(value) {
  return value == null ? missing : `${value.toFixed(value < 10 ? 2 : 1)}%`;
}

/** With its sign: `+3`, `−2`, `0`. @param {number | null | undefined} value @param {number} [digits] */
export function signed(value, digits = 0) {
  if (value == null) return missing;
  const rounded = Number(value.toFixed(digits));
  if (rounded === 0) return '0';
  return `${rounded > 0 ? '+' : '−'}${number(Math.abs(rounded), digits)}`;
}

/**
 * `up`, `down` or `flat`: the class of a change. `digits` of the written number, which is flat if it is 0.
 * @param {number | null | undefined} value
 * @param {number} digits
 */
export function direction(value, digits = 0) {
  const shown = value == null ? 0 : Number(value.toFixed(digits));
  return shown === 0 ? 'flat' : shown > 0 ? 'up' : 'down';
}

/** `20 Nov 2026`. @param {string | null | undefined} date */
export function day(date) {
  if (!date) return missing;
  const [year, month, dayOfMonth] = date.slice(0, 10).split('-').map(Number);
  return `${dayOfMonth} ${months[(month ?? 1) - 1]} ${year}`;
}

/** @type {Record<string, string>} */
const statusWords = {
  ranked: 'ranked',
  not_found: 'not found',
  not_followed: 'not followed',
  incomplete: 'incomplete',
  failed: 'failed',
  deferred: 'deferred',
  unknown_paid: 'outcome unknown',
};

/** @param {string} status */
export function statusText(status) {
  return statusWords[status] ?? status;
}

/** `people_also_ask` as `people also ask`. @param {string} name */
export function plain(name) {
  return name.replaceAll('_', ' ');
}

/**
 * `US en desktop`, and the location where there is one.
 * @param {Record<'country' | 'language' | 'device', string | null> & { location?: string | null | undefined }} market
 */
export function marketName({ country, language, device, location }) {
  return [country, language, device, location].filter(Boolean).join(' ');
}
