// What tables of money store in short: names as small numbers, keys as bytes. Loads nothing.

/** A name is stored as its index: new names are added at the end, and none is moved. 0 and 1 take no byte. */
export const currencies = ['serp_credit', 'micro_usd'] as const;
export const purchaseStates = ['open', 'paid', 'free', 'unknown'] as const;
export const entryKinds = ['reserve', 'spend', 'unknown', 'release', 'confirm', 'refund'] as const;

/** SQL that reads a stored index as the name. */
export function nameSql(column: string, names: readonly string[]): string {
  return `CASE ${column} ${names.map((name, index) => `WHEN ${index} THEN '${name}'`).join(' ')} END`;
}

/** Whether a purchase is in a state, found by the index of open or unknown ones. Elsewhere SQL compares `state`. */
export const hasStateSql = (alias: string, state: (typeof purchaseStates)[number]): string =>
  `${alias}.state_code = ${purchaseStates.indexOf(state)}`;

/** Bytes of a hash in a key that this program made: `rl-` and 40 hexadecimal digits. */
const hashBytes = 20;

/** A key as it is stored: a hash as its bytes; other text behind a zero, or two where one would make it that long. */
export function storedKey(requestKey: string): Buffer {
  if (/^rl-[0-9a-f]{40}$/.test(requestKey)) return Buffer.from(requestKey.slice('rl-'.length), 'hex');
  const text = Buffer.from(`\0${requestKey}`);
  return text.length === hashBytes ? Buffer.concat([Buffer.from([0]), text]) : text;
}

/** SQL that reads a stored key as text again. */
export const requestKeySql = `iif(length("key") = ${hashBytes}, 'rl-' || lower(hex("key")), CAST(substr("key", iif(substr("key", 2, 1) = x'00', 3, 2)) AS TEXT))`;

/**
 * The bytes of a key that are indexed: whole keys would take as much again. Equal beginnings cost a row that is read in
 * vain.
 */
const keyIndexSql = (key: string): string => `substr(${key}, 1, 6)`;

/** Whether a purchase has the key, found by the index. */
export const hasKeySql = (alias: string, key: string): string =>
  `${keyIndexSql(`${alias}.key`)} = ${keyIndexSql(key)} AND ${alias}.key = ${key}`;
