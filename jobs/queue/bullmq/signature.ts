// Signs messages between coordinators and workers, so that other writers to Redis cannot forge them.
import { createHmac, timingSafeEqual } from 'node:crypto';

const mark = Buffer.from('RLS1');
const macBytes = 32;

/** A message whose signature is missing, wrong, or cannot be checked here. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError';
}

/** Signs with HMAC-SHA-256. Without a key messages travel as they are, and signed ones are refused. */
export class MessageSigner {
  readonly #key: string | null;

  constructor(key: string | null) {
    this.#key = key;
  }

  /** Whether there is a key. */
  get isSigning(): boolean {
    return this.#key !== null;
  }

  /** `context` names the request: its signature does not fit another request. */
  seal(context: string, message: Buffer): Buffer {
    return this.#key === null ? message : Buffer.concat([mark, this.#mac(this.#key, context, message), message]);
  }

  /** The message of a sealed one. Throws SignatureError. */
  open(context: string, sealed: Buffer): Buffer {
    const isSigned = sealed.subarray(0, mark.length).equals(mark);
    if (this.#key === null) {
      if (isSigned) throw new SignatureError('it is signed, and no queue.signingKey is set here');
      return sealed;
    }
    if (!isSigned) throw new SignatureError('it is not signed');
    const message = sealed.subarray(mark.length + macBytes);
    const mac = sealed.subarray(mark.length, mark.length + macBytes);
    const expected = this.#mac(this.#key, context, message);
    if (mac.length !== macBytes || !timingSafeEqual(mac, expected)) {
      throw new SignatureError('it is signed with another queue.signingKey than the one set here');
    }
    return message;
  }

  #mac(key: string, context: string, message: Buffer): Buffer {
    return createHmac('sha256', key).update(context).update('\0').update(message).digest();
  }
}
