// Small pages of DuckDuckGo written by hand.

export function duckPage(items: string, query = 'running shoes'): string {
  return `<html><body><input name="q" value="${query}"><div id="links">${items}</div></body></html>`;
}

export function duckResult(link: string, title: string): string {
  return `<div class="result"><a class="result__a" href="${link}">${title}</a></div>`;
}
