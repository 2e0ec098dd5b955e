// The headers that a browser sends in a request for a page.
import type { SearchAsked } from '../../engines/engine.ts';

const userAgents = {
  desktop:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  mobile:
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
};

export function chooseUserAgent(mobile: boolean): string {
  return mobile ? userAgents.mobile : userAgents.desktop;
}

/** Languages that a browser of the market prefers: `de-DE,de;q=0.9`. */
export function acceptedLanguages({ language, country }: SearchAsked): string {
  const [primary = language] = language.split('-');
  return `${language.includes('-') ? language : `${primary}-${country}`},${primary};q=0.9`;
}

export function browserHeaders(asked: SearchAsked): Record<string, string> {
  return {
    'user-agent': chooseUserAgent(asked.mobile),
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'accept-language': acceptedLanguages(asked),
    'accept-encoding': 'gzip, deflate, br, zstd',
    'upgrade-insecure-requests': '1',
    'sec-ch-ua-mobile': asked.mobile ? '?1' : '?0',
    'sec-fetch-dest': 'document',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-site': 'none',
    'sec-fetch-user': '?1',
  };
}
