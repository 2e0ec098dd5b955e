// Small DuckDuckGo pages, written by hand.

/** The marks of the engine's own pages, and the content after the results. */
export const marks = '<form action="/html/"><input type="hidden" name="vqd" value="4-1"></form>';
export const foot = '<div id="bottom_spacing2"></div>';

export function duckPage(items: string, query = 'running shoes'): string {
  return `<html><body>${marks}<input name="q" value="${query}"><div id="links">${items}</div>${foot}</body></html>`;
}

export function duckResult(link: string, title: string): string {
  return `<div class="result"><a class="result__a" href="${link}">${title}</a></div>`;
}
