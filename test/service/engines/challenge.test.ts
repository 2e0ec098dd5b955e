// A page with a CAPTCHA is blocked, with or without results behind it.
import { expect, it } from 'vitest';
import { readPageOutcome } from '../../../src/service/engines/anonymise.ts';
import { bingEngine } from '../../../src/service/engines/bing/index.ts';
import { duckDuckGoEngine } from '../../../src/service/engines/duckduckgo/index.ts';
import { googleEngine } from '../../../src/service/engines/google/index.ts';
import { bingPage, bingResult } from './bing/pages.ts';
import { duckPage, duckResult } from './duckduckgo/pages.ts';
import { desktopPage, result } from './google/pages.ts';

const forms = [
  { engine: googleEngine, html: desktopPage(result('https://one.example/', 'One')) },
  { engine: bingEngine, html: bingPage(bingResult('https://one.example/', 'One')) },
  { engine: duckDuckGoEngine, html: duckPage(duckResult('https://one.example/', 'One')) },
];

const challenges = [
  '<form id="captcha-form" action="index"></form>',
  '<form action="/sorry/index" method="post"></form>',
  '<form action="/challenge/verify"></form>',
  '<form action="//duckduckgo.com/anomaly.js?sv=html"></form>',
  '<div class="g-recaptcha" data-sitekey="x"></div>',
  '<div class="h-captcha"></div>',
  '<div class="cf-turnstile"></div>',
  '<div class="captcha"><div class="captcha_header">One last step</div></div>',
  '<div class="anomaly-modal__mask"></div>',
  '<div id="px-captcha"></div>',
  '<textarea name="g-recaptcha-response" style="display:none"></textarea>',
  '<iframe title="x" src="https://www.google.com/recaptcha/api2/anchor?k=x"></iframe>',
  '<IFRAME SRC="https://newassets.hcaptcha.com/x"></IFRAME>',
  '<iframe src="https://challenges.cloudflare.com/x"></iframe>',
];

it.each(forms)('$engine.name: results behind a CAPTCHA prove nothing', ({ engine, html }) => {
  expect(readPageOutcome(engine, html, { mobile: false })).not.toHaveProperty('refused');
  for (const challenge of challenges) {
    const asked = html.replace(/<body[^>]*>/, `$&${challenge}`);
    expect(readPageOutcome(engine, asked, { mobile: false }), challenge).toEqual({ refused: 'blocked' });
  }
});

it.each(forms)('$engine.name: a CAPTCHA in an inner page is blocked too', ({ engine, html }) => {
  const inner = '<html><head></head><body><div id="turnstile-widget"></div></body></html>';
  expect(readPageOutcome(engine, html.replace('</body>', `${inner}</body>`), { mobile: false })).toEqual({
    refused: 'blocked',
  });
});

it.each(forms)(
  '$engine.name: a result about CAPTCHAs, and a frame of the engine, are no question',
  ({ engine, html }) => {
    const about = html
      .replace('One<', 'captcha, h-captcha<')
      .replace('https://one.example/', 'https://one.example/captcha')
      .replace('</body>', '<iframe src="https://one.example/"></iframe></body>');
    expect(readPageOutcome(engine, about, { mobile: false })).not.toHaveProperty('refused');
  },
);
