// Whether a list of results contradicts its own numbers, or repeats a result.

/** Equal numbers, gaps, and numbers that begin again (a list of several pages) agree. */
export function isOutOfOrder(numbers: readonly number[]): boolean {
  const first = numbers[0];
  return numbers.some((number, nth) => number < (numbers[nth - 1] ?? number) && number !== first);
}

/** Of a result: its address and its title. */
type Listed = readonly [link: string, title: string];

/** How far below itself a result may be again; on a recorded page of 97 results, two are, 15 and 26 results below. */
const repeatDistance = 10;

/** Whether a result is listed again nearby, with the same title. */
export function repeatsNear(listed: readonly Listed[]): boolean {
  const seen = new Map<string, number>();
  return listed.some(([link, title], nth) => {
    const key = `${link} ${title}`;
    const before = seen.get(key);
    seen.set(key, nth);
    return before !== undefined && nth - before < repeatDistance;
  });
}
