// Time-based one-time passwords (RFC 6238, SHA-1, 30 seconds, 6 digits), as authenticator apps make them.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const stepMs = 30_000;
const digits = 6;
/** How many steps before and after the current one are accepted: clocks differ. */
const stepsAside = 1;
/** 160 bits, as RFC 4226 recommends. */
const secretBytes = 20;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A new secret in base32, 32 characters. */
export function newTotpSecret(): string {
  return base32(randomBytes(secretBytes));
}

/** Whether a text has the form of `newTotpSecret`. */
export function isTotpSecret(text: string): boolean {
  return /^[A-Z2-7]{32}$/.test(text);
}

/** The code of a secret at a moment, UTC milliseconds. */
export function totpCode(secret: string, at: number): string {
  return codeAtStep(secret, Math.floor(at / stepMs));
}

/** The time step of a code, near a moment; undefined for a wrong code. */
export function findTotpStep(secret: string, code: string, at: number): number | undefined {
  const given = Buffer.from(code.replace(/\s/g, ''));
  const now = Math.floor(at / stepMs);
  let found: number | undefined;
  // compares every step, so that the time taken reveals nothing
  for (let step = now - stepsAside; step <= now + stepsAside; step += 1) {
    const due = Buffer.from(codeAtStep(secret, step));
    if (given.length === due.length && timingSafeEqual(given, due)) found ??= step;
  }
  return found;
}

/** The URL for authenticator apps: `otpauth://totp/...`. */
export function totpUri(secret: string, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}

function codeAtStep(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.max(0, step)));
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0x0f;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** RFC 4648, without padding: our secrets are whole groups of 5 bytes. */
function base32(bytes: Uint8Array): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  return (bits.match(/.{5}/g) ?? []).map((group) => alphabet.charAt(Number.parseInt(group, 2))).join('');
}

function fromBase32(secret: string): Buffer {
  let bits = '';
  for (const character of secret) bits += alphabet.indexOf(character).toString(2).padStart(5, '0');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((group) => Number.parseInt(group, 2)));
}
