// Invisible characters: copied text carries them, and no engine shows them.

/**
 * Invisible characters that never change a word. Joiners do in Persian and Hindi; tags and variation selectors do in
 * emoji. A function, because most programs never meet one, and making the expression takes a millisecond.
 */
const stray = (): RegExp => /(?!\u200c|\u200d|[\u{e0020}-\u{e007f}])(?=\p{Cf})\p{Default_Ignorable_Code_Point}/gu;

/** Most keywords are printable ASCII, which holds none of these; the other expressions take ten times as long. */
const plain = /^[ -~]*$/;

/**
 * The form in which queries are compared: without any invisible character, such as direction marks, joiners, soft
 * hyphens, byte order marks and variation selectors.
 */
export function visibleText(text: string): string {
  return plain.test(text) ? text : text.replace(/\p{Default_Ignorable_Code_Point}/gu, '');
}

/** A keyword without meaningless invisible characters. */
export function withoutStrayMarks(keyword: string): string {
  return plain.test(keyword) ? keyword : keyword.replace(stray(), '');
}

/** The meaningless invisible characters of a keyword, each once, as `U+200E`; empty if there are none. */
export function strayMarksIn(keyword: string): string[] {
  if (plain.test(keyword)) return [];
  const found = keyword.match(stray()) ?? [];
  return [...new Set(found)].map(
    (mark) => `U+${(mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
}
