// Freezes the resolved config, so that nothing changes it after it was checked.

/** Freezes a value deeply. A frozen value is assumed to be deeply frozen, as a million keywords are. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  const held: Iterable<unknown> = value instanceof Map ? value.values() : Object.values(value);
  for (const part of held) deepFreeze(part);
  return value;
}
