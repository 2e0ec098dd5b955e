// Decodes the bytes of a page. The bytes decide before the declared charset, because some pages declare a wrong one.
import { isUtf8 } from 'node:buffer';

/** In how many bytes a page declares its charset; browsers look into 1,024. */
const headBytes = 4_096;
const declaredText = /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{2,20})/i;
/** Highest share of unreadable characters, of the others beyond ASCII, in a text that is damaged UTF-8. */
const damagedShareMax = 0.1;

/**
 * Decodes text with a byte order mark (dropped) as it says, and UTF-8 if the bytes are UTF-8, a few of them damaged or
 * not. Else the charset that the page declares, or Latin-1 as browsers read it (windows-1252).
 */
export function decodeText(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  const marked = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (marked) return new TextDecoder(bytes[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(bytes);
  const text = new TextDecoder().decode(bytes);
  return isMostlyReadable(text) ? text : decodeAs(declaredIn(bytes), bytes);
}

function isMostlyReadable(text: string): boolean {
  let [damaged, others] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) damaged++;
    else if (code > 0x7f) others++;
  }
  return damaged < others * damagedShareMax;
}

function declaredIn(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, headBytes));
  return declaredText.exec(head)?.[1]?.toLowerCase();
}

/** A page that declares UTF-8 and is not is Latin-1; one that names UTF-16 in plain letters is not that either. */
function decodeAs(declared: string | undefined, bytes: Uint8Array): string {
  const isKnown = declared !== undefined && !declared.startsWith('utf');
  try {
    return new TextDecoder(isKnown ? declared : 'windows-1252').decode(bytes);
  } catch (error) {
    // RangeError: a name that is no charset
    if (!(error instanceof RangeError)) throw error;
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
