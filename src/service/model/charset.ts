// Decodes the bytes of a page. The bytes decide, because some pages declare a wrong charset.
import { isUtf8 } from 'node:buffer';

/** UTF-8 where the bytes are UTF-8, else Latin-1 as browsers read it (windows-1252). A byte order mark is dropped. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(isUtf8(bytes) ? 'utf-8' : 'windows-1252').decode(bytes);
}
