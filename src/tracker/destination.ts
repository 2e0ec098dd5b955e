// What a result's address as history writes it says of where the result leads: a page, a site alone, or nothing.

/**
 * `exact`: a URL. `host_only`: the engine hid the page, and history has the host of its site without a scheme (`shop.example`). `hidden`: the engine's own
 * redirect, which may lead anywhere.
 */
export type Destination = 'exact' | 'host_only' | 'hidden';

export function destinationOf(address: string): Destination {
  if (isHidden(address)) return 'hidden';
  return siteIn(address) === null ? 'exact' : 'host_only';
}

/** The site of a URL as history writes it where the page is not known. The URL itself where it has no host. */
export function siteAlone(url: string): string {
  const host = URL.parse(url)?.hostname ?? '';
  return siteIn(host) ?? url;
}

/** The host of an address that is a site alone; null for any other. */
export function siteIn(address: string): string | null {
  return address.length <= hostCharactersMax && bareHost.test(address) ? address : null;
}

const hostCharactersMax = 253;
const bareHost = /^[^\s/:?#@%]+\.[^\s/:?#@%.]+$/;

/** A token in place of an address: `/goto?url=CAES...`, as engines have written since 2026. */
const redirect = /^(?:https?:\/\/[^/]+)?\/goto\?(?:[^#]*&)?url=(?!https?(?::|%3a))/i;

function isHidden(address: string): boolean {
  return address.includes('/goto?') && redirect.test(address);
}
