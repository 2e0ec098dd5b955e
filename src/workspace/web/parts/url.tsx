// A URL as people read it: the site is quiet, the path is what differs.
import type { ReactNode } from 'react';
import { pathOfUrl, shortUrl } from '../words.ts';

export function SiteAndPath({ url }: { readonly url: string }): ReactNode {
  const path = pathOfUrl(url);
  const site = shortUrl(url).split('/')[0];
  return (
    <bdi title={url}>
      <span className="site">{site}</span>
      {path}
    </bdi>
  );
}
