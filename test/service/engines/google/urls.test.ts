// URLs of a results page: redirects, tracking parameters, links to the engine itself.
import { describe, expect, it } from 'vitest';
import { clean, imageAddress, readLink, readParameter } from '../../../../src/service/engines/google/urls.ts';

describe('a link', () => {
  it.each([
    ['https://a.example/x', 'https://a.example/x'],
    ['/url?q=https://a.example/x%3Fy%3D1&sa=U', 'https://a.example/x?y=1'],
    ['/url?q=https://a.example/caf%C3%A9+au+lait&amp;sa=U', 'https://a.example/café au lait'],
    ['/url?q=https://a.example/x#top', 'https://a.example/x'],
    ['/url?q=https://a.example/\tx&sa=U', 'https://a.example/x'],
    ['https://www.google.co.uk/url?sa=t&url=http%3A%2F%2Fa.example%2F', 'http://a.example/'],
    ['/url?sa=t&rct=j&q=&esrc=s&ved=2ahU&url=https%3A%2F%2Fa.example%2Fx&usg=AOv', 'https://a.example/x'],
    ['https://a-example.cdn.ampproject.org/c/s/a.example/x?usqp=mq3&y=1', 'https://a.example/x?y=1'],
    ['https://a-example.cdn.ampproject.org/v/a.example/x?amp_js_v=0.1&usqp=mq3', 'http://a.example/x'],
    [
      'https://a-example.cdn.ampproject.org/i/s/a.example/x.png',
      'https://a-example.cdn.ampproject.org/i/s/a.example/x.png',
    ],
    ['https://www.google.com/interstitial?url=https://a.example/', 'https://a.example/'],
    ['https://a.example/p?x=1#:~:text=one,two', 'https://a.example/p?x=1'],
    ['https://a.example/p#part:~:text=one', 'https://a.example/p#part'],
    ['https://a.example/p?srsltid=AfmB', 'https://a.example/p'],
    ['https://a.example/p?srsltid=AfmB&x=1', 'https://a.example/p?x=1'],
    ['https://a.example/p?x=1&srsltid=AfmB#end', 'https://a.example/p?x=1#end'],
    ['https://www.google.com/amp/s/a.example/x/amp?y=1', 'https://a.example/x/amp?y=1'],
    ['/amp/a.example/x', 'http://a.example/x'],
    [
      'https://translate.google.com/translate?u=https://a.example/x?y%3D1&hl=id&sl=en&client=srp',
      'https://a.example/x?y=1',
    ],
    ['https://a-example.translate.goog/x?_x_tr_sl=en&_x_tr_tl=id&_x_tr_pto=tc', 'https://a.example/x'],
    [
      'https://www-my--site-example.translate.goog/x?y=1&_x_tr_sl=en&_x_tr_hl=id&z=2#end',
      'https://www.my-site.example/x?y=1&z=2#end',
    ],
    ['https://a-example.translate.goog/?_x_tr_sch=http&_x_tr_sl=en', 'http://a.example/'],
    ['https://0-mnchen--3ya-example.translate.goog/?_x_tr_enc=0', 'https://xn--mnchen-3ya.example/'],
    ['https://1-en--us-example.translate.goog/?_x_tr_enc=1', 'https://en-us.example/'],
    ['https://site-example.translate.goog/?_x_tr_hp=my--', 'https://my-site.example/'],
    ['/url?q=https://a-example.translate.goog/%3F_x_tr_sl%3Den&sa=U', 'https://a.example/'],
    ['https://a_b.translate.goog/?_x_tr_sl=en', 'https://a_b.translate.goog/?_x_tr_sl=en'],
    [
      'https://translate.google.com.site.example/translate?u=https://a.example/',
      'https://translate.google.com.site.example/translate?u=https://a.example/',
    ],
    ['https://support.google.com/a/answer/7400753?hl=en', 'https://support.google.com/a/answer/7400753?hl=en'],
    ['https://scholar.google.com/citations?user=x', 'https://scholar.google.com/citations?user=x'],
    ['https://www.google.com/maps', 'https://www.google.com/maps'],
    ['https://www.google.com/search/about/', 'https://www.google.com/search/about/'],
    ['https://translate.google.com/?hl=en', 'https://translate.google.com/?hl=en'],
    ['https://notgoogle.com/search?q=x', 'https://notgoogle.com/search?q=x'],
    ['https://www.google.com/chrome/', 'https://www.google.com/chrome/'],
  ])('%s leads to %s', (href, destination) => {
    expect(readLink(href)).toEqual({ destination, isAd: false, isOpaque: false });
  });

  it.each([
    '/search?q=x',
    '#',
    'javascript:void(0)',
    '/url?q=/search?q=x',
    'https://support.google.com/websearch?p=ai_overviews&hl=en',
    'https://policies.google.com/privacy?hl=en&fg=1',
    '/url?q=https://maps.google.com/maps?q=x',
    'https://www.google.de/search?q=x',
    'https://www.google.com/travel/hotels?q=x&ved=1',
    'https://maps.google.de/maps?q=x',
    'https://webcache.googleusercontent.com/search?q=cache:x',
    'https://translate.google.com/translate?u=x',
    'https://scholar.google.com/scholar?q=x',
    'https://scholar.google.com/scholar_url?url=https://a.example/',
    'http://[bad',
    'mailto:a@b.example',
  ])('%s stays within the engine', (href) => {
    expect(readLink(href)).toEqual({ isAd: false, isOpaque: false });
  });

  it('of an ad gives its landing page only if the URL contains it', () => {
    expect(readLink('/aclk?sa=l&adurl=https://shop.example/')).toEqual({
      destination: 'https://shop.example/',
      isAd: true,
      isOpaque: false,
    });
    expect(readLink('https://www.googleadservices.com/pagead/aclk?sa=L&adurl=')).toEqual({
      isAd: true,
      isOpaque: false,
    });
  });

  it('behind a token is opaque', () => {
    expect(readLink('/goto?url=CAES')).toEqual({
      destination: 'https://www.google.com/goto?url=CAES',
      isAd: false,
      isOpaque: true,
    });
  });
});

describe('a URL', () => {
  it('is unchanged if it has no tracking parameters', () => {
    expect(clean('https://a.example/a?b=c&d#e')).toBe('https://a.example/a?b=c&d#e');
  });

  it('of a picture is absent if the page contains the picture itself', () => {
    expect([imageAddress('//i.example/1'), imageAddress('data:image/png;base64,iV'), imageAddress(undefined)]).toEqual([
      'https://i.example/1',
      undefined,
      undefined,
    ]);
  });
});

it.each([
  ['https://www.google.com/search?q=a+b', 'a b'],
  ['/search?q=caf%C3%A9', 'café'],
  ['/search?tbm=isch', ''],
  ['https://www.google.%/search?q=x', ''],
])('the query of %s is "%s"', (href, query) => {
  expect(readParameter(href, 'q')).toBe(query);
});
