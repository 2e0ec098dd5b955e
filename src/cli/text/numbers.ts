// Numbers as people read them. JSON and CSV get them plain.

import { plural } from '../../tracker/figures.ts';
import type { DollarRange } from '../../tracker/page-price.ts';

/** `1,234`, `0.5`. Without `Intl`, whose first number takes longer than most commands. */
export function amount(number: number): string {
  const [whole = '', fraction] = `${Math.round(number * 100) / 100}`.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** `+1,203`, `-4`, `0`. */
export function signedAmount(number: number): string {
  return number > 0 ? `+${amount(number)}` : amount(number);
}

/** `1 search`, `2 searches`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${amount(count)} ${plural(count, one, many)}`;
}

/** Micro-USD in dollars with at least two decimals, never rounded: `$0.01`, `$12.0003`. */
export function dollars(microUsd: number): string {
  const [whole = '0', fraction = ''] = (Math.abs(microUsd) / 1_000_000).toFixed(6).split('.');
  const decimals = fraction.replace(/0+$/, '').padEnd(2, '0');
  return `${microUsd < 0 ? '-' : ''}$${amount(Number(whole))}.${decimals}`;
}

/** `$46.60 to $93.00`; `-`: unknown. */
export function dollarRange(range: DollarRange | null, write: (microUsd: number) => string = dollars): string {
  if (range === null) return '-';
  const [least, most] = [write(range.least), write(range.most)];
  return least === most ? least : `${least} to ${most}`;
}

/** The cost of a keyword in a month, which is small, with three digits: `$0.0279 to $0.093`. */
export function keywordMonthText(range: DollarRange | null): string {
  return dollarRange(range, (microUsd) => dollars(Number(microUsd.toPrecision(3))));
}

/** `0 MB`, `0.4 MB`, `12 MB`, `1,203 MB`; only 0 is shown as 0. */
export function megabytes(bytes: number): string {
  const count = bytes / 1e6;
  if (count >= 10 || count === 0) return `${amount(Math.round(count))} MB`;
  return `${Math.max(0.1, Math.round(count * 10) / 10)} MB`;
}

/** `45 s`, `3 min`, `2 h 10 min`. */
export function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A share with one decimal: `99.5 %`; `-`: unknown. */
export function percent(share: number | undefined): string {
  return share === undefined ? '-' : `${(100 * share).toFixed(1)} %`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Of two ISO dates: `2 to 21 Nov`, `30 Oct to 2 Nov`, `30 Dec 2025 to 2 Jan 2026`, `2 Nov`. */
export function dateRange(first: string, last: string): string {
  const [firstYear, firstMonth = 1, firstDay] = first.slice(0, 10).split('-').map(Number);
  const [year, month = 1, day] = last.slice(0, 10).split('-').map(Number);
  const [from, to] = [`${firstDay} ${months[firstMonth - 1]}`, `${day} ${months[month - 1]}`];
  if (firstYear !== year) return `${from} ${firstYear} to ${to} ${year}`;
  if (from === to) return to;
  return `${firstMonth === month ? firstDay : from} to ${to}`;
}
