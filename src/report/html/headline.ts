// Headline numbers of a report for index.html: written into the head of report.html, and read from there.
import { changeOver, mean, type Sums } from '../../rows/sums.ts';
import type { PageFacts } from './data/page-facts.ts';
import { difference, inTop } from './sections/overview.ts';
import { trusted } from './text/markup.ts';

/** Of the first own target. Null: no number. */
export interface Headline {
  readonly target: string;
  /** Percent, and percentage points. */
  readonly visibility: number | null;
  readonly visibilityChange: number | null;
  readonly shareOfVoice: number | null;
  readonly averageRank: number | null;
  readonly top3: number | null;
  readonly top10: number | null;
  readonly checked: number;
  /** Number of rows in the change. */
  readonly comparable: number;
  readonly total: number;
}

/** Bytes to read: the head of a report is much shorter. */
export const headlineBytesMax = 16_384;

function computeHeadline({ summary, competitors }: PageFacts): Headline | null {
  const line = summary.find(({ scope }) => scope === 'project');
  if (line === undefined) return null;
  const { target, sums }: { target: string; sums: Sums } = line;
  return {
    target,
    visibility: sums.visibility.percent(),
    visibilityChange: changeOver(sums, difference(sums.comparableNow.percent(), sums.comparableBefore.percent())),
    shareOfVoice: competitors.find((one) => one.isOwn && one.target === target)?.shareOfVoice ?? null,
    averageRank: mean(sums.ranked),
    top3: inTop(sums, 3),
    top10: inTop(sums, 10),
    checked: sums.checked,
    comparable: sums.comparable,
    total: sums.total,
  };
}

const opening = '<script type="application/json" id="report-headline">';

export function headlineElement(facts: PageFacts) {
  return trusted(`${opening}${JSON.stringify(computeHeadline(facts)).replaceAll('<', '\\u003c')}</script>`);
}

/** Reads the headline from the first bytes of a report; null: none. */
export function readHeadline(head: string): Headline | null {
  const from = head.indexOf(opening);
  const to = head.indexOf('</script>', from);
  if (from === -1 || to === -1) return null;
  try {
    return JSON.parse(head.slice(from + opening.length, to)) as Headline | null;
  } catch {
    return null;
  }
}
