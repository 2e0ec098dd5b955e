// The peak memory of this process. On Linux `maxRSS` is inherited from the process that started it.
import { readFileSync } from 'node:fs';

/**
 * Bytes resident.
 *
 * @returns {number}
 */
export function peakBytes() {
  const own =
    process.platform === 'linux' ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) : null;
  return (own === null ? process.resourceUsage().maxRSS : Number(own[1])) * 1024;
}
