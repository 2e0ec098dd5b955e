// The engine's own tokens of when a page was created: encoded for a moment, and inserted into recorded pages.

/** An event id: seconds since 1970, the lowest byte first, then bytes that no parser reads. */
export function eventId(at: number): string {
  const bytes = Buffer.from('00000000f0e0d0c0b0a0908070', 'hex');
  bytes.writeUInt32LE(Math.floor(at / 1000));
  return bytes.toString('base64url');
}

/** Token of the nth link: the microseconds since 1970 as a varint in field 1 of field 1 of field 13. */
export function linkToken(at: number, nth = 1): string {
  let rest = BigInt(at) * 1000n;
  const varint: number[] = [];
  for (; rest > 0x7fn; rest >>= 7n) varint.push(Number(rest & 0x7fn) | 0x80);
  varint.push(Number(rest));
  const inner = [0x08, ...varint, 0x15, 1, 2, 3, 4];
  return `0${Buffer.from([0x6a, inner.length + 2, 0x0a, inner.length, ...inner, 0x10, nth & 0x7f, nth >> 7]).toString('base64url')}`;
}

/** The page as if it had been created at that moment. */
export function madeAt(html: string, at: number): string {
  let tokens = 0;
  return html
    .replace(/(kEI["']?\s*[:=]\s*["'])[\w-]+/g, `$1${eventId(at)}`)
    .replace(/([?&;]ei=)[\w-]{8,}/g, `$1${eventId(at)}`)
    .replace(/([?&;]ved=)\dahUKE[\w-]+/g, (_, start: string) => `${start}${linkToken(at, ++tokens)}`);
}
