// A link to a page of the web, which opens a new tab; text only, unless it is one.
import type { ReactNode } from 'react';

interface Props {
  readonly url: string;
  readonly className?: string;
  readonly children: ReactNode;
}

export function WebLink({ url, className, children }: Props): ReactNode {
  if (!/^https?:\/\//i.test(url))
    return (
      <span className={className} title={url}>
        {children}
      </span>
    );
  return (
    <a className={className} href={url} rel="noreferrer" target="_blank" title={url}>
      {children}
    </a>
  );
}
