// A value that is never printed: logs, JSON and inspection show a placeholder. It is not encrypted in memory.

/** `inspect.custom` of node:util, without its getters, all of which an import would run. */
const inspectCustom = Symbol.for('nodejs.util.inspect.custom');
const placeholder = '[secret]';

export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The plain value. Pass it only to the code that needs it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return placeholder;
  }

  toJSON(): string {
    return placeholder;
  }

  [inspectCustom](): string {
    return placeholder;
  }
}

/**
 * Hides the named options from JSON and inspection. Reading an option still returns its plain value, so that a source
 * can be created from it.
 */
export function hideOptions(options: Record<string, unknown>, hidden: ReadonlySet<string>): Record<string, unknown> {
  if (hidden.size === 0) return options;
  const shown = (): Record<string, unknown> =>
    Object.fromEntries(Object.entries(options).map(([key, value]) => [key, hidden.has(key) ? placeholder : value]));
  Object.defineProperty(options, 'toJSON', { value: shown, enumerable: false });
  Object.defineProperty(options, inspectCustom, { value: shown, enumerable: false });
  return options;
}
