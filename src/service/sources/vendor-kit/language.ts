// Language codes of Google, which vendors share.

/** Languages whose regions the engine distinguishes; of all others it takes the primary language. */
const regionalLanguages = ['zh-CN', 'zh-TW', 'zh-HK', 'pt-BR', 'pt-PT', 'es-419', 'en-GB'];

/** The language as the engine's `hl` takes it. */
export function languageParameter(language: string): string {
  return regionalLanguages.includes(language) ? language : (language.split('-')[0] ?? language);
}
