// Bytes of pages in the charsets in which engines send them, and in which shells save them.
import { expect, it } from 'vitest';
import { decodeText } from '../../../src/service/model/results/charset.ts';

const declared = (charset: string): Buffer =>
  Buffer.from(`<meta http-equiv="content-type" content="text/html; charset=${charset}">`);
const page = (charset: string, hex: string): Buffer => Buffer.concat([declared(charset), Buffer.from(hex, 'hex')]);

it.each<[string, Uint8Array, string]>([
  ['UTF-8', Buffer.from('größe'), 'größe'],
  ['UTF-8 with a mark', Buffer.from('\ufeffgröße'), 'größe'],
  ['UTF-16 with a mark, as PowerShell saves', Buffer.from('\ufeffgröße', 'utf16le'), 'größe'],
  ['UTF-16 with the other mark', Buffer.from('\ufeffgröße', 'utf16le').swap16(), 'größe'],
  ['Latin-1', Buffer.from('größe', 'latin1'), 'größe'],
  [
    'UTF-8 with a damaged byte',
    Buffer.concat([Buffer.from('кроссовки на лето'), Buffer.of(0xd0)]),
    'кроссовки на лето\ufffd',
  ],
])('a text is decoded: %s', (_, bytes, text) => {
  expect(decodeText(bytes)).toBe(text);
});

it.each([
  ['windows-1251', 'f8eeea', 'шок'],
  ['Shift_JIS', '8350815b83558b', 'ケーザ'],
  ['EUC-KR', 'b7afb4d7c8ad', '러닝화'],
  ['utf-8', '6772f6df65', 'größe'],
  ['no-charset', '6772f6df65', 'größe'],
  ['utf-16', '6772f6df65', 'größe'],
])('a page that is not UTF-8 is in the charset that it declares, if that can be: %s', (charset, hex, text) => {
  expect(decodeText(page(charset, hex))).toContain(text);
});
