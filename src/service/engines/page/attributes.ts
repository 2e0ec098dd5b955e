// Names and values of attributes as they are kept.
import { decodeAttribute } from './entities.ts';
import { sharedNames } from './tags.ts';

/** Frequent names as shared strings, and those of attributes that no parser reads as empty ones. */
const attributeNames: ReadonlyMap<string, string> = new Map([
  ...sharedNames(
    'alt aria-hidden aria-label class data-hveid height href id jsname role src style tabindex title type value width',
  ).map((name): [string, string] => [name, name]),
  ...'data-ved jsdata jsslot ping'.split(' ').map((name): [string, string] => [name, '']),
]);

const [j, s] = [0x6a, 0x73];

/** Empty for attributes that no parser reads; they are half of a page's attribute bytes. */
export function attributeName(html: string, start: number, end: number): string {
  // Of those of scripts, only `jsname` is read.
  if (html.charCodeAt(start) === j && html.charCodeAt(start + 1) === s && end - start !== 'jsname'.length) return '';
  const written = html.slice(start, end);
  return attributeNames.get(written) ?? nameOf(written);
}

function nameOf(written: string): string {
  const name = written.toLowerCase();
  if (name.startsWith('js')) return name === 'jsname' ? name : '';
  return name.startsWith('on') ? '' : (attributeNames.get(name) ?? name);
}

/** Class names and ids are compared as raw values, so they are decoded. Browsers ignore spaces around an address. */
export function attributeValue(name: string, value: string): string {
  if (name === 'href') return value.trim();
  return (name === 'class' || name === 'id') && value.includes('&') ? decodeAttribute(value) : value;
}
