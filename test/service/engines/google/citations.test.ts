// Citations of an AI overview: pages of November 2025 have them in comments, pages of early 2025 in scripts.
import { expect, it } from 'vitest';
import type { AiOverviewText } from '../../../../src/service/model/results/serp.ts';
import { desktopPage, read, result } from './pages.ts';

const [one, two, three] = ['aaaaaaaa', 'bbbbbbbb', 'cccccccc'].map((head) => `${head}-1111-2222-3333-444444444444`);
const cards = ['https://a.example/', 'https://b.example/', 'https://c.example/']
  .map((href) => `<li><a aria-label="About ${href}" href="${href}#:~:text=x"></a><div>About ${href}</div></li>`)
  .join('');

function textsOf(content: string, rest = ''): readonly AiOverviewText[] | undefined {
  const before = `<div data-mcpr><div data-container-id="main-col">${content}</div><ul>${cards}</ul></div>${rest}`;
  return read(desktopPage(result('https://r.example/', 'R'), { before })).serp.ai_overview?.texts;
}

/** A mark of November 2025 and its comments: a page as a card, or its number and URL. */
const mark = (id: string | undefined) =>
  `<span><button data-icl-uuid="${id}" aria-label="View related links"></button></span>`;
const card = (id: string | undefined, href: string) =>
  `<!--Sv6Kpe[["${id}",["Title","Excerpt","https://icon.example/","https://site.example",["Site"],"${href}"],0]]-->`;
const short = (id: string | undefined, href: string) =>
  `<!--Sv6Kpe[[&quot;${id}&quot;,&quot;15&quot;,0,&quot;${href}&quot;,&quot;icon&quot;,&quot;&quot;]]-->`;

it('citations are read from comments: each part has the references of its mark', () => {
  const content = `<div>Nothing is cited here.</div><div>Shoes are made. ${mark(one)}</div>
    <ul><li>First. ${mark(two)}</li><li>Second.</li></ul><h3>A title ${mark(three)}</h3><div>The end. ${mark('dddddddd-1111-2222-3333-444444444444')}</div>`;
  const comments = `${card(one, 'https://c.example/#:~:text=y')}${short(one, 'https://a.example/')}${short(two, 'https://b.example/#:~:text=z')}${short(three, 'https://elsewhere.example/')}`;
  expect(textsOf(content, comments)).toEqual([
    { type: 'paragraph', snippet: 'Nothing is cited here.' },
    { type: 'paragraph', snippet: 'Shoes are made.', reference_indexes: [1, 3] },
    {
      type: 'list',
      list: [
        { type: 'paragraph', snippet: 'First.', reference_indexes: [2] },
        { type: 'paragraph', snippet: 'Second.' },
      ],
    },
    // a page that the overview does not cite has no index
    { type: 'title', snippet: 'A title' },
    { type: 'paragraph', snippet: 'The end.' },
  ]);
});

it('citations are read from scripts: pages are numbered in the order of their cards', () => {
  const cid = (id: string | undefined) => `<span data-cid="${id}"><div data-cid="${id}" role="button"></div></span>`;
  const content = `<div>Shoes are made. ${cid(one)}</div><div><span role="heading" aria-level="2">A title</span>${cid(two)}</div>`;
  const script = `<script>x({"AqCAY0":["${one}",[42105,300]],"AqCAX0":["${two}",[7,999]],"AqCAYk":[[300,7,42105,999],[]]})</script>`;
  expect(textsOf(content, script)).toEqual([
    { type: 'paragraph', snippet: 'Shoes are made.', reference_indexes: [1, 3] },
    // a page without a card yet is unknown
    { type: 'title', snippet: 'A title', reference_indexes: [2] },
  ]);
});

it('citations are absent if the page lacks them or has them in another form', () => {
  for (const rest of ['', '<!--Sv6Kpe[["-->', `<!--Sv6Kpe[["${one}",]]-->`, `<!--Sv6Kpe[["${one}",7,0,{}]]-->`])
    expect(textsOf(`<div>Shoes are made. ${mark(one)}</div>`, rest)).toEqual([
      { type: 'paragraph', snippet: 'Shoes are made.' },
    ]);
});

it('citations are read from comments with bars before the list, as since mid-2026, and from URLs anywhere in them', () => {
  for (const bars of ['|', '||', '|||']) {
    const comments = `${card(one, 'https://c.example/')}<!--TgQPHd${bars}[]-->`.replace('Sv6Kpe[', `TgQPHd${bars}[`);
    const other = `<!--TgQPHd${bars}[["${two}",null,null,0,"",[7,["https://icon.example/","https://b.example/#:~:text=q"]],1]]-->`;
    expect(
      textsOf(`<div>Shoes are made. ${mark(one)}</div><div>They last. ${mark(two)}</div>`, comments + other),
    ).toEqual([
      { type: 'paragraph', snippet: 'Shoes are made.', reference_indexes: [3] },
      { type: 'paragraph', snippet: 'They last.', reference_indexes: [2] },
    ]);
  }
});

it('citations are read from the link of a chip, and from the only page of the site that it names', () => {
  const link = `<span><a href="https://b.example/" aria-label="Site (+1) – Title"></a><button data-icl-uuid="${one}">Site +1</button></span>`;
  const named = (site: string) =>
    `<span><button data-icl-uuid="${two}"><span>${site}</span><span>+2</span></button></span>`;
  const sites = ['Healthline', 'Mayo Clinic', 'Mayo Clinic'].map(
    (site, at) =>
      `<li><a href="https://s${at}.example/"></a><div>Title ${at}</div><div>Words ${at}</div><div>${site}</div></li>`,
  );
  const content = `<div>Shoes are made. ${link}</div><div>They last. ${named('Healthline ')}</div><div>They wear. ${named('Mayo Clinic ')}</div>`;
  const before = `<div data-mcpr><div data-container-id="main-col">${content}</div><ul>${cards}${sites.join('')}</ul></div>`;
  const { texts, references = [] } =
    read(desktopPage(result('https://r.example/', 'R'), { before })).serp.ai_overview ?? {};
  const indexOf = (href: string) => references.find((each) => each.href === href)?.index;
  expect(texts).toEqual([
    { type: 'paragraph', snippet: 'Shoes are made.', reference_indexes: [indexOf('https://b.example/')] },
    { type: 'paragraph', snippet: 'They last.', reference_indexes: [indexOf('https://s0.example/')] },
    // two pages of that site: the citation is ambiguous
    { type: 'paragraph', snippet: 'They wear.' },
  ]);
});
