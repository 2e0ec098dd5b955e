// Removes keys and passwords from texts that are stored or shown, because providers may quote them.

/** Shorter secrets may be ordinary words: masking them would damage pages and messages. */
const secretCharsMin = 6;

export class Secrets {
  readonly #spellings: readonly string[];

  /** For a key of the form `user:password`, also hides its parts and its HTTP encoding. */
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
