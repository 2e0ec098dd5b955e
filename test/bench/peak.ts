// The most that this process ever held in memory. Its own: on Linux `maxRSS` begins with what the process that started it held.
import { readFileSync } from 'node:fs';

/** Bytes resident. */
export function peakBytes(): number {
  const own =
    process.platform === 'linux' ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) : null;
  return (own === null ? process.resourceUsage().maxRSS : Number(own[1])) * 1024;
}
