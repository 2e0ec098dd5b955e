import { expect, test } from 'vitest';
import type { Target } from '../../../src/tracker/project.ts';
import { hostInKey, trackedTargets } from '../../../src/tracker/targets/target.ts';

const domain = (value: string): Target => ({ match: 'domain', value });

test('a project lists each target once, own ones first, and a target of both kinds as its own', () => {
  const project = {
    targets: [domain('acme.com'), domain('ACME.com')],
    competitors: [domain('rival.example'), domain('acme.com'), domain('rival.example')],
  };
  expect(trackedTargets(project)).toEqual([
    { target: domain('acme.com'), role: 'own' },
    { target: domain('rival.example'), role: 'competitor' },
  ]);
});

test.each([
  ['domain:acme.com', 'acme.com'],
  ['prefix:shop.example.com/acme', 'shop.example.com'],
  ['url:shop.example.com:8080/a', 'shop.example.com'],
])('the host in the key %s is %s', (key, host) => {
  expect(hostInKey(key)).toBe(host);
});
