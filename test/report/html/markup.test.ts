// HTML templates: inserted values stay text wherever they are inserted.
import { describe, expect, it } from 'vitest';
import { escaped, html, link, trusted } from '../../../src/report/html/text/markup.ts';

describe('an HTML template', () => {
  it('escapes inserted values, in elements and in quoted attributes', () => {
    expect(html`<p title="${'"><b>'}">${'<i> & `'}</p>`.text).toBe(
      '<p title="&quot;&gt;&lt;b&gt;">&lt;i&gt; &amp; &#96;</p>',
    );
  });

  it('keeps its own markup, also in lists, and renders nothing for nothing', () => {
    expect(html`<ul>${['a', '<'].map((text) => html`<li>${text}</li>`)}${null}${undefined}${false}${0}</ul>`.text).toBe(
      '<ul><li>a</li><li>&lt;</li>0</ul>',
    );
    expect(html`${trusted('<b>')}`.text).toBe('<b>');
  });

  it('treats no value from outside as markup, in any shape', () => {
    expect(html`${JSON.parse('["<b>"]')}`.text).toBe('&lt;b&gt;');
  });

  it('contains no lone surrogates and no control characters', () => {
    expect(escaped('a\uD800b\u0000c\u0085d\te')).toBe('a\uFFFDb\uFFFDc\uFFFDd\te');
  });
});

describe('a link', () => {
  it('leads only to addresses of the web', () => {
    expect(link('https://a.example/x?a=1&b="').text).toContain('href="https://a.example/x?a=1&amp;b=&quot;"');
    for (const url of [
      'javascript:alert(1)',
      ' https://a.example',
      'data:text/html,x',
      'https:alert(1)',
      '//a.example',
      'https:///x',
    ]) {
      expect(link(url).text).not.toContain('href');
    }
  });
});
