// A value that must never be printed: logs, JSON and inspection see a placeholder. It is not encrypted in memory.
import { inspect } from 'node:util';

const placeholder = '[secret]';

export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself, to be handed to the one who needs it and to nobody else. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return placeholder;
  }

  toJSON(): string {
    return placeholder;
  }

  [inspect.custom](): string {
    return placeholder;
  }
}

/**
 * The same options, with the named ones hidden from JSON and inspection. Reading an option still gives its plain value, so
 * that a source can be made from it.
 */
export function hideOptions(options: Record<string, unknown>, hidden: ReadonlySet<string>): Record<string, unknown> {
  if (hidden.size === 0) return options;
  const shown = (): Record<string, unknown> =>
    Object.fromEntries(Object.entries(options).map(([key, value]) => [key, hidden.has(key) ? placeholder : value]));
  Object.defineProperty(options, 'toJSON', { value: shown, enumerable: false });
  Object.defineProperty(options, inspect.custom, { value: shown, enumerable: false });
  return options;
}
