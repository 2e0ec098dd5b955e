// The progress line: how often it is redrawn, and its estimate.
import { expect, test } from 'vitest';
import type { RunProgress } from '../../../src/app/runs/run.ts';
import { Printer } from '../../../src/cli/terminal/printer.ts';
import { Progress, progressState } from '../../../src/cli/terminal/progress.ts';
import { TextStream } from '../fake-host.ts';

test('progress is redrawn ten times per second at most, and estimated from the current stage', () => {
  const stream = new TextStream(true);
  let now = 0;
  const progress = new Progress(new Printer(stream), () => now, true);
  const at = (ms: number, done: number) => {
    now = ms;
    progress.update({ label: 'Checking searches', done, total: 1_000, creditsSpent: 0 });
  };
  at(0, 200);
  at(50, 201);
  at(4_000, 300);
  expect(stream.text.split('\r\u001B[2K').slice(1)).toEqual([
    'Checking searches 200 of 1,000',
    'Checking searches 300 of 1,000 | about 28 s left',
  ]);
  progress.clear();
  expect(stream.text.endsWith('\r\u001B[2K')).toBe(true);
});

test('off a terminal, short work is silent and long work writes a line every five minutes', () => {
  const stream = new TextStream(false);
  let now = 0;
  const progress = new Progress(new Printer(stream), () => now, true);
  for (; now < 400_000; now += 1_000) {
    progress.update({ label: 'Checking searches', done: now / 1_000, total: 1_000, creditsSpent: 3 });
    if (now === 59_000) expect(stream.text).toBe('');
  }
  progress.clear();
  expect(stream.text).toBe(
    'Checking searches 60 of 1,000 | 3 credits | about 16 min left\n' +
      'Checking searches 360 of 1,000 | 3 credits | about 11 min left\n',
  );
});

test('off a terminal, a command that a person waits for writes a line every few seconds', () => {
  const stream = new TextStream(false);
  let now = 0;
  const progress = new Progress(new Printer(stream), () => now, true);
  for (; now < 10_000; now += 500)
    progress.update({ label: 'Simulating days', done: now / 500, total: 30, creditsSpent: 0, everyMs: 3000 });
  expect(stream.text.split('\n').map((line) => line.split(' | ')[0])).toEqual([
    'Simulating days 6 of 30',
    'Simulating days 12 of 30',
    'Simulating days 18 of 30',
    '',
  ]);
});

test('progress names a wait at once, and returns to the estimate when it is over', () => {
  const stream = new TextStream(true);
  let now = 0;
  const progress = new Progress(new Printer(stream), () => now, true);
  const at = (ms: number, done: number, waits: RunProgress['waits'] = []) => {
    now = ms;
    progress.update(progressState({ phase: 'checking', done, total: 1_000, creditsSpent: 0, waits }));
  };
  const until = Date.UTC(2026, 0, 15, 12, 30, 5);
  const shown = new Date(until).toTimeString().slice(0, 8);
  at(0, 0);
  at(10, 0, [{ service: 'vendor', until, why: 'failing' }]);
  at(20, 0, [{ service: 'vendor', until, why: 'failing' }]);
  at(30, 0, [{ service: 'vendor', until, why: 'asked' }]);
  at(40, 0, [{ service: 'vendor', until, why: 'cut' }]);
  at(4_000, 100);
  expect(stream.text.split('\r\u001B[2K').slice(1)).toEqual([
    'Checking searches 0 of 1,000',
    `Checking searches 0 of 1,000 | service vendor is failing, next try at ${shown}`,
    `Checking searches 0 of 1,000 | service vendor requires a wait until ${shown}`,
    `Checking searches 0 of 1,000 | service vendor requires a long wait, next try at ${shown}`,
    'Checking searches 100 of 1,000 | about 36 s left',
  ]);
});

test('off a terminal, a long wait is written at once, and again only when it becomes much longer', () => {
  const stream = new TextStream(false);
  const progress = new Progress(new Printer(stream), () => now, true);
  const start = Date.UTC(2026, 0, 15, 12);
  let now = start;
  const waitUntil = (seconds: number) =>
    progress.update(
      progressState({
        phase: 'checking',
        done: 3,
        total: 8,
        creditsSpent: 0,
        waits: [{ service: 'vendor', until: start + seconds * 1000, why: 'asked' }],
      }),
    );
  const shown = (seconds: number) => new Date(start + seconds * 1000).toTimeString().slice(0, 8);
  waitUntil(10);
  expect(stream.text).toBe('');
  waitUntil(40);
  now += 2_000;
  waitUntil(42);
  waitUntil(3600);
  expect(stream.text.split('\n')).toEqual([
    `Checking searches 3 of 8 | service vendor requires a wait until ${shown(40)}`,
    `Checking searches 3 of 8 | service vendor requires a wait until ${shown(3600)}`,
    '',
  ]);
});

test('a sentence for the operator has its own line, once, and none where the log has it', () => {
  const [stream, logged] = [new TextStream(false), new TextStream(false)];
  const progress = new Progress(new Printer(stream), () => 0, true);
  for (const sentence of ['Redis is away.', 'Redis is away.', 'Redis is back.']) progress.note(sentence);
  expect(stream.text).toBe('Redis is away.\nRedis is back.\n');
  new Progress(new Printer(logged), () => 0, false).note('Redis is away.');
  expect(logged.text).toBe('');
});
