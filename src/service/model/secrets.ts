// Removes keys and passwords from texts that are stored or shown, because providers may quote them.

/** Shorter ones are ordinary words as well, and would make holes in pages and messages. */
const secretCharsMin = 6;

export class Secrets {
  readonly #spellings: readonly string[];

  /** A key of the form `user:password` is hidden in parts too, and as HTTP sends it. */
  constructor(keys: readonly string[]) {
    const parts = keys.flatMap((key) => [key, ...key.split(':')]);
    const spelt = parts.flatMap((part) => [part, encodeURIComponent(part), Buffer.from(part).toString('base64')]);
    this.#spellings = [...new Set(spelt)]
      .filter((spelling) => spelling.length >= secretCharsMin)
      .sort((one, other) => other.length - one.length);
  }

  hide(text: string): string {
    let clean = text;
    for (const spelling of this.#spellings) if (clean.includes(spelling)) clean = clean.replaceAll(spelling, '***');
    return clean;
  }
}
