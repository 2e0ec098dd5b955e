// Invisible characters: copied text carries them, and no engine shows them.

/** What text is drawn without: marks of direction, joiners, soft hyphens, byte order marks, variation selectors. */
const ignorable = /\p{Default_Ignorable_Code_Point}/gu;
/**
 * Those that change nothing about how a word is written. Joiners do in Persian and Hindi; tags and variation selectors
 * do in emoji.
 */
const stray = /(?!\u200c|\u200d|[\u{e0020}-\u{e007f}])(?=\p{Cf})\p{Default_Ignorable_Code_Point}/gu;

/** A text as queries are compared: without any invisible character. */
export function visibleText(text: string): string {
  return text.replace(ignorable, '');
}

/** A keyword without invisible characters that mean nothing. */
export function withoutStrayMarks(keyword: string): string {
  return keyword.replace(stray, '');
}

/** The invisible characters of a keyword that mean nothing, each once, as `U+200E`; empty where there are none. */
export function strayMarksIn(keyword: string): string[] {
  const found = keyword.match(stray) ?? [];
  return [...new Set(found)].map(
    (mark) => `U+${(mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
}
