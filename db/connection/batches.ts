// Lists: items in batches, and equal texts as one.

/** In their order; the last batch may be smaller. */
export function* batchesOf<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Returns a function that returns the first text that equalled its argument. */
export function sharedTexts(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const first = known.get(text);
    if (first === undefined) known.set(text, text);
    return first ?? text;
  };
}
