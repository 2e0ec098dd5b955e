// Anonymised pages contain no text, name, URL or token of the page, and equal values stay equal.
import { describe, expect, test } from 'vitest';
import { anonymisePage, differences, readPageOutcome } from '../../../src/service/engines/anonymise.ts';
import { googleEngine } from '../../../src/service/engines/google/index.ts';
import { foot, marks } from './google/pages.ts';

const hidden = Buffer.from('https://clinic.example/private').toString('base64url');
const page = (results: string): string =>
  `<html lang="en"><head><title>jane doe berlin - Google Search</title></head><body>${marks}` +
  `<div id="search"><div id="rso">${results}</div></div>${foot}</body></html>`;
const result = (title: string, host: string, text: string): string =>
  `<div class="g tF2Cxc"><a href="https://${host}/people/jane-doe?id=90210&amp;ref=Zk93xQ7"><h3>${title}</h3>` +
  `<cite>${host} › people</cite></a><div>${text}</div></div>`;
const html = page(
  result(
    'Jane Doe, <b>Doc</b>tor',
    'www.doe-clinic.co.uk',
    'Call +49 30 5551234 or write to jane@doe-clinic.co.uk today.',
  ) +
    result(
      'Jane Doe on Reddit',
      'www.reddit.com',
      'Praxis at 52.520008, 13.404954 since 2014: <img src="data:image/png;base64,AAAA">',
    ) +
    `<div class="g" title="Doctor"><a href="https://www.bing.com/ck/a?u=a1${hidden}"><h3>Doctor</h3></a></div>`,
);

describe('an anonymised page', () => {
  const fixture = anonymisePage(html);

  test('contains no word, number, host or token of the page, even if encoded', () => {
    const plain = fixture.html.replace(/u=a1([\w-]+)/g, (_, code) => Buffer.from(code, 'base64url').toString());
    for (const gone of ['jane', 'doe', 'doctor', 'berlin', 'praxis', 'clinic', '5551234', '520008', '90210', 'Zk93xQ7'])
      expect(plain.toLowerCase()).not.toContain(gone.toLowerCase());
    expect(plain).not.toContain('base64,');
    expect(plain).not.toContain('private');
  });

  test('keeps structure, names that many pages have, suffixes of hosts, and well-known sites', () => {
    expect(fixture.html).toContain('<div class="g tF2Cxc">');
    expect(fixture.html).toMatch(/<cite>www\.[a-z-]+\.co\.uk › [a-z]+<\/cite>/);
    expect(fixture.html).toContain('https://www.reddit.com/');
    expect(fixture.html).toMatch(/- [A-Za-z]+ Google|Google/);
  });

  test('has equal texts and links where the page has, even if emphasis splits a word', () => {
    const [title = ''] = /(?<=<h3>)[^<]*<b>[^<]*<\/b>[^<]*(?=<\/h3>)/.exec(fixture.html) ?? [];
    const word = title.replace(/<\/?b>/g, '').split(', ')[1];
    expect(fixture.html).toContain(`title="${word}"`);
    expect(fixture.text('jane doe')).toBe(fixture.text('Jane Doe').toLowerCase());
    const context = { mobile: false };
    expect(
      differences(readPageOutcome(googleEngine, html, context), readPageOutcome(googleEngine, fixture.html, context)),
    ).toEqual([]);
  });

  test('is the same each time, and differs for a page with one more character', () => {
    expect(anonymisePage(html).html).toBe(fixture.html);
    expect(anonymisePage(`${html} `).text('berlin')).not.toBe(fixture.text('berlin'));
  });

  test('ends where the page ends', () => {
    const cut = html.slice(0, html.lastIndexOf('</div>'));
    expect(readPageOutcome(googleEngine, anonymisePage(cut).html, { mobile: false })).toEqual({
      refused: 'unparseable',
    });
  });

  test('takes no text for a name, even in broken markup', () => {
    const broken = anonymisePage(`<p title="a" mueller="" <b>mueller@x <mueller class="mueller r-mueller">mueller</p>`);
    expect(broken.html).not.toContain('mueller');
  });
});

test('a difference in count, order, type or equality is detected', () => {
  const read = (results: string) => readPageOutcome(googleEngine, page(results), { mobile: false });
  const one = result('One', 'a.example', 'Some words about it.');
  const two = result('Two', 'b.example', 'Other words about it.');
  expect(differences(read(one + two), read(two + one))).toEqual([]);
  expect(differences(read(one + two), read(one))[0]).toBe('serp.organic.length: 2; in the fixture 1');
  expect(differences(read(one + two), read(one + result('One', 'b.example', 'Other words about it.')))).toEqual([
    'serp.organic.1.title: a new text; in the fixture the text of serp.organic.0.title',
  ]);
  expect(differences(read(one), { refused: 'consent' })).toContain('refused: absent; in the fixture consent');
});
