// Vite loads style sheets: they declare nothing.
declare module '*.css';

interface ImportMeta {
  /** Set by Vite. */
  readonly env: { readonly DEV: boolean };
}
