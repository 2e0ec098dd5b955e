// The word rules of all languages.
import type { WordRules } from './word-rules.ts';
import { words as de } from './words-de.ts';
import { words as en } from './words-en.ts';
import { words as es } from './words-es.ts';
import { words as fr } from './words-fr.ts';
import { words as it } from './words-it.ts';
import { words as nl } from './words-nl.ts';
import { words as pt } from './words-pt.ts';

/** In every language: sites that people type by name. What is searched for beside them says more. */
export const famousSites =
  'youtube, facebook, instagram, twitter, tiktok, reddit, linkedin, pinterest, whatsapp, wikipedia, gmail, outlook, hotmail, amazon, ebay, netflix, spotify, ' +
  'paypal, dropbox, github, chatgpt, canva, zoom, twitch, discord, airbnb, booking com, ikea, zalando, temu, shein, aliexpress';

export const wordRules: Readonly<Record<string, WordRules>> = { de, en, es, fr, it, nl, pt };

/** The languages whose words are known. */
export const intentLanguages: readonly string[] = Object.keys(wordRules);
