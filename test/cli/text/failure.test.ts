// System failures as text for the operator: a message and a remedy, never an unexpected error.
import { describe, expect, it } from 'vitest';
import { describeFailure } from '../../../src/cli/text/failure.ts';
import { ServiceError } from '../../../src/service/index.ts';

const system = (message: string, facts: object, cause?: unknown): Error =>
  Object.assign(new Error(message, { cause }), facts);

describe('too many open files', () => {
  it.each([
    ['of a system call', system('EMFILE: too many open files, open x', { code: 'EMFILE', syscall: 'open', path: 'x' })],
    ['of a call that names no system call', system('spawn EMFILE', { code: 'EMFILE' })],
    [
      'as the cause of another error',
      system('fetch failed', {}, system('connect EMFILE', { code: 'EMFILE', syscall: 'connect' })),
    ],
    ['in the words of an error without a code', new Error('Cannot load x: EMFILE, too many open files')],
    ['of the whole machine', system('ENFILE: file table overflow', { code: 'ENFILE', syscall: 'open' })],
  ])('in %s are named with the limit to raise', (_, error) => {
    const failure = describeFailure(error);
    expect(failure).toMatchObject({ isBug: false, exitCode: 1 });
    expect(failure.message).toContain('too many files are open');
    expect(failure.hint).toMatch(/limit/);
  });

  it('are not assumed for any other error', () => {
    expect(describeFailure(new Error('a mistake of ours'))).toMatchObject({ isBug: true });
  });
});

describe('a refusal of a service that limits its requests', () => {
  it('says how long to wait', () => {
    const busy = (retryAfterMs: number) =>
      describeFailure(new ServiceError('RATE_LIMIT_EXCEEDED', 'The service answered 429.', { retryAfterMs })).hint;
    expect(busy(40_000)).toBe('Wait 40 s, then run the command again.');
    expect(busy(3_600_000)).toBe('Wait 60 min, then run the command again.');
  });

  it('has no time where the service is not busy', () => {
    const failed = new ServiceError('INTERNAL_ERROR', 'The service answered 500.', { retryAfterMs: 40_000 });
    expect(describeFailure(failed).hint).toBe('The service failed; try again later.');
  });
});

describe('a package that is not installed', () => {
  it.each([
    ['imported', "Cannot find package 'commander' imported from /x/main.js", 'ERR_MODULE_NOT_FOUND', 'commander'],
    ['required', "Cannot find module 'drizzle-orm/sql'", 'MODULE_NOT_FOUND', 'drizzle-orm/sql'],
  ])('and %s is named with the way to install it', (_, message, code, name) => {
    const failure = describeFailure(system(message, { code }));
    expect(failure).toMatchObject({ code: 'PACKAGE_MISSING', isBug: false, exitCode: 1 });
    expect(failure.message).toBe(`the package ${name} is not installed`);
    expect(failure.hint).toMatch(/run: npm install --include=optional$/);
  });

  it('is not a file of ours that is missing', () => {
    const error = system("Cannot find module '/x/main.js' imported from /x/y.js", { code: 'ERR_MODULE_NOT_FOUND' });
    expect(describeFailure(error)).toMatchObject({ isBug: true });
  });
});
