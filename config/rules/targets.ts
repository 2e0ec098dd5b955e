// Rejects targets that parse but are surely mistakes, and detects overlapping targets.
import { parse as parseHost } from 'tldts';
import type { Target } from '../../src/tracker/project.ts';
import { hostInUrl, matchesTarget, targetKey, targetProblem } from '../../src/tracker/targets/target.ts';

function hostOfTarget({ value }: Target): string {
  return hostInUrl(value.includes('://') ? value : `https://${value}`) ?? value;
}

/** What is wrong with a target; undefined: it names a site, a part of one, or a page. */
export function targetComplaint(target: Target): string | undefined {
  const problem = targetProblem(target);
  if (problem !== null) return problem;
  if (target.match !== 'domain') return undefined;
  const parsed = parseHost(hostOfTarget(target));
  if (parsed.isIp === true)
    return `"${target.value}" is an IP address: write { match: host, value: "${target.value}" }`;
  const suffixOnly = parsed.isIcann === true && parsed.domain === null;
  return suffixOnly ? `"${target.value}" is a public suffix: all sites below it would match` : undefined;
}

/** Whether `outer`, a whole domain or host, includes pages of `inner`. False if both are equal. */
export function coversTarget(outer: Target, inner: Target): boolean {
  if (outer.match !== 'domain' && outer.match !== 'host') return false;
  return targetKey(outer) !== targetKey(inner) && matchesTarget(outer, `https://${hostOfTarget(inner)}/`);
}
