// The filter of the keyword table that shows the rows of a segment.

/** @typedef {import('../contract.ts').SegmentKind} SegmentKind */

/** @type {readonly { readonly kind: SegmentKind, readonly label: string }[]} */
export const segmentKinds = Object.freeze([
  { kind: 'tag', label: 'Tags' },
  { kind: 'market', label: 'Markets' },
  { kind: 'device', label: 'Devices' },
  { kind: 'country', label: 'Countries' },
  { kind: 'target', label: 'Targets' },
  { kind: 'intent', label: 'Intents' },
  { kind: 'view', label: 'Saved views' },
]);

const intents = ['commercial', 'informational', 'navigational', 'transactional'];

/**
 * Adds the filter of a segment to a query. The segment without a name has the rows without a tag or intent.
 * @param {URLSearchParams} query
 * @param {SegmentKind} by
 * @param {string} segment
 * @param {Pick<import('../records.ts').ProjectFacts, 'tags' | 'views'>} facts
 */
export function segmentQuery(query, by, segment, { tags, views }) {
  const next = new URLSearchParams(query);
  if (by === 'view') {
    const saved = new URLSearchParams(views.find(({ name }) => name === segment)?.query ?? '');
    for (const name of new Set(saved.keys())) if (name !== 'tag') next.delete(name);
    for (const [name, value] of saved) next.append(name, value);
    return next;
  }
  const none = (/** @type {readonly string[]} */ values) => values.map((value) => `!${value}`).join('|');
  const value = segment !== '' ? segment : none(by === 'tag' ? tags : intents);
  // a second tag narrows, any other filter is replaced
  if (by === 'tag') next.append('tag', value);
  else next.set(by, value);
  return next;
}
