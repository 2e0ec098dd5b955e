// Small Bing pages, written by hand.

/** The marks of the engine's own pages, and the content after the results. */
export const marks =
  '<script>_G={IG:"0123456789ABCDEF0123456789ABCDEF"};</script><a h="ID=SERP,1.1" href="/?FORM=Z9FD1"></a>';
export const foot = '<footer id="b_footer"></footer>';

export function bingPage(items: string, query = 'running shoes'): string {
  return `<html><body>${marks}<input id="sb_form_q" name="q" value="${query}"><ol id="b_results">${items}</ol>${foot}</body></html>`;
}

export function bingResult(link: string, title: string): string {
  return `<li class="b_algo"><h2><a href="${link}">${title}</a></h2></li>`;
}
