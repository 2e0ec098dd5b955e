// The registrable domain of a host: what reports mean by "a domain".
import { getDomain } from 'tldts';

/**
 * `shop.example.co.uk` -> `example.co.uk`, by the public suffix list. Sites below a shared suffix such as `github.io`
 * are separate domains, because they have different owners. A host without a registrable domain (an IP address, a local
 * name) is returned unchanged.
 */
export function registrableDomain(host: string): string {
  return getDomain(host, { allowPrivateDomains: true, extractHostname: false }) ?? host;
}
