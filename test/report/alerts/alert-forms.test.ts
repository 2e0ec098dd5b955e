// Alerts as text and in channel formats: no keyword or URL breaks a line, a link or a messenger's markup.
import { describe, expect, it } from 'vitest';
import { alertDocument, alertLines, alertMail, slackMessage } from '../../../src/report/alerts/alert-forms.ts';
import { alertText, alertTitle } from '../../../src/report/alerts/alert-text.ts';
import type { Alert } from '../../../src/tracker/changes/alerts.ts';
import { keywordAlert, messageOf, runMessage } from '../../helpers/alerts.ts';

const of = (alert: Alert) => alertText(alert);

describe('the text of an alert', () => {
  it('says "unknown" rather than a number', () => {
    const gone = { rank: null, url: null, depth: 1, date: '2026-01-15' };
    expect(of(keywordAlert({ changeClass: 'dropped', now: gone }))).toContain(
      'dropped: not found in 1 page, was rank 12',
    );
    const unknown = keywordAlert({ now: gone, before: { rank: null, url: null, depth: null, date: null } });
    expect(of({ ...unknown, when: 'feature-lost', feature: 'video' })).toMatch(/: lost video \(not found in 1 page\)$/);
  });

  it('covers runs, budgets and the number of further alerts', () => {
    const run = { about: 'run', when: 'run-suspect', rule: 'run-suspect', state: 'complete', reason: 'r' } as const;
    expect(of({ ...run, heldBack: 0 })).toBe('the run is suspect: r; review its ranks before you trust them');
    expect(of({ ...run, heldBack: 1 })).toContain('1 alert about its ranks is held back');
    const budget = { about: 'budget', when: 'budget-share', rule: 'x', window: 'month', key: '2026-01' } as const;
    expect(of({ ...budget, currency: 'micro_usd', used: 8_500_000, cap: 10_000_000 })).toBe(
      '85 % of the keyword data budget of month 2026-01 are used: 8.50 USD of 10.00 USD',
    );
    expect(of({ about: 'rest', when: 'moved', rule: 'moved by 1 up', count: 4211 })).toContain('and 4,211 more');
  });

  it('stays on one line with any keyword', () => {
    const text = of(keywordAlert({ keyword: 'a\r\nb\u2028c\u0000d\u202Ee\uD800' }));
    expect(text).toContain('"a b c d e\uFFFD"');
  });
});

describe('the title of a message', () => {
  it('is the alert itself, or the number of alerts', () => {
    expect(alertTitle(runMessage())).toBe(`acme: ${of(keywordAlert())}`);
    const rest: Alert = { about: 'rest', when: 'moved', rule: 'moved by 5 any', count: 40 };
    expect(alertTitle(messageOf([keywordAlert(), keywordAlert(), rest]))).toBe('acme: 42 alerts, 2026-01-15T06:00');
  });

  it('says that data is simulated, and that a sample is one', () => {
    expect(alertTitle(runMessage({}, { warning: 'simulated data (sandbox), not real results' }))).toMatch(
      /^\[simulated\] acme/,
    );
    expect(alertTitle(runMessage({}, { run: null }))).toMatch(/^\[test\] acme/);
    expect([...alertTitle(runMessage({ keyword: 'x'.repeat(500) }))]).toHaveLength(150);
  });
});

describe('the messenger format', () => {
  const keyword = 'a <!channel> & <https://evil.example|click> > b';

  it('escapes mentions and links', () => {
    const { text, blocks } = slackMessage(runMessage({ keyword }));
    const section = JSON.stringify(blocks.filter((block) => (block as { type: string }).type !== 'header'));
    for (const shown of [text, section]) {
      expect(shown).toContain('a &lt;!channel&gt; &amp; &lt;https://evil.example|click&gt; &gt; b');
      expect(shown).not.toMatch(/<(?!https:\/\/seo\.example)/);
    }
  });

  it('links to the report if that is published', () => {
    const report = { directory: '/r/acme/x', url: 'https://seo.example/acme/x/?a=1&b=<>|' };
    const { blocks } = slackMessage(runMessage({}, { report, warning: 'suspect run: <b>' }));
    expect(blocks.at(-1)).toMatchObject({
      type: 'context',
      elements: [
        { text: 'suspect run: &lt;b&gt;' },
        { text: '<https://seo.example/acme/x/?a=1&amp;b=&lt;&gt;%7C|Report>' },
      ],
    });
    const own = slackMessage(runMessage({}, { report: { directory: '/r/acme/x', url: null } }));
    expect(own.text).toContain('Report: /r/acme/x');
  });

  it('stays within the limits of messengers: 50 blocks, 3,000 characters per section, 150 per header', () => {
    const alerts = Array.from({ length: 90 }, () => keywordAlert({ keyword: '&'.repeat(2000) }));
    const { blocks, text } = slackMessage(messageOf(alerts));
    expect(blocks.length).toBeLessThanOrEqual(50);
    const texts = blocks.map((block) => (block as { text?: { text: string } }).text?.text ?? '');
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(3000);
    expect(texts[0]?.length).toBeLessThanOrEqual(150);
    expect(text).toContain('and 71 more: see the report');
    expect(text.length).toBeLessThan(60_000);
  });
});

describe('the webhook document', () => {
  it('has every fact of each alert, with its id and text', () => {
    const document = alertDocument(runMessage({ tags: ['brand'] }));
    expect(document).toMatchObject({
      format: 1,
      event: 'alerts',
      project: 'acme',
      run: { id: 7 },
      warning: null,
      report: null,
    });
    expect(document.alerts[0]).toMatchObject({
      id: 'alert-1',
      tags: ['brand'],
      now: { rank: 4 },
      before: { rank: 12 },
    });
    const line = alertLines(runMessage(), 0);
    expect(JSON.parse(line)).toMatchObject({ at: '1970-01-01T00:00:00.000Z', id: 'alert-1', text: of(keywordAlert()) });
    expect(line.split('\n')).toHaveLength(2);
  });
});

describe('an alert by mail', () => {
  it('names run, warning and report, and cuts a long list', () => {
    const many = messageOf(
      Array.from({ length: 300 }, () => keywordAlert()),
      {
        warning: 'suspect run: x',
        report: { directory: '/r/acme/x', url: 'https://seo.example/acme/x/' },
      },
    );
    const { subject, text } = alertMail(many, 'report.html');
    expect(subject).toBe('[rankledger] acme: 300 alerts, 2026-01-15T06:00');
    expect(text).toContain('Run 7 of 2026-01-15T06:00 (UTC), complete\nAttention: suspect run: x\n');
    expect(text).toContain(
      '- and 101 more: see the report\n\nReport: https://seo.example/acme/x/\nAttached: report.html\n',
    );
  });

  it('has the same in HTML: escaped, with inline styles, without scripts and remote content', () => {
    const hostile = keywordAlert({ keyword: '<img src=x onerror=alert(1)>\u202E' });
    const report = { directory: '/r/acme/x', url: 'https://seo.example/acme/x/?a=1&b=2' };
    const { html } = alertMail(messageOf([hostile], { warning: 'suspect run: x', report }), 'report.html');
    expect(html).toContain('&#60;img src=x onerror=alert(1)&#62; <');
    expect(html).toContain('Attention: suspect run: x');
    expect(html).toContain('<a href="https://seo.example/acme/x/?a=1&#38;b=2"');
    expect(html).toContain('Attached: report.html');
    expect(html).not.toMatch(/<(script|img|link|style|iframe)|url\(|src="/i);
  });

  it('in HTML links no address that is not of the web', () => {
    const report = { directory: '/r/acme/x', url: 'javascript:alert(1)' };
    expect(alertMail(messageOf([keywordAlert()], { report }), null).html).not.toContain('javascript:');
  });
});
