// What every page is about: the period, own target, market and device; and the way to anything else.
import { Search, Share2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useAddress, useChangeQuery } from '../address.ts';
import { addressToShare, useAccess } from '../api.ts';
import { pages } from '../pages.ts';
import { useProject } from '../project.tsx';
import { CommandPalette, usePalette } from './command-palette.tsx';
import { ActionMenu } from './menu.tsx';
import { PeriodButton } from './period-button.tsx';
import { ThemeButton } from './theme-button.tsx';

/** `children`: what the numbers of the page are of; absent: no project is open. */
export function TopBar({ children }: { readonly children?: ReactNode }): ReactNode {
  const { isOpen, setOpen } = usePalette();
  return (
    <header className="top-bar across">
      {children ?? (
        <a className="brand across" href="/">
          <i aria-hidden="true" />
          <span>rankledger</span>
        </a>
      )}
      <div className="screen-only top-end across end">
        <button
          type="button"
          className="button search-button"
          onClick={() => setOpen(true)}
          aria-label="Search or jump to"
        >
          <Search size={15} aria-hidden="true" />
          <span className="aside">Search or jump to…</span>
          <kbd>/</kbd>
        </button>
        <ThemeButton />
        {children !== undefined && <ShareButton />}
      </div>
      <CommandPalette isOpen={isOpen} setOpen={setOpen} />
    </header>
  );
}

/** Period, own target, market and device. */
export function Scope(): ReactNode {
  const { name, facts, overview } = useProject();
  const { page, query } = useAddress();
  const isFiltered = pages[page]?.isUnfiltered !== true;
  const change = useChangeQuery();
  const devices = [...new Set(facts.markets.map(({ device }) => device))].sort();
  const markets = [...new Set(facts.markets.map(({ country, language }) => `${country} ${language}`))].sort();
  const [target, device, market] = [query.get('target'), query.get('device'), query.get('market')];
  const option = (name: string, value: string, label: string, chosen: string | null) => ({
    label,
    isChosen: (chosen ?? '') === value,
    run: () => change({ [name]: value }),
  });
  return (
    <div className="scope across wraps">
      <b className="on-paper">
        <bdi>{name}</bdi>
      </b>
      {pages[page]?.hasOwnDates !== true && <PeriodButton />}
      {isFiltered && facts.targets.length > 1 && (
        <ActionMenu
          label={<Named name="Target" value={target === '*' ? 'all' : (target ?? facts.targets[0] ?? '')} />}
          actions={[
            ...facts.targets.map((of, index) => option('target', index === 0 ? '' : of, of, target)),
            option('target', '*', 'All targets', target),
          ]}
        />
      )}
      {isFiltered && markets.length > 1 && (
        <ActionMenu
          label={<Named name="Market" value={market?.replaceAll('|', ', ') ?? 'all'} />}
          actions={[
            option('market', '', 'All markets', market),
            ...markets.map((of) => option('market', of, of, market)),
          ]}
        />
      )}
      {isFiltered && devices.length > 1 && (
        <ActionMenu
          label={<Named name="Device" value={device === null ? 'all' : device === 'mobile' ? 'phone' : device} />}
          actions={[
            option('device', '', 'All devices', device),
            ...devices.map((of) => option('device', of, of === 'mobile' ? 'Phone' : 'Desktop', device)),
          ]}
        />
      )}
      {facts.engine !== null && (
        <span className="label engine-label" title="Search engine">
          {facts.engine}
        </span>
      )}
      {overview?.isSimulated === true && (
        <span className="label" title="No search engine was queried for these numbers">
          simulated data
        </span>
      )}
    </div>
  );
}

function Named({ name, value }: { readonly name: string; readonly value: string }): ReactNode {
  return (
    <>
      <span className="aside">{name}</span> <bdi className="named-value">{value}</bdi>
    </>
  );
}

/** The address is the whole state of the page: sharing is copying it. */
function ShareButton(): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const access = useAccess();
  const copy = async () => {
    await navigator.clipboard.writeText(addressToShare(access));
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <button
      type="button"
      className="button primary share-button"
      onClick={copy}
      aria-label={isCopied ? 'Link copied' : 'Share a link to this page'}
    >
      <Share2 size={15} aria-hidden="true" />
      <span aria-live="polite">{isCopied ? 'Link copied' : 'Share'}</span>
    </button>
  );
}
