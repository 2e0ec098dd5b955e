import type { LookupAddress } from 'node:dns';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { ServiceError } from '../../../src/service/index.ts';
import {
  guardedLookup,
  isReachable,
  openAgent,
  privateAddressCode,
  rejectPrivateUrl,
} from '../../../src/service/net/public-network.ts';
import { exchange } from '../../../src/service/net/transport.ts';

const loopback = ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'];
const own = ['10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', 'fd00::1', '::ffff:10.0.0.1'];
const special = [
  '0.0.0.0',
  '169.254.169.254',
  '224.0.0.1',
  '255.255.255.255',
  '198.18.0.1',
  '::',
  'fe80::1',
  'ff02::1',
];
const disguised = [
  '64:ff9b::a00:1',
  '2002:a00:1::',
  '::10.0.0.1',
  '::ffff:0:10.0.0.1',
  '::ffff:8.8.8.8',
  '::ffff:808:808',
];
const open = ['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111'];

describe('an IP address', () => {
  it('is contacted if it is public, in any notation', () => {
    for (const address of open) expect(isReachable(address, {}), address).toBe(true);
    for (const address of [...loopback, ...own, ...special, ...disguised, 'localhost', '', '1.2.3']) {
      expect(isReachable(address, {}), address).toBe(false);
    }
  });

  it('of this machine or of private networks is contacted if allowed, and no other', () => {
    for (const address of loopback) expect(isReachable(address, { allowLoopback: true }), address).toBe(true);
    for (const address of own) expect(isReachable(address, { allowLoopback: true }), address).toBe(false);
    for (const address of [...loopback, ...own])
      expect(isReachable(address, { allowPrivate: true }), address).toBe(true);
    for (const address of [...special, ...disguised]) {
      expect(isReachable(address, { allowLoopback: true, allowPrivate: true }), address).toBe(false);
    }
  });
});

describe('a URL', () => {
  const refusal = (url: string, policy = {}) => {
    try {
      rejectPrivateUrl(new URL(url), policy);
    } catch (error) {
      return error as ServiceError;
    }
    return undefined;
  };

  it('is https, and http only if private addresses are allowed', () => {
    expect(refusal('https://example.com/a')).toBeUndefined();
    expect(refusal('http://example.com/a')).toMatchObject({
      code: 'CONNECTION_FAILED',
      disposition: 'halt',
      charged: 'no',
    });
    expect(refusal('http://127.0.0.1/', { allowLoopback: true })).toBeUndefined();
    expect(refusal('ftp://127.0.0.1/', { allowLoopback: true })).toBeDefined();
  });

  it.each([
    'https://127.0.0.1',
    'https://[::1]',
    'https://2130706433',
    'https://0x7f.1',
    'https://[::ffff:10.0.0.1]',
    'https://0/',
  ])('%s is an IP address and is refused', (url) =>
    expect(refusal(url)).toMatchObject({ disposition: 'halt', charged: 'no' }),
  );
});

describe('a host name', () => {
  const found = (addresses: readonly LookupAddress[], policy = {}) =>
    new Promise<unknown>((resolve) => {
      const answer = (_name: string, _options: object, done: (error: null, all: readonly LookupAddress[]) => void) =>
        done(null, addresses);
      guardedLookup(policy, answer as never)('shop.example', { all: true }, (error, all) =>
        resolve(error?.code ?? all),
      );
    });

  it('is contacted if all its addresses are public', async () => {
    const addresses = [{ address: '8.8.8.8', family: 4 }];
    expect(await found(addresses)).toEqual(addresses);
    expect(await found([...addresses, { address: '10.0.0.1', family: 4 }])).toBe(privateAddressCode);
    expect(await found([{ address: '::1', family: 6 }], { allowLoopback: true })).toHaveLength(1);
  });

  it('that resolves to this machine is refused on connection, before anything is sent', async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked++;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const agent = await openAgent({}, 1);
    const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
    const signal = new AbortController().signal;
    const sent = exchange(agent, { method: 'GET', origin, path: '/', headers: {} }, signal);
    await expect(sent).rejects.toMatchObject({ code: 'CONNECTION_FAILED', disposition: 'halt', charged: 'no' });
    expect(asked).toBe(0);
    await agent.close();
    const allowed = await openAgent({ allowLoopback: true }, 1);
    const answer = await exchange(allowed, { method: 'GET', origin, path: '/', headers: {} }, signal);
    expect([answer.status, asked]).toEqual([200, 1]);
    await allowed.close();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
});
