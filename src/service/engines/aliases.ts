// Replaces the words, numbers, hosts and URLs of one page: equal inputs get equal replacements.
import { createHash, createHmac } from 'node:crypto';
import { parse as parseHost } from 'tldts';
import { withoutAccents } from './page/query.ts';
import { sites, vocabulary } from './vocabulary.ts';

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const address = /(?:https?:\/\/|(?<![\p{L}\p{N}:/])\/\/(?=[\w-]+\.))[^\s"'<>\\{}|^`»«]+/u;
/** Words joined by dots and hyphens; a host ends in a known suffix. */
const run = /[\p{L}\p{M}\p{N}]+(?:[.-]+[\p{L}\p{M}\p{N}]+)*/u;
const hostMax = 253;
const picture = /(?![\u00a0-\u203c])\p{Extended_Pictographic}/u;
const words = /[\p{L}\p{M}\p{N}]+/gu;
const pieces = new RegExp([uuid, address, run, picture].map(({ source }) => `(${source})`).join('|'), 'gu');
/** Punctuation as written by scripts and JSON. */
const escapes = /(\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\[bfnrt])/g;
/** An address, or a path of the engine, that fills its whole text. */
const wholeAddress = /^(?:https?:)?\/\/[^\s/]+|^\/(?!\/)\S*$/;

/** Letters of one script each, from and to: a letter is replaced by a letter of the same script. */
const scripts = [
  [0x3b1, 0x3c1],
  [0x430, 0x44f],
  [0x5d0, 0x5e9],
  [0x628, 0x63a],
  [0x915, 0x939],
  [0xe01, 0xe2e],
  [0x3041, 0x3096],
  [0x30a1, 0x30f6],
  [0x4e00, 0x9fa5],
  [0xac00, 0xd7a3],
] as const;
const vowels = 'aeiou';
const consonants = 'bdfgklmnprstvz';

/** Alternating letters and digits; a word with a number is not a token. */
const token = /^(?=.*(?:[a-z]\d+[a-z]|\d[a-z]+\d))[a-z0-9]+$/i;

/** Parts that parsers look for in any host. */
const hostWords = new Set(['www', 'm', 'forum', 'forums', 'community']);

/** How many placeholders are tried for one text before one is used twice. */
const attemptsMax = 200;

export class Aliases {
  readonly #key: Buffer;
  /** Words and numbers of the page: none of them is used as a placeholder. */
  readonly #taken: ReadonlySet<string>;
  readonly #known = new Map<string, string>();
  readonly #used = new Set<string>();
  readonly #hosts: ReadonlySet<string>;

  /** The page's digest is the key: without the page, guessing words by their placeholders is impossible. */
  constructor(html: string) {
    this.#key = createHash('sha256').update(html).digest();
    const lower = html.toLowerCase();
    this.#taken = new Set(lower.match(/\p{L}{3,}|\d{5,}/gu));
    this.#hosts = new Set(lower.match(/(?<=\/\/|%2f%2f)(?:[a-z0-9-]+\.)+[a-z]+/g));
  }

  /** A text with its words, numbers and addresses replaced; punctuation and white space stay. */
  text(text: string): string {
    const plain = text.replace(escapes, (written) => {
      const sign = String.fromCharCode(Number.parseInt(written.slice(2), 16));
      return /^\\[ux]/.test(written) && /[\p{L}\p{N}]/u.test(sign) ? sign : written;
    });
    return plain
      .split(escapes)
      .map((part, index) => (index % 2 === 1 ? part : this.#pieces(part)))
      .join('');
  }

  #pieces(text: string): string {
    return text.replace(pieces, (all, id, link, name) => {
      if (id !== undefined) return this.#uuid(all);
      if (link !== undefined) return this.url(all);
      if (name === undefined) return '◆';
      const isHost = name.includes('.') && name.length <= hostMax && /\p{L}$/u.test(name);
      return isHost ? this.#host(name, this.#hosts.has(name.toLowerCase())) : this.#words(name);
    });
  }

  #words(text: string): string {
    return text.replace(words, (each) => this.#word(each));
  }

  /** A value that may be a whole address: an attribute, or a parameter of an address. */
  value(value: string): string {
    if (/^data:/i.test(value)) return 'data:,';
    if (/^javascript:/i.test(value)) return 'javascript:void(0)';
    return wholeAddress.test(value) ? this.url(value) : this.text(value);
  }

  url(url: string): string {
    const [, start = '', authority = '', path = '', query = '', fragment = ''] =
      /^((?:https?:)?\/\/)?((?<=\/\/)[^/?#]*)?([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(url) ?? [];
    const parts = path.split('/').map((part) => encodedAs(part, this.text(decoded(part))));
    return (
      start +
      this.#authority(authority) +
      parts.join('/') +
      this.#query(query) +
      encodedAs(fragment, this.text(decoded(fragment)))
    );
  }

  #authority(authority: string): string {
    return authority.replace(/^(?:.*@)?([^:]*)/s, (_, name: string) => this.#host(name, true));
  }

  #query(query: string): string {
    return query.replace(/([^?&;=]+)(?:=([^&]*))?/g, (_, name: string, value?: string) => {
      const own = encodeURIComponent(this.text(decoded(name)));
      return value === undefined ? own : `${own}=${this.#parameter(value)}`;
    });
  }

  #parameter(value: string): string {
    const hidden = hiddenAddress(value);
    if (hidden !== undefined) return hidden((link) => this.value(link));
    const own = encodedAs(value, this.value(decoded(value.replaceAll('+', ' '))));
    return value.includes('%20') ? own : own.replaceAll('%20', '+');
  }

  /** Labels are words. Sites that the parsers know by name keep theirs. */
  #host(name: string, isLinked: boolean): string {
    if (/^[\d.]+$|^\[/.test(name)) return `192.0.2.${1 + (this.#hash(name)[0] ?? 0)}`;
    const labels = name.split('.');
    const { isIcann, publicSuffix } = parseHost(name);
    // File names, and sentences without spaces.
    if (isIcann !== true && !isLinked) return this.#words(name);
    const suffixLabels = isIcann === true ? (publicSuffix ?? '').split('.').length : 0;
    // A site may be a suffix itself, as `nhs.uk` is.
    const isSite = /^(?:www|m)$/.test(labels.at(-suffixLabels - 1) ?? 'www') && suffixLabels > 1;
    const first = labels.length - (isSite ? 1 : suffixLabels);
    const isKept = suffixLabels > 0 && (isLinked || labels.slice(first).every(({ length }) => length <= 3));
    const isKnown = sites.has(labels[first - 1]?.toLowerCase() ?? '') || sites.has(labels.at(-1) ?? '');
    return labels
      .map((label, nth) => {
        if (isKept && nth >= first) return suffixLabel(label, nth === labels.length - 1);
        const plain = label.replace(/^xn--/i, 'x');
        return plain.replace(words, (each) => (isKnown ? this.#word(each) : this.#label(each)));
      })
      .join('.');
  }

  /** A word in a name of a host. */
  #label(label: string): string {
    const plain = label.toLowerCase();
    if (hostWords.has(plain)) return label;
    return vocabulary.has(plain) || label.length < 3
      ? this.#alias(`host ${plain}`, (hash) => wordLike(plain, hash))
      : this.#word(label);
  }

  #uuid(id: string): string {
    const hex = this.#hash(id).toString('hex');
    return [8, 4, 4, 4, 12].map((length, index) => hex.slice(index * 12, index * 12 + length)).join('-');
  }

  /**
   * Letters and digits without punctuation between them. Tokens are replaced as a whole, otherwise each run of letters
   * and of digits.
   */
  #word(word: string): string {
    if (vocabulary.has(word.toLowerCase())) return word;
    if (token.test(word)) return this.#alias(word, (hash) => tokenLike(word, hash));
    return word.replace(/\d+|[^\d]+/g, (run) => (/\d/.test(run) ? this.#number(run) : this.#letters(run)));
  }

  #number(digits: string): string {
    if (digits.length < 2 || vocabulary.has(digits)) return digits;
    const century = /^(?:19|20)\d\d$/.exec(digits) === null ? '' : digits.slice(0, 2);
    return this.#alias(digits, (hash) => century + tokenLike(digits.slice(century.length), hash));
  }

  #letters(letters: string): string {
    const plain = withoutAccents(letters.toLowerCase());
    if (vocabulary.has(letters.toLowerCase())) return letters;
    // One letter of an alphabet reveals nothing.
    if (/^[a-z]$/.test(plain)) return letters;
    const alias = this.#alias(plain, (hash) => wordLike(plain, hash));
    if (letters === letters.toLowerCase()) return alias;
    if (letters === letters.toUpperCase()) return alias.toUpperCase();
    return [...alias].map((letter, at) => (/\p{Lu}/u.test(letters[at] ?? '') ? letter.toUpperCase() : letter)).join('');
  }

  /**
   * The placeholder of a text, made by `make` from a hash; it never equals a word of the page, of the engines or
   * another text.
   */
  #alias(text: string, make: (hash: Buffer) => string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    let alias = '';
    for (let nth = 0; nth < attemptsMax; nth++) {
      alias = make(this.#hash(`${nth} ${text}`));
      const lower = alias.toLowerCase();
      if (alias !== text && !this.#used.has(lower) && !this.#taken.has(lower) && !vocabulary.has(lower)) break;
    }
    this.#used.add(alias.toLowerCase());
    this.#known.set(text, alias);
    return alias;
  }

  #hash(text: string): Buffer {
    return createHmac('sha512', this.#key).update(text).digest();
  }
}

/** Long labels of a suffix may name a place, a trade or a brand, so they are replaced too. */
function suffixLabel(label: string, isLast: boolean): string {
  return label.length <= 3 || sites.has(label.toLowerCase()) ? label : isLast ? 'info' : 'com';
}

function tokenLike(token: string, hash: Buffer): string {
  return token.replace(/[A-Za-z0-9]/g, (sign, at: number) => {
    const number = (hash[at % hash.length] ?? 0) + at;
    if (/\d/.test(sign)) return String(at === 0 && sign !== '0' ? 1 + (number % 9) : number % 10);
    const letter = String.fromCharCode(97 + (number % 26));
    return sign === sign.toLowerCase() ? letter : letter.toUpperCase();
  });
}

/** Letters of the same scripts; Latin ones are pronounceable. */
function wordLike(word: string, hash: Buffer): string {
  const start = (hash.at(-1) ?? 0) % 2;
  return [...word]
    .map((letter, at) => {
      const number = hash.readUInt16LE((at * 2) % (hash.length - 1)) + at;
      const code = letter.codePointAt(0) ?? 0;
      const [from, to] = scripts.find(([first, last]) => code >= first && code <= last) ?? [];
      if (from !== undefined && to !== undefined) return String.fromCodePoint(from + (number % (to - from + 1)));
      const letters = (at + start) % 2 === 0 ? consonants : vowels;
      return letters[number % letters.length];
    })
    .join('');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Latin-1 and cut sequences: signs of their own.
    return text.replace(/%[0-9a-f]{2}/gi, '-');
  }
}

/** A text encoded for a URL; characters that were plain in the original stay so. */
function encodedAs(original: string, text: string): string {
  return encodeURIComponent(text).replace(/%(?:2[1-9A-F]|3[A-F]|40|5[B-E]|7[B-D])/g, (code) => {
    const sign = decodeURIComponent(code);
    return sign !== '%' && original.includes(sign) ? sign : code;
  });
}

/** How to write a parameter with a base64 URL, with another URL in its place; undefined for any other parameter. */
function hiddenAddress(value: string): ((replace: (link: string) => string) => string) | undefined {
  const [, start = '', hidden] = /^(a1)?((?:[\w/+-]|%2[BbFf]){12,}(?:=|%3[Dd]){0,2})$/.exec(value) ?? [];
  if (hidden === undefined) return undefined;
  const link = Buffer.from(decoded(hidden), 'base64').toString('utf8');
  if (!/^(?:https?(?::|%3a)|\/)[\x20-\x7e]*$/i.test(link)) return undefined;
  const isEncoded = /^https?%3a/i.test(link);
  return (replace) => {
    const own = isEncoded ? encodeURIComponent(replace(decoded(link))) : replace(link);
    return (
      start +
      Buffer.from(own)
        .toString(start === '' ? 'base64' : 'base64url')
        .replace(/[+/=]/g, encodeURIComponent)
    );
  };
}
