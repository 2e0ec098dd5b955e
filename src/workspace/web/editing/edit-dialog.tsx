// A dialog in which something is changed: its fields, the preview, and the one button that writes.
import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ApiError } from '../api.ts';
import './editing.css';

interface Props {
  readonly title: string;
  /** Of the button that opens it; absent: it is opened from elsewhere. */
  readonly label?: ReactNode;
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
  readonly isWide?: boolean;
  /** Only while it is open. */
  readonly children: ReactNode;
}

export function EditDialog({ title, label, isOpen, setOpen, isWide = false, children }: Props): ReactNode {
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      {label !== undefined && <Dialog.Trigger className="button screen-only">{label}</Dialog.Trigger>}
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup
          className={isWide ? 'popup edit-dialog stack gap-4 edit-dialog-wide' : 'popup edit-dialog stack gap-4'}
        >
          <div className="edit-head">
            <Dialog.Title className="edit-title">{title}</Dialog.Title>
            <Dialog.Close className="quiet-button" aria-label="Close">
              <X size={16} aria-hidden="true" />
            </Dialog.Close>
          </div>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** What the server refused, in its words. */
export function Refused({ error }: { readonly error: ApiError | null }): ReactNode {
  return (
    error !== null && (
      <p role="alert" className="notice bad-notice">
        {error.message}
      </p>
    )
  );
}

interface FootProps {
  readonly action: string;
  readonly isReady: boolean;
  readonly isSending: boolean;
  /** Absent: the button submits its form. */
  readonly onAct?: () => void;
}

export function EditFoot({ action, isReady, isSending, onAct }: FootProps): ReactNode {
  return (
    <div className="edit-foot">
      <Dialog.Close className="button">Cancel</Dialog.Close>
      <button
        type={onAct === undefined ? 'submit' : 'button'}
        className="button primary"
        disabled={!isReady || isSending}
        onClick={onAct}
      >
        {isSending ? 'One moment…' : action}
      </button>
    </div>
  );
}
