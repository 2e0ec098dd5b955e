// Decodes the bytes of a page. The bytes decide, because some pages declare a wrong charset.
import { isUtf8 } from 'node:buffer';

/**
 * Decodes UTF-8 if the bytes are valid UTF-8, else Latin-1 as browsers read it (windows-1252). Drops a byte order mark.
 */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(isUtf8(bytes) ? 'utf-8' : 'windows-1252').decode(bytes);
}
