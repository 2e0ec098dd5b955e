// HTML fragments of desktop and mobile pages, and pages that are no results page. All variable text is escaped here.

import type { Advert, Cited, Overview, Page, Video } from '../page/page.ts';
import { code, queryText } from '../world/address.ts';
import { derive, hashText } from '../world/random.ts';
import { durationText, otherTabs, referralAddress, searchAddress } from './addresses.ts';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text or attribute value, safe in double quotes. */
export function escapeHtml(text: string): string {
  return /[&<>"]/u.test(text) ? text.replace(/[&<>"]/gu, (character) => escapes[character] ?? character) : text;
}

/** The engine's own redirect to a destination. */
export function redirectTo(url: string): string {
  return escapeHtml(
    `/url?sa=t&source=web&rct=j&opi=89978449&url=${encodeURIComponent(url)}&ved=2ahUKE${code(hashText(url), 10)}`,
  );
}

/** A picture that needs no request: the engine's own placeholder, one transparent pixel. */
export const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';

/** Doctype to the open body, with the search box. The title names the query as the engine does. */
export function openPage(page: Page, bodyClass: string): string {
  const keyword = escapeHtml(page.keyword);
  return (
    `<!doctype html><html itemscope="" itemtype="http://schema.org/SearchResultsPage" lang="${escapeHtml(page.language)}"><head>` +
    `<meta charset="UTF-8"><meta content="origin" name="referrer"><title>${keyword} - Google Search</title>` +
    '<style>.bNg8Rb{clip:rect(1px,1px,1px,1px)}</style>' +
    `<script>(function(){window.google={kEI:"${eventId(page)}",c:{}};})();</script></head>` +
    `<body jsmodel="hspDDf" class="${bodyClass}" id="gsr"><div id="searchform" class="s8GCU"><form id="tsf" action="/search" role="search">` +
    `<textarea class="gLFyf" id="APjFqb" name="q" role="combobox" rows="1">${keyword}</textarea></form></div>`
  );
}

/** The engine's own mark of a page: when it was made, here at the start of its day, and what nothing reads. */
function eventId({ day, keyword }: Page): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32LE(day * 86_400);
  bytes.writeInt32LE(hashText(keyword) | 0, 4);
  return bytes.toString('base64url');
}

/** Script with the share link of the knowledge panel, and the end of the page. */
export function closePage(page: Page): string {
  const { knowledge } = page;
  const share =
    knowledge === undefined
      ? ''
      : `<script>google.pmc={"${code(hashText(knowledge.id), 20)}":[["https://www.google.com/search?kgmid\\u003d${knowledge.id}\\u0026hl\\u003d${escapeHtml(page.language)}\\u0026q\\u003d${queryText(knowledge.name)}\\u0026shndl\\u003d30"]]};</script>`;
  return `${share}</body></html>`;
}

/** Tabs to other kinds of search. */
export function tabs(page: Page): string {
  const { labels } = page.phrases;
  const links = otherTabs(page).map(
    ([label, address]) =>
      `<div role="listitem"><a jsname="pxBnId" class="C6AK7c" href="${escapeHtml(address)}"><div jsname="xBNgKe" class="mXwfNd"><span class="R1QWuf">${escapeHtml(label)}</span></div></a></div>`,
  );
  return (
    '<div class="YNk70c iFBYke"><div class="GG4mbd P3mIxe" role="navigation"><div class="HTOhZ"><div class="EDblX JpOecb"><div class="rQTE8b"><div class="beZ0tf O1uzAe" role="list">' +
    `<div role="listitem"><a class="C6AK7c" role="link" aria-current="page" aria-disabled="true"><div jsname="xBNgKe" class="mXwfNd"><span class="R1QWuf">${escapeHtml(labels.all)}</span></div></a></div>${links.join('')}` +
    '</div></div></div></div></div></div>'
  );
}

/**
 * The overview that a model wrote, with its citations; strings for its failure are in the page, hidden, as in the
 * original.
 */
export function overview(page: Page, { opening, list, closing, citations }: Overview): string {
  const label = escapeHtml(page.phrases.labels.overview);
  const citation = (each: Cited, i: number) =>
    `<li class="CyMdWb"><div class="MFrAxb BKnikc" data-src-id="${i}" data-src-fp="false"><a class="NDNGvf" aria-label="${escapeHtml(each.title)}" href="${escapeHtml(each.url)}"></a><div class="w6SxZb"><div class="T5ny9d">` +
    `<div class="Nn35F">${escapeHtml(each.title)}</div><span class="vhJ6Pe">${escapeHtml(opening.slice(0, 90))}</span><div class="w8lk7d"><img class="sGgDgb" src="${pixel}" alt=""><span class="Z1JFYc"><span class="R0r5R">${escapeHtml(each.source)}</span></span></div></div></div></div></li>`;
  return (
    `<div jsname="ZLxsqf" data-lhcontainer="1" id="eKIzJc" style="margin-bottom:30px"><div class="YzCcne" data-mcp="18"><h1 style="margin:0;padding:0;clip:rect(1px,1px,1px,1px)">${label}</h1><div class="hdzaWe"><div jsname="dEwkXc" class="EyBRub jUja0e" data-aquarium="true"><div data-subtree="mfc"><div class="h7Tj7e zc75bb"><div class="D5ad8b" id="m-x-content">` +
    `<div class="nk9vdc GYaNDc"><span jsname="lGsj1" class="YWpX0d" style="display:none"><span>An AI Overview is not available for this search</span></span><div jsname="cUzNTd" class="Fzsovc">${label}</div></div><div class="jloFI GkDqAd"><div jsname="dvXlsc" class="pOOWX" data-rl="en"><div class="qRuFed"><div class="FkX2oe" data-subtree="aimc"><div class="pWvJNd">` +
    `<div data-container-id="main-col" class="mZJni Dn7Fzd"><div class="Y3BBE" data-sfc-cp="">${escapeHtml(opening)}</div><ul class="KsbFXc U6u95">${list.map((each) => `<li><span class="T286Pc" data-sfc-cp="">${escapeHtml(each)}</span></li>`).join('')}</ul><div class="Y3BBE" data-sfc-cp="">${escapeHtml(closing)}</div></div>` +
    `<div data-container-id="rhs-col" class="ofHStc Dn7Fzd"><div class="HWMcu"><ul class="bTFeG">${citations.map(citation).join('')}</ul></div></div></div></div></div></div></div></div></div></div></div></div></div></div>`
  );
}

/** A block of text ads. Ids distinguish top from bottom. */
export function adverts(page: Page, id: 'tads' | 'tadsb', items: readonly Advert[]): string {
  if (items.length === 0) return '';
  const { labels } = page.phrases;
  const click = (url: string) => escapeHtml(referralAddress(url));
  const item = ({ title, url, host, text }: Advert, i: number) =>
    `<div class="uEierd"><div><div data-text-ad="1" data-ta-slot="0" data-ta-slot-pos="${i + 1}"><div class="vdQmEd fP1Qef"><span class="U3A9Ac qV8iec">${escapeHtml(labels.sponsored)}</span><div class="v5yQqb">` +
    `<a class="sVXRqc" data-pcu="https://${escapeHtml(host)}/" data-rw="${click(url)}" href="${escapeHtml(url)}"><div class="CCgQ5 vCa9Yd" aria-level="3" role="heading"><span>${escapeHtml(title)}</span></div><div class="d8lRkd"><span class="wbJOMb"><span class="OSrXXb">${escapeHtml(host.replace(/^www\./u, ''))}</span><span class="x2VHCd OSrXXb" data-dtld="${escapeHtml(host)}" role="text">https://${escapeHtml(host)}</span></span></div></a></div>` +
    `<div class="Va3FIb r025kc"><div class="p4wth">${escapeHtml(text)}</div></div></div></div></div></div>`;
  return `<div id="${id}" aria-label="${escapeHtml(labels.ads)}" role="region" data-aqid="${code(hashText(page.keyword), 12)}"><h1 class="bNg8Rb">${escapeHtml(labels.ads)}</h1>${items.map(item).join('')}</div>`;
}

/** Searches that others made, at the foot. */
export function related(page: Page): string {
  if (page.related.length === 0) return '';
  const item = (text: string) =>
    `<div class="b2Rnsc vIifob"><div class="qR29te"><a class="ngTNl ggLgoc" href="${escapeHtml(searchAddress(text, '&sa=X'))}"><div class="B2VR9 CJHX3e"><div class="mtv5bd"><span class="dg6jd JGD2rd">${boldNew(text, page.keyword)}</span></div></div></a></div></div>`;
  return (
    `<div class="ULSxyf"><div class="MjjYud"><div data-abe=""><div class="oIk2Cb"><div class="M6HR1c PJI6ge"><span class="mgAbYb RES9jf" aria-level="2" role="heading">${escapeHtml(page.phrases.labels.related)}</span></div>` +
    `<div class="y6Uyqe"><div class="EIaa9b"><div class="AJLUJb">${page.related.map(item).join('')}</div></div></div></div></div></div></div>`
  );
}

/** What a related search adds to the query is bold. */
function boldNew(text: string, keyword: string): string {
  const at = text.indexOf(keyword.toLowerCase());
  if (at !== 0) return escapeHtml(text);
  return `${escapeHtml(keyword.toLowerCase())}<b>${escapeHtml(text.slice(keyword.length))}</b>`;
}

/** A row of stories, posts: a section with its own header. */
function section(title: string, body: string): string {
  return (
    `<div class="ULSxyf"><div class="MjjYud"><div class="A6K0A"><g-section-with-header class="yG4QQe TBC9ub"><div class="e2BEnf q8U8x"><div class="Kcn6oc adDDi"><span class="mgAbYb RES9jf" aria-level="2" role="heading"><div class="jUUgH"><span class="sOq4Gc">${escapeHtml(title)}</span></div></span></div></div>` +
    `${body}</g-section-with-header></div></div></div>`
  );
}

/** A row of things with a plain title. */
function row(title: string, body: string): string {
  return (
    `<div class="ULSxyf"><div class="MjjYud"><div class="A6K0A"><div class="vtSz8d"><div class="UjLRDc Dk6Uvb"><div class="PJI6ge adDDi"><span class="mgAbYb RES9jf" aria-level="2" role="heading">${escapeHtml(title)}</span></div></div>` +
    `${body}</div></div></div></div>`
  );
}

/** Stories: a link around a heading. */
export function stories(title: string, items: readonly Cited[]): string {
  const item = (each: Cited) =>
    `<div class="m7jPZ"><a jsname="YKoRaf" class="WlydOe" href="${escapeHtml(each.url)}"><div class="lSfe4c O5OgBe"><div class="gpjNTe"><img alt="" src="${pixel}"></div><div class="SoAPf"><div class="MgUUmf NUnG9d"><span>${escapeHtml(each.source)}</span></div><div class="n0jPhd ynAwRc" aria-level="3" role="heading">${escapeHtml(each.title)}</div><div class="OSrXXb rbYSKb"><span>${escapeHtml(each.age)}</span></div></div></div></a></div>`;
  return section(
    title,
    `<div class="C84Xbf"><div class="MmyPhf"><div class="WnHMEc">${items.map(item).join('')}</div></div></div>`,
  );
}

/** Posts of people: a list that scrolls. */
export function posts(title: string, items: readonly (Cited & { readonly author: string })[]): string {
  const item = (each: Cited & { readonly author: string }) =>
    `<div jsname="dJDgTb" class="dRzkFf" role="listitem"><div class="tPUpmf kno-fb-ctx"><a jsname="YKoRaf" class="WlydOe jyAf5b" href="${escapeHtml(each.url)}"><div class="fZPPvd"><div class="pontCc"><div class="eAaXgc WZaQJf" aria-level="3" role="heading">${escapeHtml(each.title)}</div></div><div class="OSrXXb rbYSKb"><span>${escapeHtml(each.age)}</span></div>` +
    `<div class="XskEbd"><div class="UzAMof"><div class="Qg3N7d jSP0zb"><div class="sTl1Td q8U8x">${escapeHtml(each.author)}</div><div class="appd0 yUTMj">${escapeHtml(each.source)}</div></div></div></div></div></a></div></div>`;
  return section(
    title,
    `<div jsname="K9a4Re"><div class="m5t0v XNfAUb"><div class="RyIFgf" style="overflow-x:auto"><div class="EDblX HG5ZQb" role="list"><div class="BI6f6d" role="list">${items.map(item).join('')}</div></div></div></div></div>`,
  );
}

/** Videos with their length. */
export function videos(title: string, items: readonly (Cited & Video)[]): string {
  const item = (each: Cited & Video) =>
    `<div jsname="pKB8Bc" class="X4T0U Tu1FGd"><div class="WVV5ke" data-cid="${code(each.key, 8)}" data-curl="${escapeHtml(each.url)}"><div jsname="tX7jT" class="KYaZsb"><div class="rtvRGe"><div class="ObbMBf"><a class="rIRoqf" href="${escapeHtml(each.url)}"><div class="V5XKdd" aria-level="3" role="heading"><div class="ZxS7Db"><div class="tNxQIb ynAwRc"><span class="cHaqb QOGdqf">${escapeHtml(each.title)}</span></div></div></div></a>` +
    `<div class="ZtihLe YrbPuc"><span class="Sg4azc"><span>${escapeHtml(each.source)}</span></span><span>${escapeHtml(each.age)}</span></div></div></div><div class="rIRoqf hXY9cf" role="button"><img alt="" src="${escapeHtml(each.thumbnail)}"><div class="c8rnLc nkWare"><span>${durationText(each.duration)}</span></div></div></div></div></div>`;
  return row(
    title,
    `<div class="Ea5p3b"><div jsname="wRSfy"><div jsname="TFTr6" class="sHEJob">${items.map(item).join('')}</div></div></div>`,
  );
}

/** Pictures, each with the page it is on. */
export function images(title: string, keyword: string, items: readonly Cited[]): string {
  const item = (each: Cited) =>
    `<div class="vCUuC m3LIae"><div jscontroller="p6jW2e" id="${code(each.key, 14)}" data-lpage="${escapeHtml(each.url)}" data-docid="${code(each.key, 12)}"><div class="p7bv DfMusf"><div class="w43QB EXH1Ce"><a class="ddkIM c30Ztd" href="${escapeHtml(each.url)}"></a><div class="kwICDb DfMusf" role="button"><div class="gdOPf pb66sc"><img alt="${escapeHtml(each.title)}" src="${pixel}"></div></div><div class="VaiWld"><div class="yVCOtc CvgGZ"><span class="Yt787 JGD2rd">${escapeHtml(each.title)}</span></div><div class="R8BTeb q8U8x">${escapeHtml(each.source)}</div></div></div></div></div></div>`;
  return row(
    title,
    `<div id="iur"><div data-q="${escapeHtml(keyword)}"><div class="cakeVe" data-nr="1">${items.map(item).join('')}</div></div></div>`,
  );
}

/** The engine's text above the footer when nothing matches. */
export function nothingFound(page: Page): string {
  const { nothing, advice } = page.phrases.labels;
  return `<div class="mnr-c"><div class="card-section"><p aria-level="3" role="heading" style="padding-top:.33em">Your search - <span><em>${escapeHtml(page.keyword)}</em></span> - ${escapeHtml(nothing)} </p><p style="margin-top:1em">Suggestions:</p><ul style="margin-left:1.3em;margin-bottom:2em"><li>${escapeHtml(advice)}</li></ul></div></div>`;
}

/** The page an engine shows to what it takes for a robot. */
export function captchaPage(keyword: string): string {
  const target = `https://www.google.com/search?q=${queryText(keyword)}`;
  return (
    `<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"><html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"><meta name="viewport" content="initial-scale=1"><title>${escapeHtml(target)}</title></head>` +
    '<body style="font-family:arial,sans-serif;padding:20px" onload="e=document.getElementById(\'captcha\');if(e){e.focus();}"><div style="max-width:400px;"><hr noshade size="1"><br><form id="captcha-form" action="index" method="post"><noscript><div style="font-size:13px;">In order to continue, please enable javascript on your web browser.</div></noscript>' +
    `<script src="https://www.google.com/recaptcha/enterprise.js" async defer></script><div id="recaptcha" class="g-recaptcha" data-sitekey="sandbox" data-callback="submitCallback" data-s="${code(derive(hashText(keyword), 1), 20)}"></div><input type="hidden" name="q" value="${code(hashText(keyword), 24)}"><input type="hidden" name="continue" value="${escapeHtml(target)}"></form><hr noshade size="1">` +
    '<div style="font-size:13px;"><b>About this page</b><br><br>Our systems have detected unusual traffic from your computer network. This page checks to see if it&#39;s really you sending the requests, and not a robot.</div></div></body></html>'
  );
}

/** The place of the searcher, as the footer names it. */
export function footer({ place }: Page): string {
  return place === undefined ? '' : `<div id="swml"><span class="dfB0uf">${escapeHtml(place)}</span></div>`;
}

/** The link from a place to its website. */
export function websiteButton(website: string | undefined): string {
  return website === undefined
    ? ''
    : `<a class="yYlJEf Q7PwXb L48Cpd brKmxb" href="${escapeHtml(website)}">Website</a>`;
}
