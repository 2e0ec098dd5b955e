// IP addresses: whitelist rules, whether an address is on a list, and which addresses count as one.
import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** IPv4 mapped into IPv6 (::ffff:0:0/96) counts as IPv4, so that no other spelling passes a whitelist. */
type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** What a whitelist rule may be, for messages. */
const ruleForms = 'an IPv4 or IPv6 address, or a network such as 192.0.2.0/24 or 2001:db8::/32';

/**
 * A whitelist rule in canonical form, always with its prefix length: `192.0.2.7` becomes `192.0.2.7/32`,
 * `::ffff:10.0.0.0/104` becomes `10.0.0.0/8`. Throws Error for anything that may mean more than intended: address bits
 * beyond the prefix (10.1.2.3/8), leading zeros, zones. A network of all addresses must be written explicitly,
 * `0.0.0.0/0` or `::/0`.
 */
export function canonicalRule(text: string): string {
  const rule = parseRule(text.trim());
  if (rule === undefined) throw new Error(`"${text.trim()}" is not ${ruleForms}.`);
  const network = networkText(rule.address, rule.prefix);
  if (network !== rule.address.toString()) {
    throw new Error(`"${text.trim()}" has address bits beyond its prefix; write ${network}/${rule.prefix}.`);
  }
  return `${network}/${rule.prefix}`;
}

/**
 * Whether the rules allow the address. No rules allow every address; a rule or an address that cannot be read matches
 * nothing.
 */
export function isAllowed(rules: readonly string[], address: string): boolean {
  if (rules.length === 0) return true;
  const asked = parseAddress(address);
  return asked !== undefined && rules.some((text) => matches(parseRule(text), asked));
}

/** Whether an IPv4 address is written as IPv6 (::ffff:0:0/96): no host of the public network has such an address. */
export function isMapped(address: string): boolean {
  const written = parseWritten(withoutZone(address));
  return written?.kind() === 'ipv6' && parseAddress(address)?.kind() === 'ipv4';
}

/** All addresses of one subscriber as one key: the IPv4 address, or the /64 network of an IPv6 address. */
export function subscriberPrefix(address: string): string {
  const parsed = parseAddress(address);
  if (parsed === undefined) return 'unknown';
  return parsed.kind() === 'ipv4' ? parsed.toString() : `${networkText(parsed, 64)}/64`;
}

/**
 * The largest network that a provider gives to one customer: the /24 of an IPv4 address, the /48 of an IPv6 address.
 */
export function networkPrefix(address: string): string {
  const parsed = parseAddress(address);
  if (parsed === undefined) return 'unknown';
  return networkText(parsed, parsed.kind() === 'ipv4' ? 24 : 48);
}

interface Rule {
  readonly address: Address;
  readonly prefix: number;
}

function matches(rule: Rule | undefined, asked: Address): boolean {
  return rule !== undefined && rule.address.kind() === asked.kind() && asked.match(rule.address, rule.prefix);
}

function parseRule(text: string): Rule | undefined {
  const [host = '', length, ...rest] = text.split('/');
  const written = host.includes('%') ? undefined : parseWritten(host);
  if (written === undefined || rest.length > 0) return undefined;
  if (length !== undefined && !/^(0|[1-9]\d{0,2})$/.test(length)) return undefined;
  const prefix = length === undefined ? addressBits(written) : Number(length);
  if (prefix > addressBits(written)) return undefined;
  const address = withoutMapping(written);
  const mappedBits = addressBits(written) - addressBits(address);
  return prefix < mappedBits ? { address: written, prefix } : { address, prefix: prefix - mappedBits };
}

function parseAddress(text: string): Address | undefined {
  const written = parseWritten(withoutZone(text));
  return written === undefined ? undefined : withoutMapping(written);
}

function withoutZone(text: string): string {
  return text.replace(/%.*$/s, '');
}

/**
 * Node's own check refuses leading zeros and short forms of IPv4, which ipaddr.js reads. A URL writes IPv6 in groups
 * only: ipaddr.js takes `::10.0.0.1` for `::ffff:10.0.0.1`.
 */
function parseWritten(text: string): Address | undefined {
  if (isIPv4(text)) return ipaddr.IPv4.parse(text);
  if (!isIPv6(text) || text.includes('%')) return undefined;
  return ipaddr.IPv6.parse(new URL(`http://[${text}]`).hostname.slice(1, -1));
}

function withoutMapping(address: Address): Address {
  return 'isIPv4MappedAddress' in address && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

function addressBits(address: Address): number {
  return address.kind() === 'ipv4' ? 32 : 128;
}

function networkText(address: Address, prefix: number): string {
  const family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return family.networkAddressFromCIDR(`${address}/${prefix}`).toString();
}
