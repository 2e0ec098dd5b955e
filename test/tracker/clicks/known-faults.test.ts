// Known faults of measured numbers: which days they leave.
import { expect, it } from 'vitest';
import { faultsIn, soundPeriods } from '../../../src/tracker/clicks/known-faults.ts';

it.each([
  ['before it', '2025-05-01', '2025-05-12', [['2025-05-01', '2025-05-12']]],
  ['into it', '2025-05-01', '2025-05-13', [['2025-05-01', '2025-05-12']]],
  ['within it', '2025-05-13', '2026-04-27', []],
  ['out of it', '2026-04-27', '2026-04-28', [['2026-04-28', '2026-04-28']]],
  [
    'around it',
    '2025-05-12',
    '2026-04-28',
    [
      ['2025-05-12', '2025-05-12'],
      ['2026-04-28', '2026-04-28'],
    ],
  ],
  ['after it', '2026-04-28', '2026-05-28', [['2026-04-28', '2026-05-28']]],
] as const)('a period that lies %s keeps its days without the fault', (_where, from, to, sound) => {
  expect(soundPeriods(from, to).map((period) => [period.from, period.to])).toEqual(sound);
  expect(faultsIn(from, to)).toHaveLength(sound.length === 1 && sound[0][0] === from && sound[0][1] === to ? 0 : 1);
});
