// The cookies of one route to one engine, sent back to that engine only, and never written to disk.

/** Most cookies, and characters of one: an engine sets a dozen short ones. */
const cookiesMax = 40;
const cookieCharactersMax = 4_096;

export class Cookies {
  readonly #values = new Map<string, string>();

  /**
   * Takes what `set-cookie` says: names and values, and which are to be forgotten. Cookies for other hosts are not
   * taken.
   */
  take(headers: string | readonly string[] | undefined, host: string): void {
    for (const header of typeof headers === 'string' ? [headers] : (headers ?? [])) {
      const [pair = '', ...attributes] = header.slice(0, cookieCharactersMax).split(';');
      const at = pair.indexOf('=');
      const name = pair.slice(0, at).trim();
      if (at < 1 || !/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) continue;
      const domain = findAttribute(attributes, 'domain')?.replace(/^\./, '').toLowerCase();
      if (domain !== undefined && domain !== host && !host.endsWith(`.${domain}`)) continue;
      this.#values.delete(name);
      if (Number(findAttribute(attributes, 'max-age') ?? 1) > 0) this.#values.set(name, pair.slice(at + 1).trim());
      const [oldest] = this.#values.keys();
      if (this.#values.size > cookiesMax && oldest !== undefined) this.#values.delete(oldest);
    }
  }

  /** The header's value, those of the engine's own choice (`given`) included; undefined where there are none. */
  header(given: Readonly<Record<string, string>> = {}): string | undefined {
    const all = new Map([...Object.entries(given), ...this.#values]);
    return all.size === 0 ? undefined : [...all].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}

function findAttribute(attributes: readonly string[], name: string): string | undefined {
  const found = attributes.find((attribute) => attribute.trim().toLowerCase().startsWith(`${name}=`));
  return found?.slice(found.indexOf('=') + 1).trim();
}
