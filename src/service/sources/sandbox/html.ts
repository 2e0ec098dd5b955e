// The HTML of a results page: the marks by which an engine reads it, on desktop (since 2025) and mobile (since 2023).
import type { Extension, OrganicResult } from '../../model/results/serp.ts';
import { phrases } from './phrases.ts';
import { derive, hashText } from './random.ts';
import { type Link, otherTabs, type Page, searchAddress } from './scenes.ts';
import { code, queryText } from './sites.ts';

/** HTML that is safe to insert. */
class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
type Value = string | number | Markup | readonly Markup[] | undefined;

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A template of HTML: texts and attributes in double quotes are escaped, undefined is nothing. */
function html(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(parts.map((part, i) => part + shown(values[i])).join(''));
}

function shown(value: Value): string {
  if (value === undefined) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(shown).join('');
  return String(value).replace(/[&<>"]/gu, (character) => escapes[character] ?? character);
}

const { labels } = phrases;

/** A picture that needs no request: the engine's own placeholder, one transparent pixel. */
const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';

/** HTML of a page, about 9 KB. The title names the query as the engine does. */
export function renderPage(page: Page): string {
  const { keyword, layout, mobile, number, read } = page;
  const { serp } = read;
  const panel = knowledge(page);
  const isEmpty = layout.length === 0;
  const list = html`<div id="rso">${mobile ? panel : undefined}${blocks(page)}</div>`;
  const nothing = html`<p>Your search - <em>${keyword}</em> - ${labels.nothing}</p><ul><li>${labels.advice}</li></ul>`;
  const next = html`<a id="pnnext" href="${searchAddress(keyword, `&start=${number * 10}`)}">${labels.next}</a>`;
  const related = (serp.related ?? []).map(
    ({ text }) => html`<div><a href="${searchAddress(text, '&sa=X')}"><span>${text}</span></a></div>`,
  );
  const column = html`<div id="taw">${adverts('tads', serp.top_ads)}</div>${mobile ? overview(page) : undefined}
<div id="topstuff">${isEmpty ? nothing : undefined}</div><div id="search">${isEmpty ? undefined : list}</div>
<div id="bottomads">${adverts('tadsb', serp.bottom_ads)}</div>
<div id="botstuff"><div id="bres"><div role="heading" aria-level="2">${related.length > 0 ? labels.related : undefined}</div>${related}</div>
${page.isLast ? undefined : next}</div>`;
  const place = page.place && html`<span class="dfB0uf">${page.place}</span>`;
  const phone = mobile ? html`<meta name="viewport" content="width=device-width,initial-scale=1">` : undefined;
  const tabs = otherTabs(keyword).map(([label, address]) => html`<a href="${address}">${label}</a>`);
  return html`<!doctype html><html lang="${page.language}"><head><meta charset="UTF-8">${phone}<title>${keyword} - Google Search</title>
<script>(function(){window.google={kEI:"${eventId(page)}",c:{}};})();</script></head><body id="gsr"><form id="tsf" action="/search" role="search">
<textarea name="q">${keyword}</textarea></form><div id="cnt"><div role="navigation">${tabs}</div>
${mobile ? html`<div id="main">${column}</div>` : html`<div id="rcnt">${overview(page)}<div id="center_col" role="main">${column}</div>${panel && html`<div id="rhs" role="complementary">${panel}</div>`}</div>`}
<div id="${mobile ? 'sfooter' : 'foot'}" role="contentinfo">${place}</div></div></body></html>`.text;
}

/** The engine's own mark of a page: when it was made, here at the start of its day, and what nothing reads. */
function eventId({ day, keyword }: Page): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32LE(day * 86_400);
  bytes.writeInt32LE(hashText(keyword) | 0, 4);
  return bytes.toString('base64url');
}

/** The column of results from top to bottom. */
function blocks(page: Page): Markup[] {
  const { layout, quoted, mobile, read } = page;
  const { organic = [], images = [], people_also_ask = [], perspectives = [], local_results = [] } = read.serp;
  const results = organic.values();
  const section = (title: string, body: readonly Markup[]) =>
    html`<g-section-with-header><div role="heading" aria-level="2">${title}</div>${body}</g-section-with-header>`;
  const row = (title: string, body: readonly Markup[]) =>
    html`<div><div role="heading" aria-level="2">${title}</div><div>${body}</div></div>`;
  const named = ({ title, link }: Link, rest?: Markup) =>
    html`<a href="${link}"><div role="heading" aria-level="3">${title}</div>${rest}</a>`;
  return layout.map((block): Markup => {
    switch (block) {
      case 'organic': {
        const result = results.next().value;
        return result === undefined ? html`` : drawResult(result, mobile);
      }
      case 'featured_snippet':
        return html`<block-component><h2>${labels.snippet}</h2>${(quoted[block] ?? []).map((each) => titleLink(each, mobile))}</block-component>`;
      case 'top_stories':
        return section(
          labels.stories,
          (quoted[block] ?? []).map((each) => html`<div>${named(each)}</div>`),
        );
      case 'video':
        return row(
          labels.videos,
          (quoted[block] ?? []).map((each) => html`<div>${named(each)}</div>`),
        );
      case 'perspectives': {
        const items = perspectives.map(
          ({ title, author, source }, i) =>
            html`<div role="listitem">${named({ title, link: quoted[block]?.[i]?.link ?? '' }, html`<div>${author}</div><div>${source}</div>`)}</div>`,
        );
        return section(labels.posts, [html`<div role="list">${items}</div>`]);
      }
      case 'images':
        return row(
          labels.images,
          images.map(
            ({ title, link, image = pixel }) =>
              html`<div data-lpage="${link}"><a href="${link}"></a><img alt="${title}" src="${pixel}" data-src="${image}"></div>`,
          ),
        );
      case 'people_also_ask':
        return row(
          labels.questions,
          people_also_ask.map(
            ({ question, answer_source: link, answers = [] }) =>
              html`<div class="related-question-pair" data-q="${question}"><div role="button">${question}</div>${answers.map(({ value }) => html`<div>${value.text}</div>`)}${link && titleLink({ title: question, link }, mobile)}</div>`,
          ),
        );
      case 'local_pack':
        return row(
          labels.places,
          local_results.map(
            (each) =>
              html`<div class="VkpGBb"><div class="rllt__link" data-cid="${each.cid}"><div class="rllt__details"><div role="heading" aria-level="3">${each.name}</div><div><span>${each.rating?.toFixed(1)}</span><span>(${each.reviews})</span></div><div>${each.address}</div></div></div>${each.website && html`<a href="${each.website}">Website</a>`}</div>`,
          ),
        );
      default:
        return html``;
    }
  });
}

/** The link of a result with its heading: an h3 above the address on desktop, a role below it on mobile. */
function titleLink(
  { title, link, source, display_link: address }: Link & Partial<OrganicResult>,
  mobile: boolean,
): Markup {
  const header = html`<div><div>${source}</div><div><cite>${address}</cite></div></div>`;
  const heading = mobile ? html`<div role="heading" aria-level="3">${title}</div>` : html`<h3>${title}</h3>`;
  return html`<div><a href="${link}">${mobile ? [header, heading] : [heading, header]}</a></div>`;
}

function drawResult(result: OrganicResult, mobile: boolean): Markup {
  const { extensions = [], description, image, duration } = result;
  const texts = (type: Extension['type']) => extensions.flatMap((each) => (each.type === type ? [each.text] : []));
  const [date] = texts('date');
  const [rating, reviews, price] = [...texts('rating'), ...texts('reviews'), ...texts('price')];
  const links = extensions.filter(({ type }) => type === 'site_link');
  const votes = mobile ? html` · <span>${reviews}</span>` : html`<span>(${reviews})</span>`;
  return html`<div><div>${titleLink(result, mobile)}${image && html`<div><img alt="" src="${image}"><div>${duration}</div></div>`}
<div>${date && html`<span><span>${date}</span> — </span>`}${description}</div>
${rating && html`<div><span>${rating}</span>${votes} · <span>${price}</span></div>`}
${links.length === 0 ? undefined : html`<div>${links.map(({ text, link }) => html` · <a href="${link}">${text}</a>`)}</div>`}</div></div>`;
}

/** Text ads. Ids distinguish top from bottom. */
function adverts(id: string, ads: Page['read']['serp']['top_ads']): Markup | undefined {
  return (
    ads &&
    html`<div id="${id}">${ads.map(
      ({ title, link, referral_link: click }) =>
        html`<div data-text-ad="1"><span>${labels.sponsored}</span><a data-rw="${click}" href="${link}"><div role="heading" aria-level="3">${title}</div><span>${URL.parse(link)?.host}</span></a></div>`,
    )}</div>`
  );
}

/** The overview that a model wrote, with its citations. */
function overview({ read }: Page): Markup | undefined {
  const { ai_overview: written } = read.serp;
  if (written === undefined) return undefined;
  const { texts = [], references = [] } = written;
  const lines = texts.map((each) =>
    each.type === 'list'
      ? html`<ul>${each.list.map((item) => html`<li>${'snippet' in item ? item.snippet : undefined}</li>`)}</ul>`
      : html`<div>${each.snippet}</div>`,
  );
  const cards = references.map(
    ({ title, href, source, subtitle }, i) =>
      html`<li><div data-src-id="${i}"><a aria-label="${title}" href="${href}"></a><div><div>${title}</div><span>${subtitle}</span><div><img src="${pixel}" alt=""><span>${source}</span></div></div></div></li>`,
  );
  return html`<div data-subtree="mfc"><div id="m-x-content"><div>${labels.overview}</div><div data-container-id="main-col">${lines}</div><div data-container-id="rhs-col"><ul>${cards}</ul></div></div></div>`;
}

/** The panel of an entity: beside the results, or on mobile before them. */
function knowledge({ quoted, read }: Page): Markup | undefined {
  const { knowledge: panel, overview: entity } = read.serp;
  if (panel === undefined) return undefined;
  const facts = (panel.facts ?? []).map(
    ({ key, value }) =>
      html`<div data-attrid="kc:/sandbox/thing:${key.toLowerCase()}"><span>${key}: </span>${value.map(({ text }) => html`<span>${text}</span>`)}</div>`,
  );
  const sources = (quoted.knowledge ?? []).map(({ title, link }) => html`<a href="${link}">${title}</a>`);
  return html`<div data-kpid="vise:${entity?.kgmid}"><div data-attrid="title" role="heading" aria-level="2">${panel.name}</div><div data-attrid="subtitle">${panel.subtitle}</div>
<div data-attrid="description"><span>${panel.description}</span> ${sources}</div>${facts}</div>`;
}

/** The page an engine shows to what it takes for a robot. */
export function captchaPage(keyword: string): string {
  const target = `https://www.google.com/search?q=${queryText(keyword)}`;
  return html`<!doctype html><html><head><title>${target}</title></head><body><form id="captcha-form" action="index" method="post"><div id="recaptcha" class="g-recaptcha" data-sitekey="sandbox" data-s="${code(derive(hashText(keyword), 1), 20)}"></div>
<input type="hidden" name="continue" value="${target}"></form><p>Our systems have detected unusual traffic from your computer network.</p></body></html>`
    .text;
}
