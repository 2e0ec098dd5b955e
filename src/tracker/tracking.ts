// Parameters of an address that say where a visitor came from, and nothing about the page: one list for all.

/**
 * Campaigns by name (Google Analytics, which assistants imitate with `utm_source=chatgpt.com`, and Matomo), and ids of
 * clicks and recipients. Sources, read in 2026-11: the vendors' own help pages, and the lists of Firefox
 * (`privacy.query_stripping.strip_list`) and Brave (`query_filter`). Names that mean something else at many sites
 * (`ref`, `cid`, `source`, `campaign`) are not in it.
 */
const tracking = new RegExp(
  `^(?:${[
    'utm_[^=]*|mtm_[^=]*|(?:pk|piwik)_(?:campaign|cid|content|keyword|kwd|medium|source)',
    // Google, with the free listings of its shopping, and its links between domains
    'srsltid|gclid|gclsrc|gbraid|wbraid|dclid|gad_source|gad_campaignid|_ga|_gl',
    // Meta, Microsoft, Yandex, X, TikTok, LinkedIn, Pinterest, Reddit, Snapchat
    'fbclid|igshid|igsh|msclkid|yclid|ysclid|ymclid|_openstat|twclid|ttclid|li_fat_id|epik|rdt_cid|sccid',
    // newsletters: Mailchimp, HubSpot, Marketo, Olytics, Vero, MailerLite
    'mc_cid|mc_eid|_hsenc|_hsmi|__hssc|__hstc|__hsfp|hsctatracking|mkt_tok|oly_anon_id|oly_enc_id|vero_conv|vero_id',
    'ml_subscriber|ml_subscriber_hash|wickedid|rb_clickid',
  ].join('|')})(?:=|$)`,
  'i',
);

/** Whether a part of a query, such as `utm_source=x`, says nothing about the page. */
export function isTracking(parameter: string): boolean {
  return tracking.test(parameter);
}

/** The address without such parameters, and without the passage that an engine marks; all else as it is. */
export function withoutTracking(address: string): string {
  const [before = '', ...fragment] = address.split('#');
  const [path = '', ...query] = before.split('?');
  const kept = query
    .join('?')
    .split('&')
    .filter((parameter) => parameter !== '' && !isTracking(parameter));
  const place = fragment.join('#').replace(/:~:.*$/s, '');
  return `${path}${kept.length === 0 ? '' : `?${kept.join('&')}`}${place === '' ? '' : `#${place}`}`;
}
