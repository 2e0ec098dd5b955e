// Reads one organic result from its block: title, address line, source, description, video facts.
import type { OrganicResult } from '../../../model/results/serp.ts';
import { addressText, isAddress, isLinks, readLines, type TextLine, textOf } from '../../page/text.ts';
import type { Element } from '../../page/tree.ts';
import type { PageIndex } from '../page/page-index.ts';
import { isRated, leadSeparator, type ResultLines, readExtensions } from './extensions.ts';
import type { Found } from './results.ts';
import { clean, hiddenDestination, imageAddress } from './urls.ts';

/** A result without its ranks, which depend on the whole page. */
export type UnrankedOrganic = Omit<OrganicResult, 'rank' | 'global_rank'>;

const durationText = /^(?:(\d{1,2}):)?(\d{1,3}):(\d{2})$/;
/** Shorter texts are labels, longer ones never are, in characters. */
const shortestDescription = 20;
const sureDescription = 80;

type Destination = Pick<OrganicResult, 'link' | 'destination_state'>;

export function readOrganic(found: Found, pageIndex: PageIndex): UnrankedOrganic {
  const { block } = found;
  const lines = sortLines(found);
  const address = findAddress(found, lines, pageIndex);
  const source = findSource(lines, address);
  const description = findDescription(lines.body);
  const extensions = readExtensions({ found, lines, description, address, source, pageIndex });
  const text = description === undefined ? undefined : withoutLead(description.text, extensions.lead);
  return {
    title: lines.title,
    ...(text !== undefined && { description: text }),
    ...findDestination(found, address, pageIndex),
    ...(address !== undefined && { display_link: address }),
    ...(source !== undefined && { source }),
    ...(extensions.items.length > 0 && { extensions: extensions.items }),
    ...readVideo(block, lines, pageIndex),
  };
}

/**
 * The link's destination. If the engine hides it, the page may still name it beside the result ("About this result"
 * contains a URL), or show the site's address: its origin then replaces the page. Otherwise the redirect stays.
 */
function findDestination({ headed, block }: Found, address: string | undefined, pageIndex: PageIndex): Destination {
  const destination = headed.link.destination ?? '';
  if (!headed.link.isOpaque) return { link: destination };
  for (let order = block.order; order <= block.last; order++) {
    const name = pageIndex.tree.elements[order]?.get('data-id') ?? '';
    const [named] = /https?:\/\/.+$/s.exec(name.split(/[\s"<>]/).at(-1) ?? '') ?? [];
    if (named !== undefined && URL.canParse(named)) return { link: clean(named) };
  }
  return hiddenDestination(destination, address);
}

function sortLines(found: Found): ResultLines {
  const { anchor, heading } = found.headed;
  const title = textOf(heading);
  const header: TextLine[] = [];
  const body: TextLine[] = [];
  const known = new Set([title]);
  // Titles within the block belong to features: searches that open below the result.
  const isLeftOut = (each: Element): boolean => {
    const role = each.get('role');
    if (role === 'heading' && !each.contains(heading) && !heading.contains(each)) return true;
    return isApparatus(each, role);
  };
  for (const line of readLines(found.block, { without: isLeftOut })) {
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
function isApparatus(element: Element, role: string | undefined): boolean {
  return (
    role === 'button' ||
    role === 'menu' ||
    role === 'menuitem' ||
    element.get('class')?.includes('action-menu') === true
  );
}

/** The first long line below the header that is not an address, links or a rating; else the longest of them. */
function findDescription(body: readonly TextLine[]): TextLine | undefined {
  let longest: TextLine | undefined;
  for (const line of body) {
    if (line.text.length < shortestDescription || addressText.test(line.text) || isRated(line.text) || isLinks(line))
      continue;
    if (line.text.length >= sureDescription) return line;
    if (longest === undefined || line.text.length > longest.text.length) longest = line;
  }
  return longest;
}

/** The displayed address: a `cite` with the form of one, else such a line of the header. */
function findAddress(found: Found, lines: ResultLines, pageIndex: PageIndex): string | undefined {
  const { block } = found;
  for (let order = block.order; order <= block.last; order++) {
    const element = pageIndex.tree.elements[order];
    if (element?.tag !== 'cite') continue;
    const text = textOf(element);
    if (isAddress(text)) return text;
  }
  return lines.header.find((line) => isAddress(line.text))?.text;
}

/** The site's name: the first line of the header that is not an address, or the text before the address's path. */
function findSource(lines: ResultLines, address: string | undefined): string | undefined {
  const named = lines.header.find(
    (line) =>
      line.text !== address && !line.text.includes('›') && !line.text.includes('://') && !durationText.test(line.text),
  );
  if (named !== undefined) return named.text;
  const [before, path] = address?.split('›') ?? [];
  return path === undefined || before === undefined || addressText.test(before.trim())
    ? undefined
    : before.trim() || undefined;
}

function withoutLead(description: string, lead: string | undefined): string {
  if (lead === undefined || !description.startsWith(lead)) return description;
  const rest = description.slice(lead.length).replace(leadSeparator, '');
  return rest === '' ? description : rest;
}

/** Length and thumbnail of a video result. */
function readVideo(
  block: Element,
  lines: ResultLines,
  pageIndex: PageIndex,
): Pick<UnrankedOrganic, 'image' | 'duration' | 'duration_sec'> {
  const line = [...lines.header, ...lines.body].find((each) => durationText.test(each.text));
  const [, hours, minutes, seconds] = durationText.exec(line?.text ?? '') ?? [];
  if (minutes === undefined || seconds === undefined) return {};
  const wholeMinutes = Number(hours ?? 0) * 60 + Number(minutes);
  const image = firstPicture(block, pageIndex);
  return {
    ...(image !== undefined && { image }),
    duration: `${wholeMinutes}:${seconds}`,
    duration_sec: wholeMinutes * 60 + Number(seconds),
  };
}

/** Address of the first picture that is no site icon. */
function firstPicture(block: Element, pageIndex: PageIndex): string | undefined {
  for (let order = block.order; order <= block.last; order++) {
    const element = pageIndex.tree.elements[order];
    if (element?.tag !== 'img') continue;
    const address = imageAddress(element.get('data-src')) ?? imageAddress(element.get('src'));
    if (address !== undefined && !/favicon/.test(address)) return address;
  }
  return undefined;
}
