// The template tag of all components.
import htm from 'htm';
import { h } from 'preact';

// the types of htm describe its CommonJS form
const tag = /** @type {{ bind(create: typeof h): (parts: TemplateStringsArray, ...values: any[]) => any }} */ (
  /** @type {unknown} */ (htm)
);
export const html = tag.bind(h);
