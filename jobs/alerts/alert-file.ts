// The file channel: appends one line of JSON an alert, in one write, so that lines of processes do not mix.
import { appendFile, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../../db/connection/disk.ts';
import { alertLines } from '../../src/report/alerts/alert-forms.ts';
import { digestDocument } from '../../src/report/alerts/digest.ts';
import { type AlertChannel, DeliveryError, type DigestChannel, describeError } from './alert-channel.ts';

/** A pipe that nothing reads is refused, where it would make the run wait for ever. */
const flag = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);

/** `path` is absolute; its folder is made where it is missing. */
export function fileChannel(path: string, now: () => number): AlertChannel & DigestChannel {
  return {
    async send(message) {
      try {
        makeFolder(dirname(path));
        await appendFile(path, alertLines(message, now()), { flag });
      } catch (error) {
        throw new DeliveryError(describeError(error));
      }
    },
    async sendDigest({ id, digest }) {
      try {
        makeFolder(dirname(path));
        const line = { at: new Date(now()).toISOString(), id, ...digestDocument(digest) };
        await appendFile(path, `${JSON.stringify(line)}\n`, { flag });
      } catch (error) {
        throw new DeliveryError(describeError(error));
      }
    },
  };
}
