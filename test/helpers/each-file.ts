// Runs with each test file. Properties are tested on the same cases each time: what fails, fails on every machine.
import fc from 'fast-check';
import { afterAll, afterEach, beforeEach } from 'vitest';
import { closeOpened, openedSoFar } from './closing.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_260_115 });

let openedBefore = openedSoFar();
beforeEach(() => {
  openedBefore = openedSoFar();
});
afterEach(() => closeOpened(openedBefore));
afterAll(() => closeOpened());
