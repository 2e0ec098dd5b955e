// The documents of the project: their paths, their generated sections, and their blocks of code.
import { readFileSync } from 'node:fs';
import { projectFiles } from './files.ts';

export interface CodeBlock {
  readonly file: string;
  readonly language: string;
  readonly text: string;
  /** For a block behind `<!-- file: NAME -->`: the file that it shows. */
  readonly name: string | null;
}

/** README.md and every page of docs, relative to the project. */
export function manualPages(): string[] {
  return projectFiles().filter((file) => /^(README\.md|docs\/.*\.md)$/.test(file));
}

/** The manual, and the documents for contributors. */
export function documents(): string[] {
  return projectFiles().filter((file) => /^([A-Z]+\.md|docs\/.*\.md)$/.test(file));
}

export function codeBlocks(file: string): CodeBlock[] {
  const fences = readFileSync(file, 'utf8').matchAll(/(?:^<!-- file: (\S+) -->\n)?^```(\w+)\n([\s\S]*?)^```$/gm);
  return [...fences].map(([, name = null, language = '', text = '']) => ({ file, name, language, text }));
}

/** A document without its blocks of code. */
export function prose(file: string): string {
  return readFileSync(file, 'utf8').replaceAll(/^```\w*\n[\s\S]*?^```$/gm, '');
}

/** The text between `<!-- name -->` and `<!-- /name -->`, by name. */
export function generatedSections(text: string): Map<string, string> {
  const sections = text.matchAll(/^<!-- ([a-z-]+) -->\n([\s\S]*?)\n<!-- \/\1 -->$/gm);
  return new Map([...sections].map(([, name = '', content = '']) => [name, content]));
}

/** `text` with new content in its generated sections. */
export function withSections(text: string, contents: ReadonlyMap<string, string>): string {
  return text.replaceAll(
    /^(<!-- ([a-z-]+) -->\n)[\s\S]*?(\n<!-- \/\2 -->)$/gm,
    (all, before: string, name: string, after: string) => {
      const content = contents.get(name);
      return content === undefined ? all : before + content + after;
    },
  );
}

/** Anchors of a document's headings, as Git hosts make them. */
export function anchors(file: string): Set<string> {
  const headings = prose(file).matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
