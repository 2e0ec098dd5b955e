// Tokens of invitations and sessions: 256 random bits. The store keeps their hash.
import { hash, randomBytes } from 'node:crypto';

const tokenBytes = 32;
export const tokenChars = 43;
const tokenForm = /^[\w-]{43}$/;

/** 43 characters, fit for a URL and a cookie. */
export function newToken(): string {
  return randomBytes(tokenBytes).toString('base64url');
}

/** Whether a text has the form of a token. */
export function isToken(text: string): boolean {
  return tokenForm.test(text);
}

/** What is kept of a token. It is random, so one pass without salt is enough. */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'base64url');
}
