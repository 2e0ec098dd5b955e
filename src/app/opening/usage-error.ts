// The error for a wrong request.
import type { ResolvedConfig } from '../../../config/resolve.ts';

/** A mistake in the request: an unknown project, an invalid slot. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** Throws UsageError if variables are not set: a service must never receive a variable's name instead of a secret. */
export function rejectUnset({ unset }: ResolvedConfig): void {
  if (unset.length > 0) throw new UsageError(unset.join('\n'));
}
