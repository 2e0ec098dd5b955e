// Formats moments and amounts on the dashboard.
import { type Html, html } from './markup.ts';

/** `1,234`. */
export function count(number: number): string {
  return number.toLocaleString('en-US');
}

/** Micro-USD as dollars with all their decimals, at least two: `-$0.015`. */
export function dollars(microUsd: number): string {
  return `${microUsd < 0 ? '-' : ''}$${decimalUsd(Math.abs(microUsd))}`;
}

/** Micro-USD as a plain decimal number, at least two decimals. */
export function decimalUsd(microUsd: number): string {
  const whole = Math.trunc(Math.abs(microUsd) / 1_000_000);
  const fraction = String(Math.abs(microUsd) % 1_000_000).padStart(6, '0');
  return `${microUsd < 0 ? '-' : ''}${whole}.${fraction.replace(/0{1,4}$/, '')}`;
}

/** A moment in UTC, to the second. */
export function moment(at: number): Html {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`;
}
