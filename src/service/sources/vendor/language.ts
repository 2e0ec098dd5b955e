// Languages as Google takes them, and vendors after it.

/** Languages whose regions the engine tells apart; of all others the primary language is what it takes. */
const regionalLanguages = ['zh-CN', 'zh-TW', 'zh-HK', 'pt-BR', 'pt-PT', 'es-419', 'en-GB'];

/** The language as the engine's `hl` takes it. */
export function languageParameter(language: string): string {
  return regionalLanguages.includes(language) ? language : (language.split('-')[0] ?? language);
}
