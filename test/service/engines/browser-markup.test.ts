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

it.each(forms)('$engine.name: two html elements are two pages', (form) => {
  expect(() => linksOf(form, [form.item(one, 'First'), '<html hidden>', form.item(two, 'Second')])).toThrow(
    'more than one page',
  );
});
