// Detects pages with a CAPTCHA, of an engine or of the services that guard sites, with or without results.
import { type Element, isAmong } from './element.ts';
import { pageFailure } from './failure.ts';
import type { Tree } from './tree.ts';

const ids = new Set(
  'captcha captcha-form recaptcha b_captcha CaptchaContainer turnstile-wrapper turnstile-widget challenge-form px-captcha cf-challenge-running'.split(
    ' ',
  ),
);
const classes = ['captcha', 'captcha_header', 'cf-turnstile', 'g-recaptcha', 'h-captcha', 'anomaly-modal__*'];
/** A part of each of these classes: most elements have none. */
const classText = /captcha|turnstile|anomaly/;
const action = /\/sorry\/|CaptchaRedirect|\/challenge\/|captcha|\/anomaly\.js/i;
const answerField = /^(?:g-recaptcha|h-captcha|cf-turnstile)-response$/;
const frame = /captcha|challenges\.cloudflare\.com/i;

/** Throws for a page that asks to prove that a person searches: results behind the question prove nothing. */
export function rejectChallenge({ elements, frames }: Tree, html: string): void {
  if (elements.some(isChallenge) || frames.some((address) => frame.test(address))) throw pageFailure('blocked', html);
}

/** Reads each attribute once: every element of a page passes here. */
function isChallenge({ tag, attributes }: Element): boolean {
  for (let i = 0; i < attributes.length; i += 2) {
    const [name = '', value = ''] = [attributes[i], attributes[i + 1]];
    if (name === 'id' && ids.has(value)) return true;
    if (name === 'class' && classText.test(value) && classes.some((each) => isAmong(value, each))) return true;
    if (name === 'name' && answerField.test(value)) return true;
    if (name === 'action' && tag === 'form' && action.test(value)) return true;
  }
  return false;
}
