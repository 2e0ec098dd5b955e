// Renders a desktop results page in the engine's structure since 2025: h3 in the link, cite beneath, a side column.

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
  redirectTo,
  related,
  tabs,
  websiteButton,
} from './html.ts';
import { renderBlocks } from './render-blocks.ts';

/** HTML of a page; 5 to 25 KB. */
export function renderDesktop(page: Page): string {
  const { phrases } = page;
  const blocks = renderBlocks(page, { organic, snippet, questions, places });
  const isEmpty = page.blocks.length === 0;
  const next = page.isLast
    ? ''
    : `<table class="AaVjTc" role="presentation"><tbody><tr><td role="heading" class="d6cvqb BBwThe"><a id="pnnext" href="${escapeHtml(searchAddress(page.keyword, `&start=${page.page * 10}`))}"><span class="oeN89d">${escapeHtml(phrases.labels.next)}</span></a></td></tr></tbody></table>`;
  return (
    openPage(page, 'srp tbo vasq') +
    `<div class="main n48JGd" id="main"><div class="e9EfHf" id="cnt">${tabs(page)}<div id="appbar"><div id="result-stats">About ${(page.keyword.length * 7919) % 900},000,000 results<nobr> (0.31s)</nobr></div></div>` +
    `<div class="GyAeWb uW3HW" id="rcnt">${page.overview === undefined ? '' : `<div class="bzXtMb M8OgIe"><div id="Odp5De"><div class="YNk70c EjQTId"><div class="Kevs9 SLPe5b">${overview(page, page.overview)}</div></div></div></div>`}` +
    `<div class="s6JM6d ufC5Cb" id="center_col" role="main"><div id="taw">${adverts(page, 'tads', page.topAds)}</div><div class="eqAnXb" id="res"><div id="topstuff">${isEmpty ? nothingFound(page) : ''}</div><div id="search"><div>` +
    `${isEmpty ? '' : `<h1 class="bNg8Rb OhScic">Search Results</h1><div class="dURPMd" id="rso">${blocks}</div>`}</div></div></div>` +
    `<div id="bottomads">${adverts(page, 'tadsb', page.bottomAds)}</div><div id="botstuff"><div><div id="bres">${related(page)}</div></div></div>${next}</div>` +
    `${page.knowledge === undefined ? '' : knowledge(page.knowledge, page)}</div><div id="foot" role="contentinfo">${footer(page)}</div></div></div>${closePage(page)}`
  );
}

/** The link of a result: heading, site and crumbs. The original repeats the latter beside the link. */
function titleLink(result: Link & { readonly siteName: string; readonly isRedirected: boolean }): string {
  const { site, path } = breadcrumbs(result.url);
  const cite = `<div class="q0vns"><div class="CA5RN"><div><span class="VuuXrf">${escapeHtml(result.siteName)}</span></div><div class="byrV5b"><cite class="qLRx3b tjvcx" role="text">${escapeHtml(site)}<span class="ylgVCe ob9lvb" role="text">${escapeHtml(path)}</span></cite></div></div></div>`;
  const href = result.isRedirected ? redirectTo(result.url) : escapeHtml(result.url);
  return `<div class="yuRUbf"><div class="b8lM7"><span class="V9tjod"><a jsname="UWckNb" class="zReHs" href="${href}"><h3 class="LC20lb MBeuO">${escapeHtml(result.title)}</h3><div class="notranslate ESMNde">${cite}</div></a></span></div></div>`;
}

function organic(result: Organic, page: Page, index: number): string {
  const date =
    result.date === undefined ? '' : `<span class="YrbPuc"><span>${escapeHtml(result.date)}</span> — </span>`;
  const inline =
    result.sitelinkForm === 'inline' && result.sitelinks.length > 0 ? inlineSitelinks(result.sitelinks) : '';
  const table = result.sitelinkForm === 'table' && result.sitelinks.length > 0 ? sitelinkTable(result.sitelinks) : '';
  const picture =
    result.video === undefined
      ? ''
      : `<div class="kb0PBd LnCrMe" data-sncf="0"><div class="gY2b2c"><a href="${escapeHtml(result.url)}"><div class="AZJdrc"><img alt="" src="${escapeHtml(result.video.thumbnail)}"><div class="c8rnLc nkWare"><span>${durationText(result.video.duration)}</span></div></div></a></div></div>`;
  const rated = result.rating === undefined ? '' : rating(result.rating, page);
  return (
    `<div class="MjjYud"><div class="A6K0A" data-rpos="${index}"><div class="wHYlTd Ww4FFb ${result.video === undefined ? 'tF2Cxc' : 'PhX2wd'} asEBEc vt6azd"><div class="N54PNb BToiNc" data-snc="${index}"><div class="kb0PBd A9Y9g">${titleLink(result)}</div>${picture}` +
    `<div class="kb0PBd A9Y9g" data-sncf="1"><div class="VwiC3b yXK7lf">${date}<span>${escapeHtml(result.description)}</span></div></div>${rated}${inline}</div>${table}</div></div></div>`
  );
}

/** Number and votes side by side, as since 2025; what they are is in the label. */
function rating({ value, votes, price }: NonNullable<Organic['rating']>, page: Page): string {
  const label = escapeHtml(page.phrases.labels.rated);
  return `<div class="kb0PBd A9Y9g" data-sncf="2"><div class="fG8Fp uo4vr"><span class="Y0A0hc"><span class="yi40Hd YrbPuc" aria-hidden="true">${value}</span><span class="z3HNkc" aria-label="${label}: ${value}/5" role="img"></span><span class="RDApEe YrbPuc">(${votes})</span></span> · <span>${escapeHtml(price)}</span></div></div>`;
}

function inlineSitelinks(links: readonly Link[]): string {
  return `<div class="kb0PBd A9Y9g" data-sncf="2"><div class="HiHjCd wHYlTd">${links.map(({ title, url }) => `‎<a href="${escapeHtml(url)}">${escapeHtml(title)}</a>`).join(' · ')}</div></div>`;
}

function sitelinkTable(links: readonly Link[]): string {
  return `<table class="jmjoTe" cellpadding="0" cellspacing="0"><tbody>${links.map(({ title, url }) => `<tr class="mslg"><td><div class="usJj9c"><h3 class="r"><a class="l" href="${escapeHtml(url)}">${escapeHtml(title)}</a></h3><div class="st zz3gNc">${escapeHtml(title)}</div></div></td></tr>`).join('')}</tbody></table>`;
}

function snippet(answer: string, cited: Cited, page: Page): string {
  return (
    `<div class="ULSxyf"><div class="MjjYud"><block-component><div class="wHYlTd Ww4FFb"><div class="xpdopen"><div class="ifM9O"><h2 class="bNg8Rb">${escapeHtml(page.phrases.labels.snippet)}</h2><div class="wDYxhc NFQFxe" data-attrid="wa:/description" data-md="61"><div class="LGOjhe"><span class="ILfuVd"><span class="hgKElc">${escapeHtml(answer)}</span></span></div></div>` +
    `<div class="g"><div class="tF2Cxc">${titleLink({ ...cited, siteName: cited.source, isRedirected: false })}</div></div></div></div></div></block-component></div></div>`
  );
}

function questions(items: readonly Question[], page: Page): string {
  const answer = (question: Question) =>
    question.answer === undefined
      ? ''
      : `<div jsname="NRdf4c" class="bCOlv"><div class="IZE3Td"><div jsname="oQYOj" class="r2fjmd t0bRye"><div class="wDYxhc" data-attrid="wa:/description"><div class="LGOjhe"><span class="ILfuVd"><span class="hgKElc">${escapeHtml(question.answer.text)}</span></span></div></div><div class="Y6JuXb"><div class="tF2Cxc">${titleLink({ ...question.answer, siteName: question.answer.source, isRedirected: false })}</div></div></div></div></div>`;
  const item = (question: Question) =>
    `<div jsname="yEVEwb"><div><div jscontroller="xfmZMb" class="wQiwMc related-question-pair" data-q="${escapeHtml(question.text)}" data-lk="${escapeHtml(question.text)}"><div jsname="YrZdPb" class="roMIYb o3PDvf"><div jsname="tJHJj" class="dnXCYb" role="button"><div jsname="lN6iy" class="JlqpRe"><span jsname="r4nke" class="JCzEY tNxQIb"><span class="CSkcDe">${escapeHtml(question.text)}</span></span></div></div>${answer(question)}</div></div></div></div>`;
  return (
    `<div class="MjjYud"><div class="A6K0A"><div jsname="bq0EGf" class="cUnQKe" data-initq="${escapeHtml(page.keyword)}"><div class="Wt5Tfe"><div class="eJH8qe adDDi"><span class="mgAbYb RES9jf" aria-level="2" role="heading"><span>${escapeHtml(page.phrases.labels.questions)}</span></span></div>` +
    `<div jsname="N760b" class="LQCGqc">${items.map(item).join('')}</div></div></div></div></div>`
  );
}

function places(items: readonly Place[], page: Page): string {
  const item = ({ name, rating, votes, street, cid, website }: Place, i: number) =>
    `<div class="w7Dbne"><div jsname="jXK9ad" class="uMdZh tIxNaf rllt__borderless"><div class="VkpGBb"><div class="cXedhc"><a class="vwVdIc wzN8Ac rllt__link" jsname="kj0dLd" data-cid="${cid ?? `1011004582974200${i}`}" role="button"><div><div jsname="MZArnb" class="rllt__details"><div class="dbg0pd" aria-level="3" role="heading"><span class="OSrXXb">${escapeHtml(name)}</span></div>` +
    `<div><span class="Y0A0hc"><span class="yi40Hd YrbPuc">${rating}</span><span class="RDApEe YrbPuc">(${votes})</span></span></div><div>${escapeHtml(street)}</div></div></div></a>${websiteButton(website)}</div></div></div></div>`;
  return `<div class="ULSxyf"><div class="MjjYud"><div class="A6K0A"><div class="Qq3Lb"><div class="LzBave JPvYTe"><div class="e4meb kyNbUb"><div class="HubS8b"><div class="YzSd IFnjPb" aria-level="2" role="heading">${escapeHtml(page.phrases.labels.places)}</div></div></div></div><div class="rlfl__tls rl_tls">${items.map(item).join('')}</div></div></div></div></div>`;
}

function knowledge({ id, name, subtitle, description, source, facts }: Knowledge, page: Page): string {
  const fact = (each: { readonly name: string; readonly value: string }) =>
    `<div class="b3puKe"><div role="presentation" class="wDYxhc" data-attrid="kc:/sandbox/thing:${escapeHtml(each.name.toLowerCase())}"><div class="Z1hOCe"><div class="zloOqf PZPZlf"><div class="rVusze"><span class="w8qArf FoJoyf">${escapeHtml(each.name)}<span>: </span></span><span><span class="LrzXr kno-fv">${escapeHtml(each.value)}</span></span></div></div></div></div></div>`;
  return (
    `<div class="TQc1id k5T88b" id="rhs" role="complementary"><div class="A6K0A z4oRIf"><div class="kp-wholepage-osrp IVvPP" data-kpid="vise:${id}" data-hveid="CAA"><div class="MDY31c"><div class="QpPSMb"><div class="DoxwDb"><div class="PZPZlf ssJ7i" aria-level="2" data-attrid="title" role="heading">${escapeHtml(name)}</div></div></div><div class="iAIpCb PZPZlf" data-attrid="subtitle"><span>${escapeHtml(subtitle)}</span></div></div>` +
    `<div class="wDYxhc" role="presentation"><div class="PZPZlf hb8SAc" data-attrid="description"><div jsname="g7W7Ed" class="kno-rdesc"><h3 class="bNg8Rb">Description</h3><span>${escapeHtml(description)}</span><span><a class="ruhjFe NJLBac" href="${escapeHtml(source.url)}"><span>${escapeHtml(source.source)}</span></a></span></div></div></div><div class="kD0Vhf">${facts.map(fact).join('')}</div>` +
    `<a href="${escapeHtml(searchAddress(name, `&kgmid=${id}`))}" aria-label="${escapeHtml(page.phrases.labels.about)}"></a></div></div></div>`
  );
}
