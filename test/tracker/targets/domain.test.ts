// The registrable domain of a host.
import { describe, expect, it } from 'vitest';
import { registrableDomain } from '../../../src/tracker/targets/brand.ts';

describe('the registrable domain', () => {
  it.each([
    ['www.example.com', 'example.com'],
    ['shop.example.co.uk', 'example.co.uk'],
    ['acme.github.io', 'acme.github.io'],
    ['www.acme.blogspot.com', 'acme.blogspot.com'],
    ['xn--mller-kva.example', 'xn--mller-kva.example'],
    ['192.0.2.7', '192.0.2.7'],
    ['localhost', 'localhost'],
    ['co.uk', 'co.uk'],
  ])('of %s is %s', (host, domain) => {
    expect(registrableDomain(host)).toBe(domain);
  });
});
