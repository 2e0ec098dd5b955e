// How likely a change of rank is to meet an alert rule, so that the adaptive plan finds such changes in time.
import { type AlertRule, appliesTo, isKeywordRule, type KeywordRule, matchesRule } from '../changes/alert-rules.ts';
import type { ChangeClass } from '../observation.ts';
import { rankBandOf } from './change-rate.ts';
import { moveSpread, ranksAfterChange } from './move.ts';

/** The probability that the next change from `rank` (null: not found) of a keyword with these tags meets a rule. */
export type AlertChance = (rank: number | null, depth: number, tags: readonly string[]) => number;

/**
 * Prepares the alert rules of a project. Rules about ranks count; those about features, pages and competitors do not
 * depend on the rank. A change counts as significant.
 */
export function alertChances(rules: readonly AlertRule[]): AlertChance {
  const aboutKeywords = rules.filter(isKeywordRule);
  const known = new Map<string, number>();
  return (rank, depth, tags) => {
    const applying = aboutKeywords.filter((rule) => appliesTo(rule, tags));
    if (applying.length === 0) return 0;
    const key = `${rank} ${depth} ${aboutKeywords.map((rule) => (applying.includes(rule) ? 1 : 0)).join('')}`;
    const chance = known.get(key) ?? chanceToMatch(applying, rank, depth);
    known.set(key, chance);
    return chance;
  };
}

function chanceToMatch(rules: readonly KeywordRule[], rank: number | null, depth: number): number {
  const chances = ranksAfterChange(rank, depth, moveSpread(rankBandOf(rank), 0, 0));
  let sum = 0;
  for (const [index, chance] of chances.entries()) {
    const to = index === depth * 10 ? null : index + 1;
    if (rules.some((rule) => matchesRule(rule, changedRow(rank, to, depth)))) sum += chance;
  }
  return sum;
}

function changedRow(from: number | null, to: number | null, depth: number) {
  return {
    rank: to,
    previousRank: from,
    changeClass: changeClassOf(from, to),
    depth,
    previousDepth: depth,
    urlChanged: null,
    significance: 'certain',
    urlIsPreferred: null,
  } as const;
}

function changeClassOf(from: number | null, to: number | null): ChangeClass {
  if (from === to) return 'unchanged';
  if (from === null) return 'entered';
  if (to === null) return 'dropped';
  return to < from ? 'improved' : 'declined';
}
