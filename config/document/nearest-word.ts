// Finds the known word that a misspelt one probably means.

/** Number of single-letter edits between two words; swapping neighbours counts as one. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let edits = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) edits = Math.min(edits, (beforeLast[j - 2] ?? 0) + 1);
      row.push(edits);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

/** The most similar known word; undefined: none is similar. */
export function nearestWord(written: string, known: Iterable<string>): string | undefined {
  const word = written.toLowerCase().slice(0, 64);
  let nearest: string | undefined;
  let fewest = word.length <= 4 ? 1.5 : 2.5;
  for (const candidate of known) {
    const name = candidate.toLowerCase();
    const edits = name.startsWith(word) && word.length >= 4 ? 1 : editDistance(word, name);
    if (edits < fewest) {
      nearest = candidate;
      fewest = edits;
    }
  }
  return nearest;
}
