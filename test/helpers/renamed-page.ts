// A recorded page under other names: each value of an attribute is replaced, the same way each time.

/** Numbers from 0 to 1, the same ones each time (Numerical Recipes' generator). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Other names for the values of an attribute, equal for equal values. `share`: the share replaced, 0 to 1. */
export function renamed(html: string, attribute: string, random: () => number, share = 1): string {
  const names = new Map<string, string>();
  const nameOf = (value: string): string => {
    const known = names.get(value);
    if (known !== undefined) return known;
    const name = random() < share ? `x${Math.floor(random() * 2 ** 32).toString(36)}` : value;
    names.set(value, name);
    return name;
  };
  return html.replace(
    new RegExp(`(\\s${attribute}=)("[^"]*"|'[^']*'|[^\\s>"']+)`, 'g'),
    (_, start: string, raw: string) => {
      const values = raw.replace(/^["']|["']$/g, '').split(/\s+/);
      return `${start}"${values.map((value) => (value === '' ? '' : nameOf(value))).join(' ')}"`;
    },
  );
}
