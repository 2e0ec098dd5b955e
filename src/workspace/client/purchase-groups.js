// Purchases of a check, with pages that went the same way on one line.

/** @typedef {import('../records.ts').CheckRecord['purchases'][number]} Purchase */

/**
 * @typedef {object} PurchaseGroup
 * @property {number | null} first page
 * @property {number | null} last page
 * @property {number} attempt
 * @property {string} state
 * @property {number} charged credits of all
 * @property {string | null} error
 */

/** In their order. @param {readonly Purchase[]} purchases */
export function groupPurchases(purchases) {
  /** @type {PurchaseGroup[]} */
  const groups = [];
  for (const { page, attempt, state, charged, errorCode, message } of purchases) {
    const error = errorCode === null ? null : message === null ? errorCode : `${errorCode}: ${message}`;
    const group = groups.at(-1);
    const isNext = group !== undefined && page !== null && group.last === page - 1;
    if (isNext && group.state === state && group.attempt === attempt && group.error === error) {
      group.last = page;
      group.charged += charged;
    } else groups.push({ first: page, last: page, attempt, state, charged, error });
  }
  return groups;
}
