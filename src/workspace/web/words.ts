// Numbers and dates as people read them. A missing value is a dash, never a number.

export const missing = '–';
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export function number(value: number | null | undefined, digits = 0): string {
  return value == null ? missing : value.toLocaleString('en', { maximumFractionDigits: digits });
}

/** `1 page`, `2 pages`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

/** Of percentage points, without its sign: `0.42 points`, `1 point`, `19.2 points`. */
export function points(value: number): string {
  const text = number(Math.abs(value), Math.abs(value) < 1 ? 2 : 1);
  return `${text} ${text === '1' ? 'point' : 'points'}`;
}

/** Rows whose searches a month are known, where they are not all: ` · 4 of 5 with searches`. */
export function weighedText(weighed: number, checked: number): string {
  return weighed === checked ? '' : ` · ${number(weighed)} of ${number(checked)} with searches`;
}

/** Of percent, without its sign: `0.42`, `19.2`. */
export function percent(value: number | null | undefined): string {
  return value == null ? missing : value.toFixed(value !== 0 && Math.abs(value) < 1 ? 2 : 1);
}

/** On the axis of a chart: `20 %`. */
export function percentTick(value: number): string {
  return `${number(value, 1)}\u00a0%`;
}

/** With its sign, where no element can hold it: `19.2 %`. */
export function percentText(value: number | null | undefined): string {
  return value == null ? missing : `${percent(value)}\u00a0%`;
}

/** With its sign: `+3`, `−2`, `0`. */
export function signed(value: number, digits = 0): string {
  const rounded = Number(value.toFixed(digits));
  if (rounded === 0) return '0';
  return `${rounded > 0 ? '+' : '−'}${number(Math.abs(rounded), digits)}`;
}

/** `26 Nov`; with the year where it is not that of `beside`, and of an hour `26 Nov, 13:00`. */
export function day(date: string | null | undefined, beside?: string): string {
  if (!date) return missing;
  const [year = '', month, dayOfMonth] = date.slice(0, 10).split('-');
  const short = `${Number(dayOfMonth)} ${months[Number(month) - 1]}`;
  const hour = /^T\d\d$/.test(date.slice(10)) ? `, ${date.slice(11)}:00` : '';
  return `${beside?.slice(0, 4) === year ? short : `${short} ${year}`}${hour}`;
}

/** `28 Oct – 26 Nov 2026`. */
export function days(from: string, to: string): string {
  return from === to ? day(to) : `${day(from, to)} – ${day(to)}`;
}

const monthNames = 'January February March April May June July August September October November December'.split(' ');

/** `2026-11-26` as `November`. */
export function monthName(date: string): string {
  return monthNames[Number(date.slice(5, 7)) - 1] ?? missing;
}

/** `2026-11` as `Nov 2026`. */
export function month(written: string): string {
  const [year, of] = written.split('-');
  return `${months[Number(of) - 1]} ${year}`;
}

/** A moment in the time zone of the browser: `26 Nov 2026, 06:00`. */
export function moment(iso: string | null | undefined): string {
  if (!iso) return missing;
  const at = new Date(iso);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${at.getDate()} ${months[at.getMonth()]} ${at.getFullYear()}, ${two(at.getHours())}:${two(at.getMinutes())}`;
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** `Thursday`. */
export function weekday(date: string): string {
  return weekdays[new Date(`${date}T00:00:00Z`).getUTCDay()] ?? missing;
}

/** `42 s`, `3 min`, `1 h 20 min`. */
export function duration(ms: number): string {
  const [seconds, minutes] = [Math.round(ms / 1000), Math.round(ms / 60_000)];
  if (seconds < 1) return 'under 1 s';
  if (seconds < 100) return `${seconds} s`;
  if (minutes < 100) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `people_also_ask` as `people also ask`. */
export function plain(name: string): string {
  return name.replaceAll('_', ' ');
}

/** Why a run is suspect, without the odds: `12 of 71 ranked keywords were lost at once, far more than usual`. */
export function withoutOdds(reason: string): string {
  return reason.replaceAll(/ \([^()]*\)/g, (part) => (part.includes('chance ') ? ', far more than usual' : part));
}

/** `people_also_ask` as `People also ask`. */
export function featureName(type: string): string {
  const name = plain(type).replace(/^ai\b/, 'AI');
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** `https://www.acme.com/a` as `acme.com`. */
export function siteOf(url: string): string {
  return shortUrl(url).split(/[/?#]/)[0] ?? '';
}

/** The path of a URL with its site, without what all have. */
export function shortUrl(url: string): string {
  return url.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '');
}

/** The path of one of our own pages: its site is known. */
export function pathOfUrl(url: string): string {
  return url.replace(/^https?:\/\/[^/]+/i, '') || '/';
}

/** A place as an analyst says it: `US phone`, `GB`, `US en-CA, Boston phone`. Desktop goes without saying. */
export function marketWords(market: {
  readonly country: string;
  readonly language: string;
  readonly device: string;
  readonly location?: string | null;
}): string {
  const { country, language, device, location } = market;
  const place = [country, language === 'en' ? '' : language].filter(Boolean).join(' ');
  return [location ? `${place}, ${pointWords(location)}` : place, device === 'mobile' ? 'phone' : '']
    .filter(Boolean)
    .join(' ');
}

/** Of the name of a market, such as `US en mobile`, or with its place after it. */
export function marketNameWords(name: string): string {
  const [country = '', language = '', device = '', ...place] = name.split(' ');
  return marketWords({ country, language, device, location: place.join(' ') });
}

/** Names of markets in a sentence as analysts say them: `the market US en mobile` as `the market US phone`. */
export function withMarketWords(sentence: string): string {
  return sentence.replace(/\b[A-Z]{2} [\w-]{2,} (desktop|mobile)\b/g, (name, device: string) =>
    device === 'desktop' ? `${marketNameWords(name)} desktop` : marketNameWords(name),
  );
}

/** `@30.294149,-97.774303,14z` as `30.2941, -97.7743`. */
function pointWords(location: string): string {
  return location.replace(/^@(-?\d+\.\d{1,4})\d*,(-?\d+\.\d{1,4})\d*(,.*)?$/, '$1, $2');
}

/** A bucket of ranks: `rank 1`, `2–3`, `not found`. */
export function bucketText(bucket: string): string {
  if (bucket === '1') return 'rank 1';
  return bucket === 'unknown' ? 'not checked' : plain(bucket).replace('-', '–');
}

const statusWords: Readonly<Record<string, string>> = {
  ranked: 'ranked',
  not_found: 'not found',
  not_followed: 'not followed',
  incomplete: 'checked in part',
  failed: 'check failed',
  deferred: 'waits for budget',
  unknown_paid: 'answer lost',
};

export function statusText(status: string): string {
  return statusWords[status] ?? plain(status);
}
