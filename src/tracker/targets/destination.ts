// Where a result leads, by its stored address: a known page, a site only, or nowhere known.

/**
 * `exact`: a URL. `host_only`: the engine hid the page, and history stores the host without a scheme (`shop.example`).
 * `hidden`: the engine's own redirect, whose destination is unknown.
 */
export type Destination = 'exact' | 'host_only' | 'hidden';

export function classifyDestination(address: string): Destination {
  if (isHidden(address)) return 'hidden';
  return hostOfSite(address) === null ? 'exact' : 'host_only';
}

/** The host of a URL, as stored for `host_only` results. A URL without a host is returned unchanged. */
export function siteAddress(url: string): string {
  const host = URL.parse(url)?.hostname ?? '';
  return hostOfSite(host) ?? url;
}

/** The host of a `host_only` address; null for any other. */
export function hostOfSite(address: string): string | null {
  return address.length <= hostCharactersMax && bareHost.test(address) ? address : null;
}

const hostCharactersMax = 253;
const bareHost = /^[^\s/:?#@%]+\.[^\s/:?#@%.]+$/;

/** An opaque redirect: `/goto?url=CAES...`, as engines have written since 2026. */
const redirect = /^(?:https?:\/\/[^/]+)?\/goto\?(?:[^#]*&)?url=(?!https?(?::|%3a))/i;

function isHidden(address: string): boolean {
  return address.includes('/goto?') && redirect.test(address);
}
