// A button that opens a menu of actions, or a panel with controls.
import { Menu } from '@base-ui/react/menu';
import { Popover } from '@base-ui/react/popover';
import { ChevronDown } from 'lucide-react';
import { type ReactNode, useRef } from 'react';

interface ActionMenuProps {
  readonly label: ReactNode;
  readonly actions: readonly { readonly label: string; readonly run: () => void; readonly isChosen?: boolean }[];
}

export function ActionMenu({ label, actions }: ActionMenuProps): ReactNode {
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className="button">
        {label}
        <ChevronDown size={14} aria-hidden="true" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="layer" sideOffset={4} align="end">
          <Menu.Popup className="popup menu">
            {actions.map(({ label: name, run, isChosen }) => (
              <Menu.Item key={name} className="menu-item" onClick={run} aria-current={isChosen || undefined}>
                {name}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

interface PanelProps {
  readonly label: ReactNode;
  /** What the panel holds, for those who do not see it. */
  readonly title: string;
  readonly className?: string;
  readonly align?: 'start' | 'end';
  readonly children: ReactNode | ((close: () => void) => ReactNode);
  readonly isOpen?: boolean;
  readonly onOpen?: (isOpen: boolean) => void;
}

export function Panel({
  label,
  title,
  className = 'button',
  align = 'start',
  children,
  isOpen,
  onOpen,
}: PanelProps): ReactNode {
  const actions = useRef<Popover.Root.Actions>(null);
  return (
    <Popover.Root
      actionsRef={actions}
      {...(isOpen === undefined ? {} : { open: isOpen })}
      onOpenChange={(open) => onOpen?.(open)}
    >
      <Popover.Trigger className={className}>{label}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="layer" sideOffset={4} align={align} collisionPadding={8}>
          <Popover.Popup className="popup panel">
            <Popover.Title className="unseen">{title}</Popover.Title>
            {typeof children === 'function' ? children(() => actions.current?.close()) : children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
