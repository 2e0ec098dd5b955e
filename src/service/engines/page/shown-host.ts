// The forms in which a page may show the host of an address.
import { domainToUnicode } from 'node:url';

/** Lower case, without `www.`, in ASCII and in its own letters (`xn--mller-kva.example`, `müller.example`). */
export function hostForms(address: string): readonly string[] {
  const host = URL.parse(address)?.hostname.replace(/^www\./, '') ?? '';
  if (host === '') return [];
  return host.includes('xn--') ? [host, domainToUnicode(host)] : [host];
}

/** Whether a text in lower case contains the host of an address. */
export function containsHost(text: string, address: string): boolean {
  return hostForms(address).some((host) => text.includes(host));
}
