// What the tracker's own reading of a target does not refuse but nobody can mean, and when two targets speak of the same pages.
import { parse as parseHost } from 'tldts';
import type { Target } from '../src/tracker/project.ts';
import { hostOf, matchesTarget, targetKey, targetProblem } from '../src/tracker/target.ts';

function hostOfTarget({ value }: Target): string {
  return hostOf(value.includes('://') ? value : `https://${value}`) ?? value;
}

/** What is wrong with a target; undefined where it can be matched and names a site or a part of one. */
export function targetComplaint(target: Target): string | undefined {
  const problem = targetProblem(target);
  if (problem !== null) return problem;
  if (target.match !== 'domain') return undefined;
  const parsed = parseHost(hostOfTarget(target));
  if (parsed.isIp === true) return `"${target.value}" is an address: write { match: host, value: "${target.value}" }`;
  const suffixOnly = parsed.isIcann === true && parsed.domain === null;
  return suffixOnly ? `"${target.value}" is no site: every site below it would match` : undefined;
}

/** Whether `outer`, a whole domain or host, takes in pages of `inner`. False where both look for exactly the same. */
export function coversTarget(outer: Target, inner: Target): boolean {
  if (outer.match !== 'domain' && outer.match !== 'host') return false;
  return targetKey(outer) !== targetKey(inner) && matchesTarget(outer, `https://${hostOfTarget(inner)}/`);
}
