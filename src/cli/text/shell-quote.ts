// One word of a command line that a person will copy into a POSIX shell.

/** The text as one word: plain if possible, quoted if necessary. */
export function shellQuoted(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return /^[^"$`\\!\p{Cc}]+$/u.test(text) ? `"${text}"` : `'${text.replaceAll("'", `'\\''`)}'`;
}
