// The word rules of search intent, for all languages.
import type { WordRules } from './word-rules.ts';
import { words as de } from './words-de.ts';
import { words as en } from './words-en.ts';
import { words as es } from './words-es.ts';
import { words as fr } from './words-fr.ts';
import { words as it } from './words-it.ts';
import { words as nl } from './words-nl.ts';
import { words as pt } from './words-pt.ts';

/** Sites that people type by name, in any language. Other words beside them weigh more. */
export const famousSites =
  'youtube, facebook, instagram, twitter, tiktok, reddit, linkedin, pinterest, whatsapp, wikipedia, gmail, outlook, hotmail, amazon, ebay, netflix, spotify, ' +
  'paypal, dropbox, github, chatgpt, canva, zoom, twitch, discord, airbnb, booking com, ikea, zalando, temu, shein, aliexpress';

export const wordRules: Readonly<Record<string, WordRules>> = { de, en, es, fr, it, nl, pt };

/** The languages with word rules. */
export const intentLanguages: readonly string[] = Object.keys(wordRules);
