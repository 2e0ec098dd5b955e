// The QR code of the second factor, as markup.
import { expect, test } from 'vitest';
import { qrCode } from '../../../../src/service/server/dashboard/page.ts';

const uri =
  'otpauth://totp/Search%20Data%20Service:acme?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Search%20Data%20Service';

/** The black modules of a drawing, as lines of text. */
function drawn(markup: string): string[] {
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(markup)?.[1]);
  const rows = Array.from({ length: size }, () => Array.from({ length: size }, () => '.'));
  for (const [, x, y] of markup.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    const row = rows[Number(y)];
    if (row !== undefined) row[Number(x)] = '#';
  }
  return rows.map((row) => row.join(''));
}

test('a code has its three finder patterns inside a margin of four white modules', () => {
  const rows = drawn(qrCode(uri, 'x').text);
  const finder = ['#######', '#.....#', '#.###.#', '#.###.#', '#.###.#', '#.....#', '#######'];
  const at = (x: number, y: number) => rows.slice(y, y + 7).map((row) => row.slice(x, x + 7));
  const far = rows.length - 4 - 7;
  expect([at(4, 4), at(far, 4), at(4, far)]).toEqual([finder, finder, finder]);
  const margin = [...rows.slice(0, 4), ...rows.slice(-4), ...rows.map((row) => row.slice(0, 4) + row.slice(-4))];
  expect(margin.join('')).not.toContain('#');
});

test('each key has its own code, which needs neither scripts, styles nor images', () => {
  const markup = qrCode(uri, 'QR code of "the key"').text;
  expect(drawn(qrCode(uri.replace('JBSW', 'JBSX'), 'x').text)).not.toEqual(drawn(markup));
  expect(markup).toContain('role="img" aria-label="QR code of &#34;the key&#34;"');
  expect(markup).not.toMatch(/<(script|style|image)|style=|href=/);
});
