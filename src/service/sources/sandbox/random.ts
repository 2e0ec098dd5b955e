// Stateless randomness: hashes of the input, so that each day and keyword is computed alone.

/** Bijective 32-bit mix: the finalizer of MurmurHash3 (Austin Appleby, public domain). */
function mix(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** A key for `part` under `key`: 32 bits, signed. The multiplier is 2^32 / golden ratio (Knuth, TAOCP 6.4). */
export function derive(key: number, part: number): number {
  return mix((Math.imul(key, 0x9e3779b1) + part) ^ 0x5bd1e995);
}

/** A key of a text: FNV-1a over its UTF-16 units, then mixed. */
export function hashText(text: string, key = 0): number {
  let hash = 0x811c9dc5 ^ key;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mix(hash);
}

/** Uniform in [0, 1). */
export function unit(key: number): number {
  return (key >>> 0) / 0x100000000;
}

/** Standard exponential: mean 1, never infinite. */
export function exponential(key: number): number {
  return -Math.log(1 - unit(key));
}

/** Standard normal, after Box and Muller. */
export function normal(key: number): number {
  const radius = Math.sqrt(2 * exponential(derive(key, 1)));
  return radius * Math.cos(2 * Math.PI * unit(derive(key, 2)));
}

/** Integer from 0 to below `count`. */
export function below(key: number, count: number): number {
  return Math.floor(unit(key) * count);
}

/** One of `choices`. */
export function pick<T>(key: number, choices: readonly [T, ...T[]]): T {
  return choices[below(key, choices.length)] ?? choices[0];
}

/**
 * Value noise in one dimension: -1 to 1, smooth in `time`, uncorrelated beyond two units. Each key has its own lattice
 * offset, so that not everything turns on the same day.
 */
export function noise(key: number, time: number): number {
  const shifted = time + unit(key);
  const cell = Math.floor(shifted);
  const at = shifted - cell;
  const from = unit(derive(key, cell));
  const to = unit(derive(key, cell + 1));
  return 2 * (from + (to - from) * at * at * (3 - 2 * at)) - 1;
}
