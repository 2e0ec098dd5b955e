// Packs the codes of a rank history into two characters per date.

/** In place of a feature set: features were not recorded. */
export const notRecorded = -2;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Two characters hold no lower rank. */
const codeMax = alphabet.length ** 2 - 1;

/** `trail`: one code per date, see src/tracker/rank-codes.ts. */
export function packTrail(trail: ArrayLike<number>): string {
  const codes = new Array<number>(2 * trail.length);
  for (let index = 0; index < trail.length; index += 1) {
    const code = Math.min(trail[index] ?? 0, codeMax);
    codes[2 * index] = alphabet.charCodeAt(code >> 6);
    codes[2 * index + 1] = alphabet.charCodeAt(code & 63);
  }
  // one call: concatenation takes thirty times the memory until the string is read
  return String.fromCharCode(...codes);
}

/** One code per date. */
export function unpackTrail(packed: string): number[] {
  const trail: number[] = [];
  for (let at = 0; at + 1 < packed.length; at += 2) trail.push((digit(packed, at) << 6) | digit(packed, at + 1));
  return trail;
}

function digit(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 97) return code - 97 + 26;
  if (code === 95) return 63;
  if (code >= 65) return code - 65;
  return code === 45 ? 62 : code - 48 + 52;
}

/** Pairs of date and number from a flat list. */
export function pairSteps(flat: readonly number[]): [number, number][] {
  const steps: [number, number][] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) steps.push([flat[at] ?? 0, flat[at + 1] ?? 0]);
  return steps;
}
