// What this browser remembers: columns and own views. A browser that stores nothing still works.

/** @param {string} key @returns {unknown} null: nothing is stored */
export function recall(key) {
  try {
    return JSON.parse(localStorage.getItem(`rankledger.${key}`) ?? 'null');
  } catch {
    return null;
  }
}

/** @param {string} key @param {unknown} value null: forget it */
export function remember(key, value) {
  try {
    if (value === null) localStorage.removeItem(`rankledger.${key}`);
    else localStorage.setItem(`rankledger.${key}`, JSON.stringify(value));
  } catch {
    // it lasts as long as the page is open
  }
}
