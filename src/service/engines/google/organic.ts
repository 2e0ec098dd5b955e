// One organic result from its block: title, address line, source, description, video facts. Extensions are read in extensions.ts.
import type { OrganicResult } from '../../serp.ts';
import type { Found } from './column.ts';
import { readExtensions } from './extensions.ts';
import type { Survey } from './survey.ts';
import { type Line, linesOf, textOf } from './text.ts';
import type { Element } from './tree.ts';
import { imageAddress } from './urls.ts';

/** A result without its ranks, which depend on the whole page. */
export type UnrankedOrganic = Omit<OrganicResult, 'rank' | 'global_rank'>;

const durationText = /^(?:(\d{1,2}):)?(\d{1,3}):(\d{2})$/;
const addressText = /^(?:https?:\/\/)?(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}(?:[/\s:›]|$)/u;
/** Shortest text that is a description and not a label, in characters. */
const descriptionMin = 20;

/** The lines of a result, sorted by what they are. */
export interface ResultLines {
  readonly title: string;
  readonly header: readonly Line[];
  /** Below the header, in order: not the header again, no buttons, no menus. */
  readonly body: readonly Line[];
}

export function readOrganic(found: Found, survey: Survey): UnrankedOrganic {
  const { headed, block } = found;
  const lines = sortLines(found);
  const description = findDescription(lines.body);
  const address = findAddress(found, lines, survey);
  const source = findSource(lines, address);
  const extensions = readExtensions(found, lines, description, survey);
  const video = readVideo(block, lines, survey);
  const text = description === undefined ? undefined : withoutDate(description.text, extensions.date);
  return {
    title: lines.title,
    ...(text !== undefined && { description: text }),
    link: headed.link.destination ?? '',
    ...(address !== undefined && { display_link: address }),
    ...(source !== undefined && { source }),
    ...(extensions.items.length > 0 && { extensions: extensions.items }),
    ...video,
  };
}

function sortLines(found: Found): ResultLines {
  const { anchor, heading } = found.headed;
  const title = textOf(heading);
  const header: Line[] = [];
  const body: Line[] = [];
  const known = new Set([title]);
  for (const line of linesOf(found.block, { without: isApparatus })) {
    if (heading.contains(line.element)) continue;
    // Headings that only screen readers speak ("Web results").
    if (/^h[1-4]$/.test(line.element.tag)) continue;
    if (anchor.contains(line.element)) {
      header.push(line);
      known.add(line.text);
    } else if (!known.has(line.text)) body.push(line);
  }
  return { title, header, body };
}

/** Buttons, menus and pictures' labels within a result. */
function isApparatus(element: Element): boolean {
  const role = element.raw('role');
  return (
    role === 'button' ||
    role === 'menu' ||
    role === 'menuitem' ||
    element.raw('class')?.includes('action-menu') === true
  );
}

/** The longest line below the header that is not made of links. */
function findDescription(body: readonly Line[]): Line | undefined {
  let longest: Line | undefined;
  for (const line of body) {
    if (line.text.length < descriptionMin || isLinks(line) || line.element.tag === 'cite') continue;
    if (longest === undefined || line.text.length > longest.text.length) longest = line;
  }
  return longest;
}

/** Whether a line's text is mostly that of links, or stands in a link. */
export function isLinks(line: Line): boolean {
  for (let at: Element | null = line.element; at !== null; at = at.parent) if (at.tag === 'a') return true;
  let linked = 0;
  for (const child of line.element.children) {
    if (typeof child !== 'string') linked += linkedLength(child);
  }
  return linked > line.text.length * 0.6;
}

function linkedLength(element: Element): number {
  if (element.tag === 'a') return textOf(element).length;
  let length = 0;
  for (const child of element.children) if (typeof child !== 'string') length += linkedLength(child);
  return length;
}

/** The address as the page shows it: a `cite`, else a line of the header that reads like one. */
function findAddress(found: Found, lines: ResultLines, survey: Survey): string | undefined {
  const { block } = found;
  for (let order = block.order; order <= block.last; order++) {
    const element = survey.tree.elements[order];
    if (element?.tag !== 'cite') continue;
    const text = textOf(element);
    if (text !== '') return text;
  }
  const shown = lines.header.find((line) => addressText.test(line.text) || line.text.includes('›'));
  return shown?.text;
}

/** The site's name: a line of the header beside the address, or what stands before the address's path. */
function findSource(lines: ResultLines, address: string | undefined): string | undefined {
  const named = lines.header.find(
    (line) =>
      line.text !== address &&
      line.text !== lines.title &&
      !durationText.test(line.text) &&
      !addressText.test(line.text),
  );
  const before = address?.split('›')[0]?.trim() ?? '';
  if (named !== undefined && !named.text.includes('›') && address !== undefined) return named.text;
  return before !== '' && !addressText.test(before) && address?.includes('›') === true ? before : undefined;
}

function withoutDate(description: string, date: string | undefined): string {
  if (date === undefined || !description.startsWith(date)) return description;
  const rest = description.slice(date.length).replace(/^\s*[—–·-]+\s*/, '');
  return rest === '' ? description : rest;
}

/** Length and thumbnail of a video result. */
function readVideo(
  block: Element,
  lines: ResultLines,
  survey: Survey,
): Pick<UnrankedOrganic, 'image' | 'duration' | 'duration_sec'> {
  const line = [...lines.header, ...lines.body].find((each) => durationText.test(each.text));
  const [, hours, minutes, seconds] = durationText.exec(line?.text ?? '') ?? [];
  if (minutes === undefined || seconds === undefined) return {};
  const wholeMinutes = Number(hours ?? 0) * 60 + Number(minutes);
  const image = firstPicture(block, survey);
  return {
    ...(image !== undefined && { image }),
    duration: `${wholeMinutes}:${seconds}`,
    duration_sec: wholeMinutes * 60 + Number(seconds),
  };
}

/** Address of the first picture that is no site icon. */
export function firstPicture(block: Element, survey: Survey): string | undefined {
  for (let order = block.order; order <= block.last; order++) {
    const element = survey.tree.elements[order];
    if (element?.tag !== 'img') continue;
    const address = imageAddress(element.get('data-src')) ?? imageAddress(element.get('src'));
    if (address !== undefined && !/favicon/.test(address)) return address;
  }
  return undefined;
}
