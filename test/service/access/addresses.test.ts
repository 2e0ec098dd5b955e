import { describe, expect, it } from 'vitest';
import { canonicalRule, isAllowed, subscriberPrefix } from '../../../src/service/access/login/addresses.ts';

describe('a whitelist rule', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7/32'],
    [' 10.0.0.0/8 ', '10.0.0.0/8'],
    ['2001:DB8:0:0::1', '2001:db8::1/128'],
    ['2001:db8::/32', '2001:db8::/32'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
    ['::ffff:a00:1', '10.0.0.1/32'],
    ['::10.1.2.3', '::a01:203/128'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['::/0', '::/0'],
    ['::fffe:0:0/95', '::fffe:0:0/95'],
  ])('%s is %s', (written, canonical) => {
    expect(canonicalRule(written)).toBe(canonical);
    expect(canonicalRule(canonical)).toBe(canonical);
  });

  it.each([
    '',
    '10',
    '10.1',
    '10.1.2.3/8',
    '10.1.2.3/0',
    '::1/0',
    '010.0.0.1',
    '10.0.0.256',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.0.0.0/255.0.0.0',
    '2001:db8::/129',
    '2001:db8::1::2',
    'fe80::1%eth0',
    'localhost',
    '10.0.0.1-10.0.0.9',
    '*',
    '::ffff:10.1.2.3/96',
  ])('is never %j', (written) => {
    expect(() => canonicalRule(written)).toThrow(/is not|beyond/);
  });
});

describe('a whitelist', () => {
  it.each([
    [[], '203.0.113.9', true],
    [['10.0.0.0/8'], '10.255.0.1', true],
    [['10.0.0.0/8'], '::ffff:10.1.2.3', true],
    [['10.0.0.0/8'], '::FFFF:0A01:0203', true],
    [['10.0.0.0/8'], '0:0:0:0:0:ffff:10.1.2.3', true],
    [['10.0.0.0/8'], '::10.1.2.3', false],
    [['10.0.0.0/8'], '11.0.0.0', false],
    [['10.0.0.0/8'], '9.255.255.255', false],
    [['192.0.2.7/32'], '192.0.2.7', true],
    [['192.0.2.7/32'], '192.0.2.8', false],
    [['192.0.2.128/25'], '192.0.2.127', false],
    [['2001:db8::/32'], '2001:db8:ffff::1', true],
    [['2001:db8::/32'], '2001:db9::1', false],
    [['fe80::/10'], 'fe80::1%eth0', true],
    [['::/0'], '10.0.0.1', false],
    [['::/0'], '2001:db8::1', true],
    [['0.0.0.0/0'], '10.0.0.1', true],
    [['0.0.0.0/0'], '2001:db8::1', false],
    [['broken', '10.0.0.1/32'], '10.0.0.2', false],
    [['broken', '10.0.0.1/32'], '10.0.0.1', true],
    [['10.0.0.0/8'], 'unknown', false],
    [['10.0.0.0/8'], '', false],
    [['10.0.0.0/8'], '10.0.0.1, 203.0.113.9', false],
    [['10.0.0.0/8'], '010.0.0.1', false],
  ])('%j, checked for %s, gives %s', (rules, address, expected) => {
    expect(isAllowed(rules, address)).toBe(expected);
  });

  it('allows exactly the addresses of its network, over 250 networks and their neighbours', () => {
    const random = numbers(7);
    let cases = 0;
    for (let index = 0; index < 250; index++) {
      const isV4 = index % 2 === 0;
      const bits = isV4 ? 32n : 128n;
      const prefix = 1n + (random() % bits);
      const value = wide(random, bits);
      const host = bits - prefix;
      const network = (value >> host) << host;
      const rule = `${format(network, isV4)}/${prefix}`;
      expect(canonicalRule(rule)).toBe(canonicalRule(canonicalRule(rule)));
      const last = network | ((1n << host) - 1n);
      const spellings = (address: bigint) =>
        isV4 ? [format(address, true), `::ffff:${format(address, true)}`] : [format(address, false)];
      for (const inside of [network, last, value]) {
        for (const text of spellings(inside)) expect(isAllowed([rule], text), `${rule} ${text}`).toBe(true);
      }
      for (const outside of [network - 1n, last + 1n, value ^ (1n << host)]) {
        if (outside < 0n || outside >> bits !== 0n) continue;
        for (const text of spellings(outside)) expect(isAllowed([rule], text), `${rule} ${text}`).toBe(false);
        cases++;
      }
    }
    expect(cases).toBeGreaterThan(600);
  });
});

describe('a subscriber', () => {
  it('is an IPv4 address in any notation, or the /64 of an IPv6 address', () => {
    expect(subscriberPrefix('::ffff:10.1.2.3')).toBe('10.1.2.3');
    expect(subscriberPrefix('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
    expect(subscriberPrefix('2001:db8:1:2::')).toBe('2001:db8:1:2::/64');
    expect(subscriberPrefix('nonsense')).toBe('unknown');
  });
});

/** The same numbers in every run. */
function numbers(seed: number): () => bigint {
  let state = BigInt(seed);
  return () => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & ((1n << 64n) - 1n);
    return state >> 33n;
  };
}

function wide(random: () => bigint, bits: bigint): bigint {
  let value = 0n;
  for (let filled = 0n; filled < bits; filled += 31n) value = (value << 31n) | random();
  return value & ((1n << bits) - 1n);
}

function format(value: bigint, isV4: boolean): string {
  if (isV4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
  return Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 65535n).toString(16)).join(':');
}
