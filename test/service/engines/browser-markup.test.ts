// Pages are read as browsers show them: what they ignore conceals no result.
import { expect, it } from 'vitest';
import { forms } from './forms.ts';

type Form = (typeof forms)[number];

const [one, two, three] = ['https://one.example/', 'https://two.example/', 'https://three.example/'];

const linksOf = ({ engine, page }: Form, items: readonly string[]) =>
  (engine.parse(page(items.join('')), { mobile: false }).serp.organic ?? []).map(({ link }) => link);

/** Markup before or around the second of three results; browsers show all of them. */
const shown: readonly (readonly [string, (item: string) => string])[] = [
  ['a repeated attribute', (item) => item.replace(/^<(\w+)/, '<$1 style="color:red" style="display:none"')],
  ['a picture without end', (item) => `<svg><path d="M0"/>${item}</svg>`],
  ['a picture with a title without text', (item) => `<svg><title/></svg>${item}<svg><title>x</title></svg>`],
  ['a picture with an empty style sheet', (item) => `<svg><style/></svg>${item}<svg><style></style></svg>`],
  ['a formula with a title without text', (item) => `<math><title/></math>${item}<math><title>x</title></math>`],
  ['a section of data', (item) => `<![CDATA[>${item}<!-- ]]> -->`],
  ['noscript with the start of a comment', (item) => `<noscript><!-- </noscript>${item}<!-- -->`],
  ['noscript with an open attribute', (item) => `<noscript><p title="</noscript>${item}<p title=""></p>`],
  ['noscript with an open style sheet', (item) => `<noscript><style></noscript>${item}<style></style>`],
  ['a cell outside of a table', (item) => `<td hidden>${item}</td>`],
  ['a row outside of a table', (item) => `<tr hidden>${item}</tr>`],
  ['a part outside of a table', (item) => `<tbody hidden><caption hidden>${item}</caption></tbody>`],
  ['a parameter, which has no content', (item) => `<param hidden>${item}`],
  ['a second head', (item) => `<head hidden>${item}</head>`],
  ['a paragraph, which a block ends', (item) => `<p hidden>x<h4></h4>${item}`],
  ['an item of a list, which the next one ends', (item) => `<ul><li hidden><div>x<li>${item}</ul>`],
  ['a row, which the next one ends', (item) => `<table><tr hidden><td><p>x<tr><td>${item}</table>`],
  ['the ends of the page in its middle', (item) => `</body></html>${item}`],
  ['the ends of a body and of what was never open', (item) => `</body></section></td>${item}</html>`],
  ['the end of a paragraph that is not open', (item) => `</p>${item}</br>`],
  ['formatting that ends in the wrong order', (item) => `<b><i>x</b>y</i>${item}`],
  ['text in a table outside of its cells', (item) => `<table><tr>x<td>y</table>${item}`],
  ['a form within a form', (item) => `<form><form></form>${item}</form>`],
  ['a link that the next one ends', (item) => `<a href="https://decoy.example/">x${item}`],
  ['a button that the next one ends', (item) => `<button>x<button>y</button>${item}`],
  ['a document type in the middle', (item) => `<!doctype html>${item}`],
  ['a plain end of a comment', (item) => `<!--x--!>${item}<!-->x-->`],
  ['an instruction', (item) => `<?xml version="1.0"?>${item}`],
  ['a null character', (item) => `\0${item.replace('class', 'class\0="x" class')}`],
  ['attributes without spaces between them', (item) => item.replace(/^<(\w+) /, '<$1 id="x"title="y"')],
  ['a slash between attributes', (item) => item.replace(/^<(\w+) /, '<$1/')],
  [
    'class names with references',
    (item) => item.replace('class="b_', 'class="&#98;_').replace('class="re', 'class="&#114;e'),
  ],
];

it.each(forms)('$engine.name: what browsers ignore conceals no result', (form) => {
  for (const [name, change] of shown) {
    const items = [form.item(one, 'First'), change(form.item(two, 'Second')), form.item(three, 'Third')];
    expect(linksOf(form, items), name).toEqual([one, two, three]);
  }
});

it.each(forms)('$engine.name: ends of elements that close its list never lose a result in silence', (form) => {
  const items = [form.item(one, 'First'), form.item(two, 'Second'), form.item(three, 'Third')];
  for (let count = 1; count < 12; count++) {
    const stray = [items[0] ?? '', '</div>'.repeat(count), ...items.slice(1)];
    let links: string[] | undefined;
    try {
      links = linksOf(form, stray);
    } catch (error) {
      expect((error as Error).message).toContain('cannot be read');
    }
    expect(links ?? [one, two, three]).toEqual([one, two, three]);
  }
});

it('Bing: a result whose end tags are left out ends before the next one', () => {
  const form = forms.find(({ engine }) => engine.name === 'bing');
  if (form === undefined) throw new Error('Bing has no form.');
  const items = [form.item(one, 'First'), form.item(two, 'Second')].map((item) => item.replace('</li>', '<p>x'));
  expect(linksOf(form, [...items, form.item(three, 'Third')])).toEqual([one, two, three]);
});

it.each(forms)('$engine.name: a list with a shadow root is refused', (form) => {
  const items = [form.item(one, 'First'), form.item(two, 'Second')];
  const host = `<div><template shadowrootmode="open">${form.item(three, 'Third')}</template>x</div>`;
  expect(() => linksOf(form, [...items, host])).toThrow('shadow root');
  const tail = `${host.replaceAll(three, '/')}</body>`;
  const elsewhere = { ...form, page: (list: string) => form.page(list).replace('</body>', tail) };
  expect(linksOf(elsewhere, items)).toEqual([one, two]);
});

it.each(forms)('$engine.name: a page that ends within a tag, a script or an element is refused', (form) => {
  const html = form.page([one, two, three].map((link, nth) => form.item(link, `Shoes ${nth}`)).join(''));
  const whole = html.replace(/<\/body>.*$/s, '');
  const read = (page: string) => linksOf({ ...form, page: () => page }, []);
  expect(read(`${whole}</body>`)).toEqual([one, two, three]);
  expect(read(`${whole}<div>x</div></body></html><!-- x -->`)).toEqual([one, two, three]);
  const ends = [
    '<div',
    '<a href="x',
    '<a href=x',
    '<script>x',
    '<style>a{',
    '<!-- x',
    '<textarea>',
    '<title>',
    '</div',
    '<div>',
    '<svg>',
  ];
  for (const end of ends) expect(() => read(whole + end), end).toThrow('cut off');
});
