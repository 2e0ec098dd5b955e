// The exit codes of commands, for cron and scripts.

export const exitCodes = {
  done: 0,
  failed: 1,
  /** The command line or the config is wrong; nothing was done. */
  usage: 2,
  /**
   * Done in part: something failed or was deferred, the run is suspect, the clock is in doubt, or entries of the config
   * are broken and the other projects ran.
   */
  partial: 3,
  /** Halted before more was spent: out of credits, bad credentials, forbidden address. */
  halted: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
