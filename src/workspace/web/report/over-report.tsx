// The page of a keyword or of its results over the report, which stays as it was behind it.
import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { type Address, goTo, HeldAddress, pathTo, useAddress } from '../address.ts';
import { Keyword } from '../pages/keyword.tsx';
import { Serp } from '../pages/serp.tsx';
import { PartTitles } from '../parts/page-title.tsx';
import { ProjectData } from '../project.tsx';

const pagesOver: Readonly<Record<string, () => ReactNode>> = { keyword: Keyword, serp: Serp };

/** `children`: the report. */
export function OverReport({ children }: { readonly children: ReactNode }): ReactNode {
  const address = useAddress();
  const Page = pagesOver[address.page];
  const behind = useRef<Address | null>(null);
  if (Page === undefined) behind.current = address;
  // a file that is opened at a keyword
  behind.current ??= { ...address, page: 'keywords', query: new URLSearchParams() };
  const { project, page, query } = behind.current;
  const name = project ?? '';
  return (
    <>
      <HeldAddress value={Page === undefined ? null : behind.current}>
        <ProjectData name={name}>{children}</ProjectData>
      </HeldAddress>
      {Page !== undefined && (
        <ProjectData name={name}>
          <Dialog.Root open onOpenChange={(isOpen) => !isOpen && goTo(pathTo(project, page, query))}>
            <Dialog.Portal>
              <Dialog.Backdrop className="backdrop" />
              <Dialog.Popup className="popup report-over stack gap-4" aria-label="The keyword">
                <Dialog.Close className="quiet-button close" aria-label="Back to the report">
                  <X size={16} aria-hidden="true" />
                </Dialog.Close>
                <PartTitles>
                  <Page />
                </PartTitles>
              </Dialog.Popup>
            </Dialog.Portal>
          </Dialog.Root>
        </ProjectData>
      )}
    </>
  );
}
