// The head of an HTML document that needs nothing but itself.
import { createHash } from 'node:crypto';
import { html, type Markup, trusted } from './text/markup.ts';

interface DocumentHead {
  readonly title: string;
  readonly style: string;
  /** The texts of all its scripts. */
  readonly scripts?: readonly string[];
  /** Further elements. */
  readonly more?: Markup;
}

/**
 * From the document type to the end of the head. The Content Security Policy precedes all that it restricts: nothing
 * is loaded, and only scripts and styles that are hashed here apply.
 */
export function documentHead({ title, style, scripts = [], more }: DocumentHead): Markup {
  const policy = [
    "default-src 'none'",
    `style-src ${hashText(style)}`,
    ...(scripts.length > 0 ? [`script-src ${scripts.map(hashText).join(' ')}`] : []),
    'img-src data:',
    'font-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${more}
<style>${trusted(style)}</style>
</head>
`;
}

/** As a Content Security Policy names an inline text. */
function hashText(text: string): string {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}
