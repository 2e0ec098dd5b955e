// Every IANA zone, ten years of a daily 02:30 job, day by day; `npm test` does the same for one zone of each kind.
import { dailySlots } from '../helpers/zones.ts';

/** The number of wrong days. */
export async function zonesTorture(report: (line: string) => void): Promise<number> {
  const zones = Intl.supportedValuesOf('timeZone');
  let days = 0;
  let violations = 0;
  for (const zone of zones) {
    const verdict = dailySlots(zone);
    days += verdict.days;
    violations += verdict.wrong.length;
    for (const line of verdict.wrong.slice(0, 5)) report(line);
  }
  report(
    `${zones.length} zones, ten years of a daily 02:30 job: ${days - violations} of ${days} local days have exactly one slot`,
  );
  return violations;
}
