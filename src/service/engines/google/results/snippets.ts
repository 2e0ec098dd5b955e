// Detects the featured snippet, and distinguishes it from a first result in a large format.

import { isHidden, textOf } from '../../page/text.ts';
import type { Element } from '../../page/tree.ts';
import type { Headed, PageIndex } from '../page/page-index.ts';
import { zone } from '../page/regions.ts';

export interface Snippets {
  /** Sources of answers, in reading order. */
  readonly sources: readonly Headed[];
  /** Results in the same kind of frame. */
  readonly enlarged: ReadonlySet<Headed>;
}

/**
 * Parses the first named link of every frame of a featured snippet. An answer precedes its source; a large result
 * begins with its title, or with the length of its video.
 */
export function findSnippets(pageIndex: PageIndex): Snippets {
  const sources: Headed[] = [];
  const enlarged = new Set<Headed>();
  const frames = new Set<Element>();
  for (const each of pageIndex.headed) {
    if ((each.zones & zone.snippet) === 0 || (each.zones & elsewhere) !== 0) continue;
    if (each.link.destination === undefined || each.link.isAd) continue;
    const frame = findFrame(each.heading);
    if (frames.has(frame)) continue;
    frames.add(frame);
    if (isAnswer(each, frame)) sources.push(each);
    else enlarged.add(each);
  }
  return { sources, enlarged };
}

/** Panels beside old results, and answers to questions, have the same frame. */
const elsewhere = zone.question | zone.side | zone.ad | zone.carousel | zone.overview | zone.hidden | zone.furniture;

function findFrame(element: Element): Element {
  let frame = element;
  while (frame.parent !== null && (frame.parent.zones & zone.snippet) !== 0) frame = frame.parent;
  return frame;
}

function isAnswer({ anchor, heading, zones }: Headed, frame: Element): boolean {
  // Only answers have been in a separate component (since 2021) or in an attribute.
  if (frame.tag === 'block-component' || (zones & zone.attribute) !== 0) return true;
  const first = heading.order < anchor.order ? heading : anchor;
  // The text around the link goes on after it: only what comes before it is an answer.
  for (let at = first; at !== frame && at.parent !== null; at = at.parent) {
    for (const child of at.parent.children) {
      if (child === at) break;
      if (typeof child === 'string' ? /\p{L}/u.test(child) : !isHidden(child) && /\p{L}/u.test(textOf(child)))
        return true;
    }
  }
  return false;
}
