// Helpers for measurements: time a piece of work, take a median.

/** Milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Milliseconds of processor time, which other processes do not add to. */
export function worked(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

const roundsMin = 2;
const roundsMax = 8;
const repeatedMs = 3_000;

/**
 * Milliseconds of processor time of the fastest round: other load only adds. Work of a second or less is repeated for
 * three: the second of two rounds still pays for compilation, which is a third of such short work.
 */
export function fastest(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0, sum = 0; round < roundsMin || (round < roundsMax && sum < repeatedMs); round += 1) {
    const ms = worked(work);
    sum += ms;
    least = Math.min(least, ms);
  }
  return least;
}
