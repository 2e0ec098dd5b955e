// Runs with each test file. Properties are tested on the same cases each time: what fails, fails on every machine.
import fc from 'fast-check';
import { afterAll } from 'vitest';
import { closeMemoryAccounts } from './memory-accounts.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_260_115 });

afterAll(closeMemoryAccounts);
