// Numbers as people read them.
import { expect, it } from 'vitest';
import {
  counted,
  day,
  direction,
  number,
  percent,
  plain,
  signed,
  statusText,
} from '../../../src/workspace/client/words.js';

it('writes a missing value as a dash, never as a number', () => {
  expect([number(null), percent(undefined), signed(null), day(null)]).toEqual(['–', '–', '–', '–']);
});

it('writes changes with their sign and direction', () => {
  expect([signed(3), signed(-2.345, 2), signed(0.001, 1)]).toEqual(['+3', '−2.35', '0']);
  expect([direction(3), direction(-1), direction(0), direction(null)]).toEqual(['up', 'down', 'flat', 'flat']);
  // what is written as 0 has no colour
  expect([direction(-0.4), signed(-0.4), direction(-0.4, 1), signed(-0.4, 1)]).toEqual(['flat', '0', 'down', '−0.4']);
});

it('writes dates, shares and codes as words', () => {
  expect([day('2026-11-20'), percent(3.4369), percent(12.34)]).toEqual(['20 Nov 2026', '3.44%', '12.3%']);
  expect([statusText('not_found'), plain('people_also_ask')]).toEqual(['not found', 'people also ask']);
});

it('counts one thing and several', () => {
  expect([counted(1, 'row'), counted(1200, 'row'), counted(2, 'query', 'queries')]).toEqual([
    '1 row',
    '1,200 rows',
    '2 queries',
  ]);
});
