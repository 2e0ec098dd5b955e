// The heading of a page, which names the window as well.
import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';
import { useAddress } from '../address.ts';

const IsPart = createContext(false);

/** Pages inside are parts of another one: their headings are below its, and do not name the window. */
export function PartTitles({ children }: { readonly children: ReactNode }): ReactNode {
  return <IsPart value>{children}</IsPart>;
}

export function PageTitle({ children }: { readonly children: ReactNode }): ReactNode {
  const isPart = useContext(IsPart);
  const { project } = useAddress();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isPart) document.title = [heading.current?.textContent, project, 'rankledger'].filter(Boolean).join(' · ');
  });
  return isPart ? <h3 className="part-title">{children}</h3> : <h1 ref={heading}>{children}</h1>;
}
