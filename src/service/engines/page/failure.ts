// Errors for pages that are not results pages, with the received page, and the limits for parsing any page.
import { type PageFailureReason, pageFailureMessages, ServiceError } from '../../model/errors.ts';
import { repeatsNear } from '../../model/results/list-order.ts';
import { textOf } from './text.ts';
import { type Element, parseTree, type Tree, TreeLimitError } from './tree.ts';

/** Largest page that is read, in characters; the largest recorded one has 3.4 million. */
const charactersMax = 16 * 1024 * 1024;

/** A page failure with the page as it was received. */
export function pageFailure(reason: PageFailureReason, html: string, detail?: string): ServiceError {
  return failure(reason, html, pageFailureMessages[reason], detail);
}

/** Pages that are `unparseable` although their markup is valid, and why. */
const distrustMessages = {
  foreign: 'The page is not of this engine.',
  cut_off: 'The page is cut off before its end.',
  unread: 'Results of the page cannot be read.',
} as const;

/** The failure of a page with markup that proves no list of results. */
export function distrusted(why: keyof typeof distrustMessages, html: string, detail: string): ServiceError {
  return failure('unparseable', html, distrustMessages[why], detail);
}

function failure(reason: PageFailureReason, html: string, message: string, detail?: string): ServiceError {
  return new ServiceError('SERP_FAILED', detail === undefined ? message : `${message} ${detail}`, {
    reason,
    body: { contentType: 'text/html', text: html },
  });
}

/**
 * Parses the markup of a page with `read`. Throws SERP_FAILED `unparseable` if it is too large, too deep, or has no
 * elements.
 */
export function readTree<T>(html: string, read: (tree: Tree) => T): T {
  if (html.length > charactersMax)
    throw pageFailure('unparseable', html, `It has more than ${charactersMax} characters.`);
  try {
    const tree = parseTree(html);
    if (!tree.isText) return read(tree);
  } catch (error) {
    if (!(error instanceof TreeLimitError)) throw error;
    throw pageFailure('unparseable', html, `The ${error.message}.`);
  }
  throw pageFailure('unparseable', html, 'It has no elements.');
}

/**
 * Throws for two pages in one answer: the results of which one were asked for is unknown. Saved pages have stray start
 * tags, too, or a text before their first one: a second page has its own title or search box.
 */
export function rejectSeveralPages({ elements, startsAgain }: Tree, html: string): void {
  if (startsAgain && (elements.filter(isTitle).length > 1 || elements.filter(isSearchBox).length > 1))
    throw pageFailure('unparseable', html, 'The markup has more than one page.');
}

function isTitle(element: Element): boolean {
  return element.tag === 'title' && textOf(element) !== '';
}

function isSearchBox(element: Element): boolean {
  const isField = element.tag === 'textarea' || (element.tag === 'input' && element.get('type') !== 'hidden');
  return isField && element.get('name') === 'q';
}

/** Throws for a list with a shadow root in it or around it: what browsers show instead of it is not read. */
export function rejectShadowRoots({ shadowHosts }: Tree, list: Element | undefined, html: string): void {
  if (list !== undefined && shadowHosts.some((host) => list.contains(host) || host.contains(list)))
    throw distrusted('unread', html, 'Its list has a shadow root.');
}

/**
 * Throws if nothing follows the list of results: the page was saved before it had arrived completely, although its tags
 * are closed. On all recorded pages, other parts follow.
 */
export function rejectIncompletePage({ elements }: Tree, list: { readonly last: number }, html: string): void {
  if (elements.length - 1 > list.last) return;
  throw distrusted('cut_off', html, 'Nothing follows its results.');
}

/**
 * Throws if a result is listed again nearby, or half of the results or more are, with the same titles: on recorded
 * pages, none is.
 */
export function rejectRepeatedList(
  results: readonly { readonly result: { readonly title: string; readonly link: string } }[],
  html: string,
): void {
  const different = new Set(results.map(({ result }) => `${result.link} ${result.title}`)).size;
  const repeated = results.length - different;
  const listed = results.map(({ result }) => [result.link, result.title] as const);
  if ((repeated > 0 && 2 * repeated >= different) || repeatsNear(listed))
    throw distrusted('unread', html, 'Its results are listed twice.');
}

/** In how many characters at the end the closing `html` tag is searched: scripts and comments may follow it. */
const endCharacters = 100;
const tailCharacters = 65_536;

/**
 * Whether a page ends too early: its list would prove nothing. Pages close their `html` element; where a tool that
 * saves pages left that tag out, all elements that need an end tag are closed.
 */
export function isTruncated({ isCut }: Tree, html: string): boolean {
  return isCut && ![endCharacters, tailCharacters].some((last) => /<\/html\s*>/i.test(html.slice(-last)));
}

export function rejectTruncatedPage(tree: Tree, html: string): void {
  if (isTruncated(tree, html)) throw distrusted('cut_off', html, 'It ends within an element.');
}

const ids = new Set(
  'captcha captcha-form recaptcha b_captcha CaptchaContainer turnstile-wrapper turnstile-widget challenge-form px-captcha cf-challenge-running'.split(
    ' ',
  ),
);
const classText = /(?:^|\s)(?:captcha|captcha_header|cf-turnstile|g-recaptcha|h-captcha|anomaly-modal__[\w-]*)(?:\s|$)/;
const action = /\/sorry\/|CaptchaRedirect|\/challenge\/|captcha|\/anomaly\.js/i;
const answerField = /^(?:g-recaptcha|h-captcha|cf-turnstile)-response$/;
const frame = /captcha|challenges\.cloudflare\.com/i;

/** Throws for a page that asks to prove that a person searches: results behind the question prove nothing. */
export function rejectChallenge({ elements, frames }: Tree, html: string): void {
  if (elements.some(isChallenge) || frames.some((address) => frame.test(address))) throw pageFailure('blocked', html);
}

function isChallenge(element: Element): boolean {
  if (ids.has(element.get('id') ?? '') || classText.test(element.get('class') ?? '')) return true;
  if (answerField.test(element.get('name') ?? '')) return true;
  return element.tag === 'form' && action.test(element.get('action') ?? '');
}

/** Throws for a page of another site: less than two of its engine's marks are in it. */
export function rejectForeignPage(marks: readonly boolean[], html: string): void {
  if (marks.filter((mark) => mark).length >= 2) return;
  throw distrusted('foreign', html, 'It has no mark of this engine.');
}
