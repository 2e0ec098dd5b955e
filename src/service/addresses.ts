// IP addresses as numbers: whitelist rules, who is on a list, and which addresses count as one. Where an address comes from is left to others.
import { isIPv4, isIPv6 } from 'node:net';

/** IPv4 mapped into IPv6 (::ffff:0:0/96) is IPv4 here, so that no list is dodged by another spelling. */
interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

const mappedPrefix = 0xffffn;

/** What a rule of a whitelist may be, for people. */
const ruleForms = 'an IPv4 or IPv6 address, or a network such as 192.0.2.0/24 or 2001:db8::/32';

/**
 * A whitelist rule in its canonical form, always with its prefix length: `192.0.2.7` becomes `192.0.2.7/32`, `::ffff:10.0.0.0/104` becomes
 * `10.0.0.0/8`. Throws Error for anything that may mean more than its writer thought: address bits beyond the prefix (10.1.2.3/8), leading
 * zeros, zones. A network of everything must be written as just that, `0.0.0.0/0` or `::/0`.
 */
export function canonicalRule(text: string): string {
  const rule = parseRule(text.trim());
  if (rule === undefined) throw new Error(`"${text.trim()}" is not ${ruleForms}.`);
  const { address, prefix } = rule;
  const network = (address.value >> hostBits(rule)) << hostBits(rule);
  if (network !== address.value) {
    throw new Error(
      `"${text.trim()}" has address bits beyond its prefix; write ${textOf(address.bits, network)}/${prefix}.`,
    );
  }
  return `${textOf(address.bits, network)}/${prefix}`;
}

/** Whether the rules allow the address. No rules allow every address; a rule or an address that cannot be read matches nothing. */
export function isAllowed(rules: readonly string[], address: string): boolean {
  if (rules.length === 0) return true;
  const asked = parseAddress(address);
  return asked !== undefined && rules.some((text) => matches(parseRule(text), asked));
}

/** Whether an IPv4 address is written as IPv6 (::ffff:0:0/96): no host of the public network has such an address. */
export function isMapped(address: string): boolean {
  return parseWritten(address.replace(/%.*$/s, ''))?.bits === 128 && parseAddress(address)?.bits === 32;
}

/** The addresses that one subscriber has at hand, as one key: the IPv4 address, or the /64 network of an IPv6 one. */
export function subscriberOf(address: string): string {
  const parsed = parseAddress(address);
  if (parsed === undefined) return 'unknown';
  return parsed.bits === 32 ? textOf(32, parsed.value) : `${textOf(128, (parsed.value >> 64n) << 64n)}/64`;
}

/** The network that an address is of, as one provider gives it to a customer at most: the /24 of IPv4, the /48 of IPv6. */
export function networkOf(address: string): string {
  const parsed = parseAddress(address);
  if (parsed === undefined) return 'unknown';
  const bits = parsed.bits === 32 ? 8n : 80n;
  return textOf(parsed.bits, (parsed.value >> bits) << bits);
}

/**
 * The address of the client: that of the socket, unless it is a trusted proxy's; then the rightmost address of `X-Forwarded-For` that is none of a
 * trusted proxy. What stands further left was written by the client itself, and is never believed.
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  trusted: readonly string[],
): string {
  const isTrusted = (address: string) => trusted.length > 0 && isAllowed(trusted, address);
  const hops = forwardedFor?.split(',').map((hop) => hop.trim()) ?? [];
  let address = socketAddress ?? 'unknown';
  while (isTrusted(address)) {
    const next = hops.pop();
    if (next === undefined) break;
    address = next;
  }
  return address;
}

interface Rule {
  readonly address: Address;
  readonly prefix: number;
}

function hostBits({ address, prefix }: Rule): bigint {
  return BigInt(address.bits - prefix);
}

function matches(rule: Rule | undefined, asked: Address): boolean {
  if (rule === undefined || rule.address.bits !== asked.bits) return false;
  return rule.address.value >> hostBits(rule) === asked.value >> hostBits(rule);
}

function parseRule(text: string): Rule | undefined {
  const [host = '', length, ...rest] = text.split('/');
  const written = host.includes('%') ? undefined : parseWritten(host);
  if (written === undefined || rest.length > 0) return undefined;
  if (length !== undefined && !/^(0|[1-9]\d{0,2})$/.test(length)) return undefined;
  const prefix = length === undefined ? written.bits : Number(length);
  if (prefix > written.bits) return undefined;
  const address = withoutMapping(written);
  const mappedBits = written.bits - address.bits;
  return prefix < mappedBits ? { address: written, prefix } : { address, prefix: prefix - mappedBits };
}

function parseAddress(text: string): Address | undefined {
  const written = parseWritten(text.replace(/%.*$/s, ''));
  return written === undefined ? undefined : withoutMapping(written);
}

/** Node's own judges refuse leading zeros and short forms of IPv4. */
function parseWritten(text: string): Address | undefined {
  if (isIPv4(text)) return { bits: 32, value: valueOfIPv4(text) };
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const [head = '', tail] = text.split('::');
  const before = groupsOf(head);
  const after = tail === undefined ? [] : groupsOf(tail);
  const gap = Array.from({ length: 8 - before.length - after.length }, () => 0n);
  return { bits: 128, value: [...before, ...gap, ...after].reduce((value, group) => (value << 16n) | group, 0n) };
}

function groupsOf(text: string): bigint[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [BigInt(`0x${group}`)];
    const value = valueOfIPv4(group);
    return [value >> 16n, value & 0xffffn];
  });
}

function valueOfIPv4(text: string): bigint {
  return text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function withoutMapping(address: Address): Address {
  const isMapped = address.bits === 128 && address.value >> 32n === mappedPrefix;
  return isMapped ? { bits: 32, value: address.value & 0xffff_ffffn } : address;
}

function textOf(bits: 32 | 128, value: bigint): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
