// Names and values of attributes as they are kept.
import { decodeAttribute } from './entities.ts';
import { sharedNames } from './tags.ts';

/** Frequent names as shared strings, and those of attributes that no parser reads as empty ones. */
const attributeNames: ReadonlyMap<string, string> = new Map([
  ...sharedNames(
    'alt aria-hidden aria-label class data-hveid height href id jsname role src style tabindex title type value width',
  ).map((name): [string, string] => [name, name]),
  ...'data-ved jsaction jscontroller jsdata jsmodel jsshadow jsslot ping'
    .split(' ')
    .map((name): [string, string] => [name, '']),
]);

/** Empty for attributes that no parser reads; they are half of a page's attribute bytes. */
export function attributeName(written: string): string {
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
