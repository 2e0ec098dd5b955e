// The name of the operator in the audit trail: user and host of the operating system.
import { hostname, userInfo } from 'node:os';

/** `ops@web-1`; a user without a name, as in some containers, by its number. */
export function operatorName(): string {
  return `${userName()}@${hostname()}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Whether a listening address is reached from this machine only. Any name but `localhost` may mean another machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost|::1|127(\.\d{1,3}){3})$/.test(host);
}
