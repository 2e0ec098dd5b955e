// The syntax of word rules: phrases by intent and strength.
import type { Intent } from '../../service/index.ts';

/**
 * Phrases of one language, separated by commas. `kauf*` and `*versicherung` match words that begin or end so, `..`
 * matches up to four words, `^` is the beginning of the keyword. Case and accents do not count.
 */
export type WordRules = Readonly<Record<Intent, Partial<Record<Strength, string>>>>;

/** Weight of a phrase: `strong` decides, `clear` is good evidence, `weak` tips the scales. */
export type Strength = 'strong' | 'clear' | 'weak';
