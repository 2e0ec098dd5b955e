import fc from 'fast-check';
import { Tokenizer } from 'htmlparser2';
import { describe, expect, it } from 'vitest';
import { type MarkupReader, readMarkup } from '../../../src/service/engines/page/markup.ts';

/** Closes all that may be open: at the end of a page, htmlparser2 also reports parts of tags as text. */
const closing = ` "'>--></script></style></title></textarea></iframe></noembed></noframes></xmp>.`;

const pieces =
  '< > / = " \' ! - -- ? a b1 div DIV <a </a <a> </a> <p <br/> <br / > </ <> </> < a <!-- --> --!> <!--> <!---> <!doctype html> ]]> <!x <?x script <script <script> </script> </script </scriptx> <SCRIPT> <style> </style > <title> </title> <textarea> <xmp> <iframe> <noembed> <noframes/> <svg> <path/> class= href= x=\'1\' y="2" z=3 &amp; é \n \t'.split(
    ' ',
  );

function readOurs(html: string, isForeign = false): string[] {
  const seen: string[] = [];
  const reader: MarkupReader = {
    open: (start, end) => void seen.push(`open ${html.slice(start, end)}`),
    attribute: (nameStart, nameEnd, valueStart, valueEnd) =>
      void seen.push(`attribute ${html.slice(nameStart, nameEnd)} ${html.slice(valueStart, valueEnd)}`),
    opened: (isSelfClosing) => void seen.push(`opened ${isSelfClosing}`),
    close: (start, end) => void seen.push(`close ${html.slice(start, end)}`),
    text: (start, end) => void seen.push(`text ${html.slice(start, end)}`),
    isForeign,
  };
  readMarkup(html, reader);
  return seen;
}

function readTheirs(html: string): string[] {
  const seen: string[] = [];
  const ignore = () => undefined;
  let [name, value] = ['', ''];
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      onopentagname: (start, end) => void seen.push(`open ${html.slice(start, end)}`),
      onattribname: (start, end) => {
        [name, value] = [html.slice(start, end), ''];
      },
      onattribdata: (start, end) => {
        value = html.slice(start, end);
      },
      onattribend: () => void seen.push(`attribute ${name} ${value}`),
      onopentagend: () => void seen.push('opened false'),
      onselfclosingtag: () => void seen.push('opened true'),
      onclosetag: (start, end) => void seen.push(`close ${html.slice(start, end)}`),
      ontext: (start, end) => void seen.push(`text ${html.slice(start, end)}`),
      ontextentity: ignore,
      onattribentity: ignore,
      oncdata: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onend: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return seen;
}

describe('the markup reader', () => {
  it('finds the same tags, attributes and texts as htmlparser2 in markup of any kind', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces, ' '), { maxLength: 40 }), (parts) => {
        const html = parts.join('') + closing;
        expect(readOurs(html)).toEqual(readTheirs(html));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    [
      'a tag that the page ends in is not opened',
      '<p>x<a href="/1" title="cut',
      ['open p', 'opened false', 'text x', 'open a', 'attribute href /1'],
    ],
    [
      'the contents of a script are text',
      '<script>if (a<b) "<p>"</script >',
      ['open script', 'opened false', 'text if (a<b) "<p>"', 'close script'],
    ],
    [
      'an attribute may contain a script tag',
      '<p title="<script>">x</p>',
      ['open p', 'attribute title <script>', 'opened false', 'text x', 'close p'],
    ],
    [
      'the contents of noscript are text: scripts are on',
      '<noscript><!-- <p title="</noscript>x-->',
      ['open noscript', 'opened false', 'text <!-- <p title="', 'close noscript', 'text x-->'],
    ],
    ['a section of data ends like a tag', '<![CDATA[>x]]>', ['text x]]>']],
    ['plain text never ends', '<plaintext>a</plaintext>', ['open plaintext', 'opened false', 'text a</plaintext>']],
  ])('%s', (_, html, expected) => {
    expect(readOurs(html)).toEqual(expected);
  });

  it.each([
    ['a section of data ends where it says so', '<![CDATA[>x]]>y', ['text y']],
    ['a title ends like any element', '<title/>x', ['open title', 'opened true', 'text x']],
  ])('in pictures and formulas, %s', (_, html, expected) => {
    expect(readOurs(html, true)).toEqual(expected);
  });
});
