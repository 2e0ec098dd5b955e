import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { userAgent } from '../../../src/service/net/transport.ts';

it('requests name the version of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  expect(userAgent).toBe(`rankledger/${version}`);
});
