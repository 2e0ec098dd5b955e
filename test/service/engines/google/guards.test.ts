// Pages that are not SERPs are refused with their reason; "no results" is a SERP.
import { describe, expect, it } from 'vitest';
import { googleEngine } from '../../../../src/service/engines/google/index.ts';
import { type PageFailureReason, ServiceError } from '../../../../src/service/model/errors.ts';
import { desktopPage, foot, marks, result } from './pages.ts';

function reasonOf(html: string, keyword?: string): PageFailureReason | 'none' {
  try {
    googleEngine.parse(html, { mobile: false, ...(keyword !== undefined && { keyword }) });
    return 'none';
  } catch (error) {
    if (!(error instanceof ServiceError) || error.reason === undefined) throw error;
    expect([error.code, error.body]).toEqual(['SERP_FAILED', { contentType: 'text/html', text: html }]);
    return error.reason;
  }
}

const rows = result('https://a.example/', 'A');

describe('a page that is not a SERP', () => {
  it.each<[string, string, PageFailureReason]>([
    [
      'a captcha',
      '<body><form id="captcha-form" action="index"><div id="recaptcha" class="g-recaptcha"></div></form></body>',
      'blocked',
    ],
    [
      'a challenge of another form',
      '<body><form action="/sorry/CaptchaRedirect"><input name="q" value="t"></form></body>',
      'blocked',
    ],
    [
      'a consent page',
      '<body><h1>Before</h1><form action="https://consent.google.de/save" method="POST"><button>Yes</button></form></body>',
      'consent',
    ],
    [
      'the shell for scripts',
      '<body><noscript>Click <a href="/httpservice/retry/enablejs?sei=1">here</a></noscript><div style="display:none">x</div></body>',
      'javascript_wall',
    ],
    [
      'a page that scripts have yet to fill',
      '<body><div id="main"><div id="gsr"></div></div></body>',
      'javascript_wall',
    ],
    [
      'a page with places only',
      desktopPage(
        `<div>${'<a data-cid="16988437091993954230">Bridge Dental, a dentist close to the bridge</a>'.repeat(8)}</div>`,
      ),
      'no_organic_results',
    ],
    ['nothing', '', 'unparseable'],
    ['a text', 'Service unavailable', 'unparseable'],
  ])('%s', (_, html, reason) => {
    expect(reasonOf(html)).toBe(reason);
  });

  it('can be read with a consent dialog over its results', () => {
    expect(reasonOf(desktopPage(`<form action="https://consent.google.com/save"></form>${rows}`))).toBe('none');
  });
});

describe('the query', () => {
  it.each(['running shoes', ' Running   SHOES ', 'ｒｕｎｎｉｎｇ shoes'])(
    'matches in any case, width and spacing: %s',
    (keyword) => {
      expect(reasonOf(desktopPage(rows), keyword)).toBe('none');
    },
  );

  it.each([
    ['why is the sky blue?', 'Why is the sky blue'],
    ['café au lait', 'cafe au lait'],
    ["what's new, here", 'whats new here'],
    ['e-mail', 'email'],
    ['iphone 11', 'iphone11'],
    ['東京 ホテル', '東京　ホテル'],
  ])('matches with any punctuation, accents and spaces: %s, %s', (query, keyword) => {
    expect(reasonOf(desktopPage(rows, { query }), keyword)).toBe('none');
    expect(reasonOf(desktopPage(rows, { query: keyword }), query)).toBe('none');
  });

  it.each([
    ['c++', 'c'],
    ['c#', 'c'],
    ['.net', 'net'],
    ['jaguar -car', 'jaguar car'],
    ['"exact words"', 'exact words'],
    ['की', 'का'],
    ['?', '!'],
    ['running shoe', 'running shoes'],
  ])('differs if a character changes the search: %s, %s', (query, keyword) => {
    expect(reasonOf(desktopPage(rows, { query }), keyword)).toBe('wrong_query');
    expect(reasonOf(desktopPage(rows, { query: keyword }), query)).toBe('wrong_query');
  });

  it('differs if the search box shows another one, or the title if there is no box', () => {
    expect(reasonOf(desktopPage(rows), 'walking shoes')).toBe('wrong_query');
    expect(reasonOf(`<title>café - Recherche Google</title>${marks}<div id="rso">${rows}</div>${foot}`, 'thé')).toBe(
      'wrong_query',
    );
    expect(
      reasonOf(`<title>café - Recherche Google</title>${marks}<div id="rso">${rows}</div>${foot}`, 'cafe\u0301'),
    ).toBe('none');
  });

  it('differs if the quoted query found nothing and the results are those without quotes', () => {
    const query = '"shoes that run"';
    const wider = (link: string): string => `<div>No results for <b>${query}</b></div><div>Results for ${link}:</div>`;
    const without = '<a href="/search?q=shoes+that+run"><b>shoes that run</b></a>';
    expect(reasonOf(desktopPage(rows, { query, before: wider(without) }), query)).toBe('wrong_query');
    expect(reasonOf(desktopPage(rows, { query, before: wider('<a href="/maps">shoes that run</a>') }), query)).toBe(
      'none',
    );
    expect(reasonOf(desktopPage(rows, { query, after: without }), query)).toBe('none');
    expect(
      reasonOf(desktopPage(rows, { before: '<a href="/search?q=running+shoes">running shoes</a>' }), 'running shoes'),
    ).toBe('none');
  });

  it('is not checked if the page shows none', () => {
    expect(reasonOf(`${marks}<div id="rso">${rows}</div>${foot}`, 'anything')).toBe('none');
  });

  it('differs if the engine corrected it', () => {
    const corrected =
      '<p><span>Showing results for</span> <a id="fprsl" href="/search?q=running+shoes&amp;spell=1"><b><i>running</i></b> shoes</a><br><a href="/search?q=runing+shoes&amp;nfpr=1">runing shoes</a></p>';
    expect(reasonOf(desktopPage(rows, { before: corrected, query: 'runing shoes' }), 'runing shoes')).toBe(
      'wrong_query',
    );
    expect(
      reasonOf(
        desktopPage(rows, { before: corrected.replace(' id="fprsl"', ''), query: 'runing shoes' }),
        'runing shoes',
      ),
    ).toBe('wrong_query');
  });

  it('is the same if the engine only suggests another one', () => {
    const meant = '<p><span>Did you mean</span> <a href="/search?q=running+shoes&amp;spell=1">running shoes</a></p>';
    expect(reasonOf(desktopPage(rows, { before: meant, query: 'runing shoes' }), 'runing shoes')).toBe('none');
  });
});

describe('a page that would prove nothing', () => {
  const whole = desktopPage(`${result('https://a.example/', 'First')}${result('https://b.example/', 'Second')}`);

  it('is refused if it is truncated, and read if only its end has an old form', () => {
    expect(reasonOf(whole.slice(0, -20))).toBe('unparseable');
    expect(reasonOf(whole.replace('</html>', '</HTML >\n<!-- end -->'))).toBe('none');
  });

  it('is refused if it is not a page of the engine, even with linked headings', () => {
    const blog =
      '<html><body><article><a href="https://a.example/"><h3>First</h3></a><p>Text</p></article></body></html>';
    expect(reasonOf(blog)).toBe('unparseable');
  });
});
