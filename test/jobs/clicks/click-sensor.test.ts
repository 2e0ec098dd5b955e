// The sensor over stored days: only days that no check has seen yet, and only final ones.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStore } from '../../../db/store.ts';
import { clickSensor } from '../../../jobs/clicks/click-sensor.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { clickRow, putClicks } from '../../helpers/click-days.ts';
import { temporaryFolder } from '../../helpers/closing.ts';

const day = (date: number) => `2026-01-${String(date).padStart(2, '0')}`;
const moment = Date.parse('2026-01-21T12:00:00Z');
const project = {
  id: 'acme',
  timezone: 'UTC',
  targets: [{ match: 'domain', value: 'acme.com' }],
} as unknown as Project; // what the sensor reads

it('a position that moved since the last check raises the rate, and one that a check has seen does not', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'data'), { recursive: true });
  const at = (position: number) => [clickRow('running shoes', 4, 100, { averagePosition: position })];
  putClicks(folder, [
    ...Array.from({ length: 14 }, (_, index) => ({ date: day(index + 2), rows: at(4) })),
    ...[16, 17, 18].map((date) => ({ date: day(date), rows: at(9) })),
    { date: day(19), isFinal: false, rows: at(90) },
  ]);
  const store = openStore(join(folder, 'data/rankledger.sqlite'));
  try {
    const sensor = clickSensor(store, project, moment);
    const search = { keyword: 'Running  Shoes', market: { country: 'US', device: 'desktop' } };
    expect(sensor(search, Date.parse('2026-01-15T06:00:00Z'))).toBe(3);
    expect(sensor(search, Date.parse('2026-01-18T06:00:00Z'))).toBe(1);
    expect(sensor(search, null)).toBe(1);
    expect(sensor({ ...search, market: { country: 'DE', device: 'desktop' } }, 0)).toBe(1);
    expect(sensor({ ...search, market: { ...search.market, location: 'Austin' } }, 0)).toBe(1);
    expect(clickSensor(store, { ...project, id: 'other' }, moment)(search, 0)).toBe(1);
  } finally {
    store.close();
  }
});
