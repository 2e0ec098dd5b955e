// What a client's template adds to a page: logo, name, introduction and comments, chosen sections and columns. Pure.
import { commentsOn, type ReportTemplate } from '../../tracker/changes/client-reports.ts';
import type { PageFacts } from './data/page-facts.ts';
import { html, type Markup } from './text/markup.ts';

/** The logo, as large as its place; null: none. */
export function logoImage({ logo, name }: ReportTemplate): Markup | null {
  if (logo === null) return null;
  return html`<img class="logo" src="data:${logo.type};base64,${logo.base64}" alt="${name ?? 'Logo'}">`;
}

/** Introduction, and the comments on the days of the report; null: neither. */
export function introductionSection({ template, run, period }: PageFacts): Markup | null {
  const day = run.slot.slice(0, 'yyyy-mm-dd'.length);
  const texts = [
    ...(template.introduction === null ? [] : [template.introduction]),
    ...commentsOn(template, period?.from ?? day, period?.to ?? day),
  ];
  return texts.length === 0 ? null : html`${texts.flatMap(paragraphs)}`;
}

/** An empty line begins a new paragraph. */
function paragraphs(text: string): Markup[] {
  return text
    .split(/\n[ \t]*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => html`<p class="prose">${paragraph}</p>`);
}

/** Sections in the order of the template. */
export function chosenSections<Section extends { readonly id: string }>(
  { sections }: ReportTemplate,
  all: readonly Section[],
): readonly Section[] {
  return sections === null ? all : sections.flatMap((id) => all.filter((section) => section.id === id));
}
