// Detects pages with a CAPTCHA, of an engine or of the services that guard sites, with or without results.
import { pageFailure } from './failure.ts';
import type { Element, Tree } from './tree.ts';

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
