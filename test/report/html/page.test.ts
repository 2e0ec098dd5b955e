// The page as text: its content policy, its data, its script, and the rows it keeps.
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { load } from 'cheerio';
import { describe, expect, it } from 'vitest';
import { readPageAssets } from '../../../jobs/report/html/page-assets.ts';
import { readHeadline } from '../../../src/report/html/headline.ts';
import { builtFacts, builtPage, heldData } from './built-page.ts';

describe('the page of a report', () => {
  const page = builtPage({ keywords: 80 });
  const $ = load(page);

  it('allows exactly its own scripts and style sheet', () => {
    const policy = $('meta[http-equiv="Content-Security-Policy"]').attr('content') ?? '';
    const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    const scripts = [$('script:not([type])').text(), readPageAssets().script].map(hash);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`script-src ${scripts.join(' ')};`);
    expect(policy).toContain(`style-src ${hash($('style').text())};`);
    expect(policy).not.toContain('unsafe');
    expect(page.indexOf('Content-Security-Policy')).toBeLessThan(page.indexOf('<script'));
  });

  it('names nothing that a browser would load: the only addresses are links', () => {
    expect($('[src], link, base, iframe, object').length).toBe(0);
    expect(page).not.toContain('sourceMappingURL');
    expect($('[style], [onclick], [onload], [onerror]').length).toBe(0);
  });

  it('holds its data packed, in characters that cannot end the element', () => {
    expect($('#report-data').text()).toMatch(/^[\w+/=]+$/);
    expect($('#report-facts').text()).not.toContain('<');
    const { rows, histories } = heldData(page);
    expect([rows.length, histories.length]).toEqual([80, 80]);
  });

  it('has its headline where the index reads it', () => {
    expect(readHeadline(page.slice(0, 16_384))).toMatchObject({ target: 'acme.com', total: 80 });
    expect(readHeadline('<html>')).toBe(null);
  });

  it('has its warning in its facts, and without scripts', () => {
    const warned = load(builtPage({ warning: 'suspect run: half is gone' }), { scriptingEnabled: false });
    expect(JSON.parse(warned('#report-facts').text())).toMatchObject({ warning: 'suspect run: half is gone' });
    expect(warned('noscript').text()).toContain('half is gone');
    expect($('#report-facts').text()).toContain('"warning":null');
  });

  it('keeps the rows with the most clicks if there are too many, and says how many there are', () => {
    const few = load(builtPage({ keywords: 80, rowsMax: 10 }), { scriptingEnabled: false });
    expect(few('noscript caption').text()).toContain('only 10 of 80 keywords are shown');
    const worth = (facts: ReturnType<typeof builtFacts>) =>
      facts.data.rows.map(({ estimatedClicksChange }) => Math.abs(estimatedClicksChange ?? -1));
    const [all, kept] = [worth(builtFacts({ keywords: 80 })), worth(builtFacts({ keywords: 80, rowsMax: 10 }))];
    expect(kept).toEqual(all.slice(0, 10));
  });

  it('shows headline numbers and the first rows without scripts, and can be without rows', () => {
    const plain = (options: Parameters<typeof builtPage>[0]) =>
      load(builtPage(options), { scriptingEnabled: false })('noscript tbody tr').length;
    expect(plain({ keywords: 80 })).toBeGreaterThan(50);
    expect(plain({ keywords: 0, dates: 0 })).toBe(0);
  });

  it('holds its script packed, as the build made it', () => {
    const packed = Buffer.from($('#report-script').text(), 'base64');
    expect(gunzipSync(packed).toString('utf8')).toBe(readPageAssets().script);
  });
});
