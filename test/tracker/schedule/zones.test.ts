// IANA zones, ten years, a daily job at 02:30: exactly one slot a local day.
import { expect, it } from 'vitest';
import { dailySlots, kindsOfZones } from '../../helpers/zones.ts';

it('a daily job has one slot on each local day of ten years, in IANA zones of every kind', () => {
  const all = Intl.supportedValuesOf('timeZone').filter((_, nth) => nth % 60 === 0);
  const kinds = kindsOfZones(all);
  const verdicts = [...kinds.values()].map((zones) => ({ zones, ...dailySlots(zones[0] ?? 'UTC') }));
  const zones = verdicts.reduce((sum, verdict) => sum + verdict.zones.length, 0);
  const days = verdicts.reduce((sum, verdict) => sum + verdict.zones.length * verdict.days, 0);
  const wrong = verdicts.flatMap((verdict) => verdict.wrong);
  const summary = `${zones} zones (${kinds.size} kinds of clock) x ten years of a daily 02:30 job`;
  console.info(`${summary}: ${wrong.length} of ${days} local days without exactly one slot`);
  expect(wrong).toEqual([]);
  expect(zones).toBe(all.length);
});
