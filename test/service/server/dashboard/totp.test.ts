import { describe, expect, it } from 'vitest';
import {
  findTotpStep,
  isTotpSecret,
  newTotpSecret,
  totpCode,
  totpUri,
} from '../../../../src/service/server/dashboard/totp.ts';

/** `12345678901234567890`, the secret of RFC 6238, appendix B. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('a code', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at second %d is the last six digits of the test vector of RFC 6238', (second, code) => {
    expect(totpCode(secret, second * 1000)).toBe(code);
  });

  it('is valid in its own step, the one before and the one after, with or without spaces', () => {
    const at = 1_700_000_010_000;
    const step = Math.floor(at / 30_000);
    const stepOf = (offset: number) => findTotpStep(secret, totpCode(secret, at + offset * 30_000), at);
    expect([-2, -1, 0, 1, 2].map(stepOf)).toEqual([undefined, step - 1, step, step + 1, undefined]);
    const code = totpCode(secret, at);
    expect(findTotpStep(secret, ` ${code.slice(0, 3)} ${code.slice(3)}`, at)).toBe(step);
  });

  it.each(['', '0', '00000', '0000000', 'abcdef', '\u0660\u0660\u0660\u0660\u0660\u0660'])('is not %j', (text) => {
    expect(findTotpStep(secret, text, 1_700_000_000_000)).toBeUndefined();
  });
});

describe('a secret', () => {
  it('is random, has 32 characters of base32, and other texts are refused', () => {
    const secrets = Array.from({ length: 50 }, () => newTotpSecret());
    expect(new Set(secrets).size).toBe(50);
    for (const each of secrets) expect(isTotpSecret(each)).toBe(true);
    for (const other of ['', secret.slice(1), secret.toLowerCase(), `${secret}A`, `${secret.slice(1)}1`])
      expect(isTotpSecret(other)).toBe(false);
  });

  it('is given to apps in a URL that names service and account', () => {
    expect(totpUri(secret, 'Search Data', 'a&b')).toBe(
      `otpauth://totp/Search%20Data:a%26b?secret=${secret}&issuer=Search%20Data`,
    );
  });
});
