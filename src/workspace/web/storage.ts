// What this browser remembers: columns, density, own views. A browser that stores nothing still works.

/** Null: nothing is stored. */
export function recall(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(`rankledger.${key}`) ?? 'null');
  } catch {
    return null;
  }
}

/** Null: forget it. */
export function remember(key: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(`rankledger.${key}`);
    else localStorage.setItem(`rankledger.${key}`, JSON.stringify(value));
  } catch {
    // it lasts as long as the page is open
  }
}
