// Who runs this command, as the audit trail names the operator: the user of the operating system and the host.
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
