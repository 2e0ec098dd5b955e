// The form of word rules: phrases by intent and strength, and the languages there are.
import type { Intent } from '../../service/index.ts';
import { words as de } from './words-de.ts';
import { words as en } from './words-en.ts';
import { words as es } from './words-es.ts';
import { words as fr } from './words-fr.ts';
import { words as it } from './words-it.ts';
import { words as nl } from './words-nl.ts';
import { words as pt } from './words-pt.ts';

/**
 * Phrases of one language, separated by commas. `kauf*` and `*versicherung` stand for words that begin or end so, `..` for up to four words in between,
 * `^` for the beginning of the keyword. Case and accents make no difference.
 */
export type WordRules = Readonly<Record<Intent, Partial<Record<Strength, string>>>>;

/** How much a phrase says: `strong` decides, `clear` speaks for it, `weak` tips the scales. */
export type Strength = 'strong' | 'clear' | 'weak';

/** In every language: sites that people type by name. What is searched for beside them says more. */
export const famousSites =
  'youtube, facebook, instagram, twitter, tiktok, reddit, linkedin, pinterest, whatsapp, wikipedia, gmail, outlook, hotmail, amazon, ebay, netflix, spotify, ' +
  'paypal, dropbox, github, chatgpt, canva, zoom, twitch, discord, airbnb, booking com, ikea, zalando, temu, shein, aliexpress';

export const wordRules: Readonly<Record<string, WordRules>> = { de, en, es, fr, it, nl, pt };

/** The languages whose words are known. */
export const intentLanguages: readonly string[] = Object.keys(wordRules);
