// Equal texts as one: SQLite returns, and joining makes, a copy per row.

/** Returns a function that returns the first text that equalled its argument. */
export function sharedTexts(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const first = known.get(text);
    if (first === undefined) known.set(text, text);
    return first ?? text;
  };
}
