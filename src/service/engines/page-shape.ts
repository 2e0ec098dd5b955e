// Compares two parsed pages: the same elements in the same order, with equal texts and links.
import { type PageFailureReason, ServiceError } from '../model/errors.ts';
import type { ReadPage } from '../model/results/serp.ts';
import type { Engine, PageContext } from './engine.ts';

/** The outcome of parsing: a SERP with features, or the reason for rejecting the page. */
export type PageOutcome = ReadPage | { readonly refused: PageFailureReason };

export function readPageOutcome(engine: Engine, html: string, context: PageContext): PageOutcome {
  try {
    return engine.parse(html, context);
  } catch (error) {
    if (error instanceof ServiceError && error.reason !== undefined) return { refused: error.reason };
    throw error;
  }
}

/** Fields whose words are ours, not the page's. */
const ownWords = new Set(['type', 'destination_state', 'refused', 'doubts']);
/** Numbers that a page shows: a fixture has others. */
const pageNumbers = new Set(['duration_sec', 'rating', 'reviews']);

/** The differences in shape between two outcomes, each as a path with both values; empty if there are none. */
export function differences(original: PageOutcome, fixture: PageOutcome): string[] {
  const [ours, theirs] = [listLeaves(original), listLeaves(fixture)];
  const paths = new Set([...ours.keys(), ...theirs.keys()]);
  return [...paths].flatMap((path) => {
    const [before = 'absent', after = 'absent'] = [ours.get(path), theirs.get(path)];
    return before === after ? [] : [`${path}: ${before}; in the fixture ${after}`];
  });
}

/** Every value by its path. A text is numbered by its first position, so that equal texts have equal numbers. */
function listLeaves(root: unknown): Map<string, string> {
  const leaves = new Map<string, string>();
  const texts = new Map<string, string>();
  const visit = (value: unknown, path: string, key: string): void => {
    if (typeof value === 'object' && value !== null) {
      if (Array.isArray(value)) leaves.set(`${path}.length`, String(value.length));
      for (const [name, inner] of Object.entries(value))
        visit(inner, path === '' ? name : `${path}.${name}`, Array.isArray(value) ? key : name);
    } else if (typeof value === 'string' && !ownWords.has(key)) {
      const first = texts.get(readable(value)) ?? path;
      texts.set(readable(value), first);
      leaves.set(path, first === path ? 'a new text' : `the text of ${first}`);
    } else leaves.set(path, pageNumbers.has(key) ? 'a number' : String(value));
  };
  visit(root, '', '');
  return leaves;
}

/** An address without percent-encoding: placeholders have no accents. */
function readable(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
