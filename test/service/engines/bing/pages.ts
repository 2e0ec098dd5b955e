// Small pages of Bing written by hand.

export function bingPage(items: string, query = 'running shoes'): string {
  return `<html><body><input id="sb_form_q" name="q" value="${query}"><ol id="b_results">${items}</ol></body></html>`;
}

export function bingResult(link: string, title: string): string {
  return `<li class="b_algo"><h2><a href="${link}">${title}</a></h2></li>`;
}
