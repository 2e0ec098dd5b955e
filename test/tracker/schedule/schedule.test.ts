// Every day has its slot, once, across daylight saving, zones, downtime and restarts.
import { describe, expect, it } from 'vitest';
import { dueSlots, lookBackMax, onTimeMs } from '../../../src/tracker/schedule/due-slots.ts';
import {
  isTimeZone,
  localClock,
  localDate,
  localDateTimeKey,
  monthWindowKey,
  toInstant,
} from '../../../src/tracker/schedule/local-time.ts';
import {
  nextSlot,
  previousSlot,
  type Slot,
  type SlotStretch,
  scheduleProblem,
  slotsBetween,
} from '../../../src/tracker/schedule/schedule.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const berlin = 'Europe/Berlin';
const utc = (text: string) => Date.parse(`${text}Z`);
const keys = (slots: readonly Slot[]) => slots.map((slot) => slot.key);
const keysIn = (stretch: SlotStretch | null) =>
  stretch === null
    ? []
    : keys(slotsBetween(stretch.schedule, stretch.timezone, stretch.first.at - 1, stretch.last.at, stretch.count + 1));

describe('slots', () => {
  it('of a 02:30 job come on the spring-forward day once, at the first moment after the gap', () => {
    const slots = slotsBetween('30 2 * * *', berlin, utc('2026-03-27T12:00'), utc('2026-03-30T12:00'), 10);
    expect(keys(slots)).toEqual(['2026-03-28T02:30', '2026-03-29T03:00', '2026-03-30T02:30']);
    expect(slots[1]?.at).toBe(utc('2026-03-29T01:00'));
  });

  it('of a 02:30 job come once on the fall-back day, at the first 02:30', () => {
    const slots = slotsBetween('30 2 * * *', berlin, utc('2026-10-24T12:00'), utc('2026-10-26T12:00'), 10);
    expect(keys(slots)).toEqual(['2026-10-25T02:30', '2026-10-26T02:30']);
    expect(slots[0]?.at).toBe(utc('2026-10-25T00:30'));
    for (const now of ['2026-10-25T00:30', '2026-10-25T01:10', '2026-10-25T01:30', '2026-10-25T01:31']) {
      expect(previousSlot('30 2 * * *', berlin, utc(now))).toEqual(slots[0]);
    }
  });

  it('of a frequent schedule double neither in the gap nor in the repeated hour', () => {
    const spring = slotsBetween('*/30 * * * *', berlin, utc('2026-03-29T00:00'), utc('2026-03-29T02:00'), 100);
    expect(keys(spring)).toEqual(['2026-03-29T01:30', '2026-03-29T03:00', '2026-03-29T03:30', '2026-03-29T04:00']);
    const autumn = slotsBetween('0 * * * *', berlin, utc('2026-10-24T23:00'), utc('2026-10-25T03:00'), 100);
    expect(keys(autumn)).toEqual(['2026-10-25T02:00', '2026-10-25T03:00', '2026-10-25T04:00']);
  });

  it.each([
    ['0 * * * *', 23],
    ['30 * * * *', 23],
    ['59 * * * *', 23],
    ['*/20 * * * *', 69],
    ['* * * * *', 1380],
    ['30 */2 * * *', 12],
    ['30 2 * * *', 1],
    ['0,30 2 * * *', 1],
    ['30 2,3 * * *', 2],
  ])('of %s are %d on the day of 23 hours, computed forward and backward', (cron, count) => {
    const [from, until] = [utc('2026-03-28T22:59'), utc('2026-03-29T21:59')];
    const slots = slotsBetween(cron, berlin, from, until, 9999);
    expect(slots).toHaveLength(count);
    if (count > 23) return; // stepping back is slow if there are many slots
    const backward: Slot[] = [];
    for (let slot = previousSlot(cron, berlin, until); slot !== null && slot.at > from; ) {
      backward.unshift(slot);
      slot = previousSlot(cron, berlin, slot.at - 1);
    }
    expect(backward).toEqual(slots);
  });

  it('of an hourly schedule are 24 on the day of 25 hours: the repeated hour has one', () => {
    const autumn = slotsBetween('30 * * * *', berlin, utc('2026-10-24T21:59'), utc('2026-10-25T22:59'), 99);
    expect(autumn).toHaveLength(24);
  });

  it('stay on their day if the clock skips midnight, and a skipped day has none', () => {
    const nuuk = slotsBetween('30 23 * * *', 'America/Nuuk', utc('2026-03-28T12:00'), utc('2026-03-30T12:00'), 9);
    expect(keys(nuuk)).toEqual(['2026-03-28T22:59', '2026-03-29T23:30']);
    expect(previousSlot('30 23 * * *', 'America/Nuuk', utc('2026-03-29T00:59'))).toEqual(nuuk[0]);
    const apia = slotsBetween('30 2 * * *', 'Pacific/Apia', utc('2011-12-29T00:00'), utc('2012-01-01T00:00'), 9);
    expect(keys(apia)).toEqual(['2011-12-29T02:30', '2011-12-31T02:30', '2012-01-01T02:30']);
  });

  it('are the same slots when computed forward, backward and one by one', () => {
    const from = utc('2026-03-01T00:00');
    const until = utc('2026-04-15T00:00');
    for (const cron of ['30 2 * * *', '0 6 * * 1', '15 2,14 * * *', '0 */5 * * *', '0 0 1,15 * *']) {
      const forward = slotsBetween(cron, berlin, from, until, 1_000);
      const backward: Slot[] = [];
      for (let slot = previousSlot(cron, berlin, until); slot !== null && slot.at > from; ) {
        backward.unshift(slot);
        slot = previousSlot(cron, berlin, slot.at - 1);
      }
      const single: Slot[] = [];
      for (let slot = nextSlot(cron, berlin, from); slot !== null && slot.at <= until; ) {
        single.push(slot);
        slot = nextSlot(cron, berlin, slot.at);
      }
      expect(backward).toEqual(forward);
      expect(single).toEqual(forward);
      expect(forward.length).toBeGreaterThan(2);
    }
  });

  it('are at most as many as requested, the end included and the start not', () => {
    const at = utc('2026-01-02T05:00');
    expect(slotsBetween('0 6 * * *', berlin, at, at + dayMs, 9).map((slot) => slot.at)).toEqual([at + dayMs]);
    expect(slotsBetween('0 6 * * *', berlin, at - 1, at, 9).map((slot) => slot.at)).toEqual([at]);
    expect(slotsBetween('* * * * *', berlin, at, at + dayMs, 5)).toHaveLength(5);
    expect(slotsBetween('0 6 * * *', berlin, at, at + dayMs, 0)).toEqual([]);
  });

  it('give every local day exactly one daily run, in every zone, around every clock change of ten years', () => {
    const from = utc('2017-01-01T00:00');
    const until = utc('2027-01-01T00:00');
    const times = ['0 0', '30 0', '30 1', '30 2', '0 3', '30 23'];
    let days = 0;
    let changes = 0;
    const wrong: string[] = [];
    const zones = Intl.supportedValuesOf('timeZone');
    const seen = new Set<string>();
    for (const zone of zones) {
      const around: number[] = [];
      let fingerprint = '';
      let before = localClock(from, zone) - from;
      for (let at = from; at < until; at += 5 * dayMs) {
        const offset = localClock(at, zone) - at;
        if (offset !== before) {
          around.push(at);
          fingerprint += `${at}:${offset};`;
        }
        before = offset;
      }
      if (seen.has(fingerprint)) continue;
      seen.add(fingerprint);
      changes += around.length;
      around.forEach((at, index) => {
        const time = times[index % times.length] ?? '30 2';
        const slots = slotsBetween(`${time} * * *`, zone, at - 7 * dayMs, at + 2 * dayMs, 99);
        const last = localDate(at + dayMs, zone);
        for (let noon = at - 6 * dayMs; localDate(noon, zone) <= last; noon += dayMs) {
          const day = localDate(noon, zone);
          const count = slots.filter((slot) => slot.key.startsWith(day)).length;
          days += 1;
          if (count !== 1) wrong.push(`${zone} ${day} ${time}: ${count}`);
        }
      });
    }
    const summary = `${days - wrong.length} of ${days} local days had exactly one slot`;
    console.info(`${summary} (${changes} clock changes, ${seen.size} kinds of ${zones.length} zones)`);
    expect(wrong).toEqual([]);
    expect(days).toBeGreaterThan(5_000);
  });
});

describe('due slots', () => {
  const question = { schedule: '0 6 * * *', timezone: berlin, catchUp: 'latest', lastSlot: null } as const;
  const slot = (key: string): Slot => ({ key, at: utc(`${key.slice(0, 10)}T05:00`) });

  it('of a first run are the newest slot that has passed', () => {
    const answer = dueSlots({ ...question, now: utc('2026-01-10T20:00') });
    expect(keys(answer.due)).toEqual(['2026-01-10T06:00']);
    expect(answer.missed).toBeNull();
    expect(answer.next?.key).toBe('2026-01-11T06:00');
    expect(answer.reason).toContain('first run');
  });

  it('are empty before the next one passes', () => {
    const answer = dueSlots({ ...question, lastSlot: slot('2026-01-10T06:00'), now: utc('2026-01-11T04:59') });
    expect(answer).toMatchObject({ due: [], missed: null, next: { key: '2026-01-11T06:00' } });
    expect(answer.reason).toBe('ran for 2026-01-10T06:00, next at 2026-01-11T06:00');
  });

  it('after downtime follow catchUp, and each passed slot is either due or missed', () => {
    const lastSlot = slot('2026-01-10T06:00');
    const now = utc('2026-01-14T08:00');
    const passed = ['2026-01-11T06:00', '2026-01-12T06:00', '2026-01-13T06:00', '2026-01-14T06:00'];
    const latest = dueSlots({ ...question, lastSlot, now });
    expect([keys(latest.due), keysIn(latest.missed)]).toEqual([passed.slice(3), passed.slice(0, 3)]);
    expect(latest.reason).toBe('due at 2026-01-14T06:00; 3 earlier missed');
    const all = dueSlots({ ...question, catchUp: 'all', lastSlot, now });
    expect([keys(all.due), keysIn(all.missed)]).toEqual([passed, []]);
    const none = dueSlots({ ...question, catchUp: 'none', lastSlot, now });
    expect([keys(none.due), keysIn(none.missed)]).toEqual([[], passed]);
    const onTime = dueSlots({ ...question, catchUp: 'none', lastSlot, now: utc('2026-01-14T05:00') + onTimeMs });
    expect([keys(onTime.due), keysIn(onTime.missed)]).toEqual([passed.slice(3), passed.slice(0, 3)]);
  });

  it('never come twice, through any clock changes', () => {
    const run = (now: number, lastSlot: Slot | null) => dueSlots({ ...question, lastSlot, now }).due.at(-1) ?? null;
    const first = run(utc('2026-01-10T08:00'), null);
    expect(run(utc('2026-01-10T09:00'), first)).toBeNull();
    expect(run(utc('2026-01-09T08:00'), first)).toBeNull();
    expect(run(utc('2026-01-10T05:00'), first)).toBeNull();
    expect(dueSlots({ ...question, lastSlot: first, now: utc('2026-01-09T08:00') }).reason).toContain('put back');
    expect(run(utc('2026-01-11T05:00'), first)?.key).toBe('2026-01-11T06:00');
  });

  it('do not come again if a project moves to a zone further west', () => {
    const lastSlot = slot('2026-01-10T06:00');
    const moved = { ...question, timezone: 'America/New_York', lastSlot };
    expect(dueSlots({ ...moved, now: utc('2026-01-10T12:00') }).due).toEqual([]);
    expect(keys(dueSlots({ ...moved, now: utc('2026-01-11T12:00') }).due)).toEqual(['2026-01-11T06:00']);
  });

  it('at each tick through a year with both clock changes are one a day', () => {
    for (const schedule of ['30 2 * * *', '0 6 * * *']) {
      let lastSlot: Slot | null = { key: '2025-12-31T12:00', at: utc('2025-12-31T12:00') };
      const days = new Map<string, number>();
      for (let now = utc('2026-01-01T00:10'); now < utc('2027-01-01T00:00'); now += 7 * hourMs) {
        const answer = dueSlots({ ...question, schedule, catchUp: 'all', lastSlot, now });
        for (const due of answer.due) days.set(due.key.slice(0, 10), (days.get(due.key.slice(0, 10)) ?? 0) + 1);
        lastSlot = answer.due.at(-1) ?? lastSlot;
      }
      expect([days.size, ...new Set(days.values())]).toEqual([365, 1]);
    }
  });

  it('after a long downtime reach back a week of minutes; older ones are one stretch of missed slots', () => {
    const now = utc('2026-01-21T00:00');
    const long = { ...question, schedule: '* * * * *', catchUp: 'all', now } as const;
    const last: Slot = { key: '2026-01-01T01:00', at: utc('2026-01-01T00:00') };
    const { due, tooOld, missed } = dueSlots({ ...long, lastSlot: last });
    expect([missed, due.length, due.at(-1)?.key]).toEqual([null, lookBackMax, '2026-01-21T01:00']);
    // each minute of the twenty days is in one of both
    expect(tooOld).toMatchObject({ first: { key: '2026-01-01T01:01' }, count: 20 * 24 * 60 - lookBackMax });
    expect(nextSlot('* * * * *', berlin, tooOld?.last.at ?? 0)).toEqual(due[0]);
    const latest = dueSlots({ ...long, catchUp: 'latest', lastSlot: last });
    expect([latest.tooOld, latest.missed?.count, keys(latest.due)]).toEqual([
      tooOld,
      lookBackMax - 1,
      ['2026-01-21T01:00'],
    ]);
    expect(latest.reason).toBe(`due at 2026-01-21T01:00; ${20 * 24 * 60 - 1} earlier missed`);
  });

  it('are none without a schedule', () => {
    expect(dueSlots({ ...question, schedule: undefined, now: 0 })).toMatchObject({ due: [], missed: null, next: null });
  });

  it('exclude slots that have a row, after a jump of the clock or of the zone', () => {
    const lastSlot = slot('2026-01-10T06:00');
    const now = utc('2026-01-13T08:00');
    const isSettled = (key: string) => key === '2026-01-12T06:00';
    const answer = dueSlots({ ...question, catchUp: 'all', lastSlot, isSettled, now });
    expect(keys(answer.due)).toEqual(['2026-01-11T06:00', '2026-01-13T06:00']);
    const { missed, passed } = dueSlots({ ...question, catchUp: 'latest', lastSlot, isSettled, now });
    expect([missed?.count, passed?.count]).toEqual([keysIn(missed).length, keysIn(passed).length]);
  });

  it('name a next slot that has not run, where the zone was changed to one that is behind', () => {
    const now = utc('2026-01-12T20:00');
    const isSettled = (key: string) => key <= '2026-01-13T06:00';
    const { due, next } = dueSlots({ ...question, lastSlot: slot('2026-01-12T06:00'), isSettled, now });
    expect([due, next?.key]).toEqual([[], '2026-01-14T06:00']);
  });

  describe('with jitter', () => {
    const jitter = { seed: 'acme ranks', seconds: 3_600 };
    const lastSlot = slot('2026-01-10T06:00');
    const startOf = (seed: string, key: string): number => {
      const at = utc(`${key.slice(0, 10)}T05:00`);
      const asked = { ...question, lastSlot: { key: '', at: at - dayMs }, jitter: { ...jitter, seed }, now: at };
      return (dueSlots(asked).waiting?.startsAt ?? at) - at;
    };

    it('start at their delayed time, and are announced until then', () => {
      const at = utc('2026-01-11T05:00');
      const delay = startOf(jitter.seed, '2026-01-11T06:00');
      expect(delay).toBeGreaterThan(0);
      const before = dueSlots({ ...question, lastSlot, jitter, now: at + delay - 1 });
      expect(before).toMatchObject({
        due: [],
        missed: null,
        waiting: { key: '2026-01-11T06:00', startsAt: at + delay },
      });
      expect(before.reason).toMatch(/^due at 2026-01-11T06:00, starts at 06:\d\d:\d\d \(jitter\)$/);
      const then = dueSlots({ ...question, lastSlot, jitter, now: at + delay });
      expect([keys(then.due), then.waiting]).toEqual([['2026-01-11T06:00'], null]);
    });

    it('are spread evenly over projects and days, the same way each time', () => {
      const delays = Array.from({ length: 1_000 }, (_, index) => startOf(`p${index} ranks`, '2026-01-11T06:00'));
      const days = Array.from({ length: 28 }, (_, day) =>
        startOf('acme', `2026-02-${String(day + 1).padStart(2, '0')}T06:00`),
      );
      const tenths = Array.from(
        { length: 10 },
        (_, tenth) => delays.filter((delay) => Math.floor(delay / 360_000) === tenth).length,
      );
      expect(Math.min(...tenths)).toBeGreaterThan(70);
      expect(Math.max(...tenths)).toBeLessThan(130);
      expect(new Set(days).size).toBe(28);
      expect(delays[7]).toBe(startOf('p7 ranks', '2026-01-11T06:00'));
    });

    it('never wait beyond the next slot, and a schedule of each minute does not wait at all', () => {
      const often = { ...question, jitter, lastSlot: { key: '2026-01-11T05:59', at: utc('2026-01-11T04:59') } };
      for (let minute = 0; minute < 30; minute += 1) {
        const now = utc('2026-01-11T05:00') + minute * 60_000;
        const { waiting } = dueSlots({ ...often, schedule: '*/10 * * * *', now });
        if (waiting !== null) expect(waiting.startsAt).toBeLessThanOrEqual(waiting.at + 9 * 60_000);
        expect(dueSlots({ ...often, schedule: '* * * * *', now }).due).toHaveLength(1);
      }
    });

    it('are on time under `catchUp: none` if their delayed start is', () => {
      const late = utc('2026-01-11T05:00') + startOf(jitter.seed, '2026-01-11T06:00') + onTimeMs;
      const none = { ...question, catchUp: 'none', lastSlot, jitter } as const;
      expect(dueSlots({ ...none, now: late }).due).toHaveLength(1);
      expect(dueSlots({ ...none, now: late + 1 }).missed?.count).toBe(1);
    });

    it('under `catchUp: all` run the earlier slots while the newest waits, and under `latest` wait for it', () => {
      const now = utc('2026-01-13T05:00');
      const all = dueSlots({ ...question, catchUp: 'all', lastSlot, jitter, now });
      expect([keys(all.due), all.waiting?.key]).toEqual([['2026-01-11T06:00', '2026-01-12T06:00'], '2026-01-13T06:00']);
      const latest = dueSlots({ ...question, lastSlot, jitter, now });
      expect([latest.due, latest.missed, latest.waiting?.key]).toEqual([[], null, '2026-01-13T06:00']);
    });
  });
});

describe('the parser of schedules and zones', () => {
  it('refuses invalid ones', () => {
    expect(scheduleProblem('0 6 * * *', berlin)).toBeNull();
    expect(scheduleProblem('@weekly', berlin)).toBeNull();
    expect(scheduleProblem('0 0 31 2 *', berlin)).toContain('never fires');
    expect(scheduleProblem('0 0 6 * * *', berlin)).toContain('is not a schedule');
    expect(scheduleProblem('often', berlin)).toContain('is not a schedule');
    expect(scheduleProblem('99 6 * * *', berlin)).toContain('is not a schedule');
    expect(scheduleProblem('0 6 * * *', 'Mars/Olympus')).toContain('not an IANA time zone');
    expect(isTimeZone('')).toBe(false);
  });

  it('keeps the dates of zones and quarters of an hour apart', () => {
    const zones = [...['Asia/Kathmandu', 'Australia/Lord_Howe', 'America/St_Johns', 'Pacific/Kiritimati', 'UTC']];
    zones.push(berlin, 'Africa/Monrovia', 'America/Lima', 'Pacific/Chatham', 'Asia/Tokyo');
    const wrong: string[] = [];
    for (let step = 0; step < 6_000; step += 1) {
      const at = utc('2026-01-01T00:07') + step * 4.25 * hourMs;
      // more quarters of one zone than are kept, and now and then the same one in all zones
      for (const zone of step % 20 === 0 ? zones : zones.slice(0, 1))
        if (localDate(at, zone) !== localDateTimeKey(at, zone).slice(0, 10)) wrong.push(`${at} ${zone}`);
    }
    expect(wrong).toEqual([]);
  });

  it('writes local times, and reads them back', () => {
    const at = utc('2026-06-30T22:30:15.250');
    expect(localDateTimeKey(at, berlin)).toBe('2026-07-01T00:30');
    expect(localDate(at, berlin)).toBe('2026-07-01');
    expect(localDate(at, 'UTC')).toBe('2026-06-30');
    expect(monthWindowKey(at, berlin)).toBe('2026-07');
    expect(localClock(at, berlin)).toBe(at + 2 * hourMs);
    expect(localClock(-0.5 * dayMs - 250, 'UTC')).toBe(-0.5 * dayMs - 250);
    for (const zone of ['Asia/Kathmandu', 'Australia/Lord_Howe', 'America/St_Johns', 'Pacific/Kiritimati', 'UTC']) {
      for (let moment = utc('2026-01-01T00:00'); moment < utc('2027-01-01T00:00'); moment += 5 * dayMs + 7 * hourMs) {
        expect(toInstant(localClock(moment, zone), zone)).toBe(moment);
      }
    }
  });
});
