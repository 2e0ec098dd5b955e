// Durations (90s, 30m, 12h, 7d) in milliseconds. Calendar months and years have no fixed length and are rejected.

const unitMs = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
]);

/** Also used by the JSON schema. */
export const durationPattern = /^(\d{1,6})(s|m|h|d|w)$/;

/** Milliseconds of `90s`, `30m`, `12h`, `7d` or `2w`. Throws RangeError for other texts. */
export function durationMs(written: string): number {
  const match = durationPattern.exec(written);
  const unit = unitMs.get(match?.[2] ?? '');
  if (match?.[1] === undefined || unit === undefined) throw new RangeError(`not a duration: ${written}`);
  return Number(match[1]) * unit;
}
