// Registrable domains, and the brand names of a project: those in the config, else those derived from its targets.
import { getDomain, parse } from 'tldts';
import type { Project } from '../project.ts';
import { hostInUrl } from './target.ts';

/**
 * `shop.example.co.uk` -> `example.co.uk`, by the public suffix list. Sites below a shared suffix such as `github.io`
 * are separate domains, because they have different owners. A host without a registrable domain (an IP address, a local
 * name) is returned unchanged.
 */
export function registrableDomain(host: string): string {
  return getDomain(host, { allowPrivateDomains: true, extractHostname: false }) ?? host;
}

/** Whether a word is a host below a suffix where domains are registered: `acme.com`, not `com` or `notes.yaml`. */
export function isPublicDomain(word: string): boolean {
  const { domain, isIcann } = parse(word, { extractHostname: false });
  return domain !== null && isIcann === true;
}

/** `acme.com` and `https://shop.acme.com/x` -> `acme`. An IP address gives none. */
export function deriveBrandTerms({ brandTerms, targets }: Pick<Project, 'brandTerms' | 'targets'>): readonly string[] {
  if (brandTerms !== undefined) return brandTerms;
  const names = targets.flatMap(({ match, value }) => {
    if (match === 'place') return [];
    const host = hostInUrl(value.includes('://') ? value : `https://${value}`);
    if (host === null || /^[\d.:[\]]+$/.test(host)) return [];
    return registrableDomain(host).split('.')[0] ?? [];
  });
  return [...new Set(names)];
}
