// Renders a mobile results page in the engine's structure since 2023: no h3, no side column, heading in the link.

import type { Cited, Knowledge, Link, Organic, Page, Place, Question } from '../page/page.ts';
import { breadcrumbs, durationText, searchAddress } from './addresses.ts';
import {
  adverts,
  closePage,
  escapeHtml,
  footer,
  nothingFound,
  openPage,
  overview,
  pixel,
  redirectTo,
  related,
  tabs,
  websiteButton,
} from './html.ts';
import { renderBlocks } from './render-blocks.ts';

/** HTML of a page; 5 to 25 KB. */
export function renderMobile(page: Page): string {
  const blocks = renderBlocks(page, { organic, snippet, questions, places });
  const isEmpty = page.blocks.length === 0;
  const more = page.isLast
    ? ''
    : `<div class="GNJvt"><a class="T7sFge sW9g3e" aria-label="${escapeHtml(page.phrases.labels.more)}" href="${escapeHtml(searchAddress(page.keyword, `&start=${page.page * 10}`))}"><span class="RVQdVd">${escapeHtml(page.phrases.labels.more)}</span></a></div>`;
  return (
    openPage(page, 'srp vasq') +
    `<div id="main"><div id="cnt">${tabs(page)}<div id="taw">${adverts(page, 'tads', page.topAds)}</div>${page.overview === undefined ? '' : overview(page, page.overview)}` +
    `<div id="topstuff">${isEmpty ? nothingFound(page) : ''}</div>${isEmpty ? '' : `<div id="rso">${page.knowledge === undefined ? '' : knowledge(page.knowledge)}${blocks}</div>`}` +
    `<div id="bottomads">${adverts(page, 'tadsb', page.bottomAds)}</div><div id="botstuff"><div id="bres">${related(page)}</div>${more}</div></div></div><div id="sfooter" role="contentinfo">${footer(page)}</div>${closePage(page)}`
  );
}

function titleLink(result: Link & { readonly siteName: string; readonly isRedirected: boolean }): string {
  const { site, path } = breadcrumbs(result.url);
  const href = result.isRedirected ? redirectTo(result.url) : escapeHtml(result.url);
  return (
    `<a class="cz3goc BmP5tf" role="presentation" href="${href}" data-ctpacw="1"><div class="y0NFKc"><div class="OSrXXb NJS5vf"><div class="d8lRkd OSrXXb"><span class="yIn8Od"><span class="isfEv"><span class="H9lube"><img class="XNo5Ab" src="${pixel}" alt=""></span></span><span class="wbJOMb"><span class="pKWwCd q8U8x"><div class="Aozhyc MUxGbd"><span class="BTu2cd">${escapeHtml(result.siteName)}</span></div></span>` +
    `<span class="OSrXXb VN4UC"><span class="yKd8Hd ob9lvb" role="text">${escapeHtml(site)}<span class="ZYHQ7e">${escapeHtml(path)}</span></span></span></span></span></div></div><div class="oewGkc LeUQr" aria-level="3" role="heading"><div class="A9xod ynAwRc" role="link">${escapeHtml(result.title)}</div></div></div></a>`
  );
}

function organic(result: Organic, page: Page, index: number): string {
  const date =
    result.date === undefined ? '' : `<span class="MUxGbd wuQ4Ob"><span>${escapeHtml(result.date)}</span> — </span>`;
  const sitelinks =
    result.sitelinks.length === 0
      ? ''
      : `<div class="Z26q7c UK95Uc" data-sncf="3"><div class="RXaYnd"><div class="HTOhZ"><div class="EDblX JpOecb">${result.sitelinks.map(({ title, url }) => `<a class="GqbEwc unhzXb" href="${escapeHtml(url)}"><div class="QRcbWb">${escapeHtml(title)}</div></a>`).join('')}</div></div></div></div>`;
  const picture =
    result.video === undefined
      ? ''
      : `<div class="Z26q7c UK95Uc"><a href="${escapeHtml(result.url)}"><div class="LicuJb uhHOwf"><img alt="" src="${escapeHtml(result.video.thumbnail)}"><div class="c8rnLc nkWare"><span>${durationText(result.video.duration)}</span></div></div></a></div>`;
  const rated = result.rating === undefined ? '' : rating(result.rating, page);
  return (
    `<div class="MjjYud"><div><div><div class="Ww4FFb vt6azd"><div class="kvH3mc BToiNc" data-snc="${index}"><div class="Z26q7c UK95Uc"><div class="P8ujBc v5yQqb">${titleLink(result)}</div></div>${picture}` +
    `<div class="Z26q7c UK95Uc" data-sncf="1"><div class="VwiC3b MUxGbd">${date}${escapeHtml(result.description)}</div></div>${rated}${sitelinks}</div></div></div></div></div>`
  );
}

/** With its label in front, as until 2024. */
function rating({ value, votes, price }: NonNullable<Organic['rating']>, page: Page): string {
  const label = escapeHtml(page.phrases.labels.rated);
  return `<div class="Z26q7c UK95Uc" data-sncf="2"><div class="fG8Fp uo4vr"><g-review-stars><span class="z3HNkc" aria-label="${label}: ${value}/5" role="img"></span></g-review-stars><span>${label}: ${value}</span> · ‎<span>${votes} ${escapeHtml(page.phrases.labels.reviews)}</span> · ‎<span>${escapeHtml(price)}</span></div></div>`;
}

function snippet(answer: string, cited: Cited, page: Page): string {
  return (
    `<div class="MjjYud"><div class="kp-blk c2xzTb"><div class="xpdopen"><div class="ifM9O"><h2 class="Uo8X3b">${escapeHtml(page.phrases.labels.snippet)}</h2><div class="mod"><div class="LGOjhe" data-attrid="wa:/description" aria-level="3" role="heading"><span class="ILfuVd MqYJ0"><span class="hgKElc">${escapeHtml(answer)}</span></span></div></div>` +
    `<div class="mnr-c"><div class="g card-section">${titleLink({ ...cited, siteName: cited.source, isRedirected: false })}</div></div></div></div></div></div>`
  );
}

function questions(items: readonly Question[], page: Page): string {
  const answer = (question: Question) =>
    question.answer === undefined
      ? ''
      : `<div jsname="NRdf4c" class="bCOlv" style="display:none"><div class="r2fjmd"><div class="wDYxhc" data-attrid="wa:/description"><div class="LGOjhe"><span class="hgKElc">${escapeHtml(question.answer.text)}</span></div></div>${titleLink({ ...question.answer, siteName: question.answer.source, isRedirected: false })}</div></div>`;
  const item = (question: Question) =>
    `<div jsname="yEVEwb"><div><div class="wQiwMc related-question-pair" data-q="${escapeHtml(question.text)}" data-lk="${escapeHtml(question.text)}"><div jsname="YrZdPb" class="HYvwY ilulF"><div role="button" jsname="tJHJj" class="dnXCYb"><div jsname="lN6iy" class="JlqpRe"><span class="JCzEY ZwRhJd"><span class="CSkcDe">${escapeHtml(question.text)}</span></span></div></div>${answer(question)}</div></div></div></div>`;
  return `<div class="MjjYud"><div jsname="bq0EGf" class="cUnQKe wHYlTd" data-initq="${escapeHtml(page.keyword)}"><div class="ouy7Mc"><div class="Kcn6oc adDDi"><div class="T6zPgb"><div aria-level="2" role="heading"><span class="mgAbYb OSrXXb">${escapeHtml(page.phrases.labels.questions)}</span></div></div></div><div jsname="N760b">${items.map(item).join('')}</div></div></div></div>`;
}

function places(items: readonly Place[], page: Page): string {
  const item = ({ name, rating, votes, street, cid, website }: Place, i: number) =>
    `<div class="VkpGBb"><div class="cXedhc"><a class="vwVdIc wzN8Ac rllt__link" data-cid="${cid ?? `1011004582974200${i}`}" role="button"><div class="rllt__details"><div class="dbg0pd" aria-level="3" role="heading"><span class="OSrXXb">${escapeHtml(name)}</span></div><div><span class="yi40Hd YrbPuc">${rating}</span><span class="RDApEe YrbPuc">(${votes})</span></div><div>${escapeHtml(street)}</div></div></a>${websiteButton(website)}</div></div>`;
  return `<div class="MjjYud"><div class="Qq3Lb Ww4FFb"><div class="HubS8b"><div class="YzSd IFnjPb" aria-level="2" role="heading">${escapeHtml(page.phrases.labels.places)}</div></div><div class="rlfl__tls rl_tls">${items.map(item).join('')}</div></div></div>`;
}

/** The panel stands among the results: there is no side column. */
function knowledge({ id, name, subtitle, description, source, facts }: Knowledge): string {
  const fact = (each: { readonly name: string; readonly value: string }) =>
    `<div class="wDYxhc" data-attrid="kc:/sandbox/thing:${escapeHtml(each.name.toLowerCase())}"><div class="zloOqf PZPZlf"><span class="w8qArf">${escapeHtml(each.name)}: </span><span class="LrzXr kno-fv">${escapeHtml(each.value)}</span></div></div>`;
  return (
    `<div class="MjjYud"><div class="kp-wholepage kp-wholepage-osrp" data-kpid="vise:${id}" id="kp-wp-tab-overview"><div class="SPZz6b"><div class="PZPZlf ssJ7i" aria-level="2" data-attrid="title" role="heading">${escapeHtml(name)}</div><div class="iAIpCb PZPZlf" data-attrid="subtitle"><span>${escapeHtml(subtitle)}</span></div></div>` +
    `<div class="PZPZlf hb8SAc" data-attrid="description"><div class="kno-rdesc"><span>${escapeHtml(description)}</span> <a class="ruhjFe fl" href="${escapeHtml(source.url)}"><span>${escapeHtml(source.source)}</span></a></div></div>${facts.map(fact).join('')}<a href="${escapeHtml(searchAddress(name, `&kgmid=${id}`))}"></a></div></div>`
  );
}
