// The form of word rules: phrases by intent and strength.
import type { Intent } from '../../service/index.ts';

/**
 * Phrases of one language, separated by commas. `kauf*` and `*versicherung` stand for words that begin or end so, `..` for up to four words in between,
 * `^` for the beginning of the keyword. Case and accents make no difference.
 */
export type WordRules = Readonly<Record<Intent, Partial<Record<Strength, string>>>>;

/** How much a phrase says: `strong` decides, `clear` speaks for it, `weak` tips the scales. */
export type Strength = 'strong' | 'clear' | 'weak';
