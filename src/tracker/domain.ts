// The registrable domain of a host: what reports mean by "a domain". Which host a URL has is target.ts's part.
import { getDomain } from 'tldts';

/**
 * `shop.example.co.uk` -> `example.co.uk`, by the public suffix list. Sites below a shared suffix such as `github.io` are domains of their own, because
 * other people own the others. A host without such a domain (an address, a name in a local network) stands for itself.
 */
export function registrableDomain(host: string): string {
  return getDomain(host, { allowPrivateDomains: true, extractHostname: false }) ?? host;
}
