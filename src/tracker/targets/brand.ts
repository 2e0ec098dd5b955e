// The brand names of a project: those in the config, else those derived from its targets.

import type { Project } from '../project.ts';
import { registrableDomain } from './domain.ts';
import { hostInUrl } from './target.ts';

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
