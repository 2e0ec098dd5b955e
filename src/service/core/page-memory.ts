// Caches pages of simulated sources. Pages of live sources are never cached here.

import { limits } from '../model/limits.ts';
import type { PageRequest, SerpSource } from '../model/source.ts';
import type { AnsweredPage } from './calls.ts';

/** The pages that were used last. They are shared by all who ask, and therefore frozen. */
export class PageMemory {
  readonly #pages = new Map<string, AnsweredPage>();

  /**
   * The remembered page, or the result of `make`. A source whose pages may change at any moment is queried every time.
   */
  async page(
    source: SerpSource,
    request: PageRequest,
    format: 'json' | 'raw',
    at: number,
    make: () => Promise<AnsweredPage>,
  ): Promise<AnsweredPage> {
    const key = pageKey(source, request, format, at);
    if (key === undefined) return await make();
    const known = this.#use(key, at);
    if (known !== undefined) return known;
    const made = frozen(await make());
    this.#pages.delete(key);
    this.#pages.set(key, made);
    if (this.#pages.size > limits.rememberedPagesMax) this.#forgetOldest();
    return made;
  }

  /** The page where it is remembered. */
  known(source: SerpSource, request: PageRequest, format: 'json' | 'raw', at: number): AnsweredPage | undefined {
    const key = pageKey(source, request, format, at);
    return key === undefined ? undefined : this.#use(key, at);
  }

  #use(key: string, at: number): AnsweredPage | undefined {
    const page = this.#pages.get(key);
    if (page === undefined) return undefined;
    this.#pages.delete(key);
    this.#pages.set(key, page);
    return { ...page, observedAt: at };
  }

  #forgetOldest(): void {
    for (const key of this.#pages.keys()) {
      this.#pages.delete(key);
      return;
    }
  }
}

/** Undefined for a source whose pages are not remembered. */
function pageKey(source: SerpSource, request: PageRequest, format: 'json' | 'raw', at: number): string | undefined {
  const edition = source.kind === 'live' ? undefined : source.editionAt?.(at);
  if (edition === undefined) return undefined;
  const { keyword, country, language, mobile, page, location = '' } = request;
  return [edition, format, country, language, mobile, page, location, keyword].join('\n');
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const field of Object.values(value)) frozen(field);
  return Object.freeze(value);
}
