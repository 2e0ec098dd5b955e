// Headline numbers of a report for index.html: written into the head of report.html, and read from there.
import type { Headline } from '../../read/row-sums.ts';
import type { PageFacts } from './data/page-facts.ts';
import { type Markup, trusted } from './text/markup.ts';

/** Of the first own target. */
export interface IndexedHeadline extends Headline {
  readonly target: string;
  /** Percent. */
  readonly shareOfVoice: number | null;
}

/** Bytes to read: the head of a report is much shorter. */
export const headlineBytesMax = 16_384;

const opening = '<script type="application/json" id="report-headline">';

export function headlineElement({ data, competitors }: PageFacts): Markup {
  const [first] = data.project.sums;
  const share = competitors.find(({ isOwn, target }) => isOwn && target === first?.target)?.shareOfVoice ?? null;
  const headline = first === undefined ? null : { ...first, shareOfVoice: share };
  return trusted(`${opening}${JSON.stringify(headline).replaceAll('<', '\\u003c')}</script>`);
}

/** Reads the headline from the first bytes of a report; null: none. */
export function readHeadline(head: string): IndexedHeadline | null {
  const from = head.indexOf(opening);
  const to = head.indexOf('</script>', from);
  if (from === -1 || to === -1) return null;
  try {
    return JSON.parse(head.slice(from + opening.length, to)) as IndexedHeadline | null;
  } catch {
    return null;
  }
}
