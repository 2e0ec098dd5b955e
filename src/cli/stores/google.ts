// Files as objects of Google Cloud Storage, through its client.
import { pipeline } from 'node:stream/promises';
import { byteStream, type FileStore, loadClient, objectStore, type Place } from './store.ts';

/** Credentials are those that the client finds: GOOGLE_APPLICATION_CREDENTIALS, gcloud, the machine. */
export async function openGoogle(place: Place): Promise<FileStore> {
  const { prefix } = place;
  const { Storage } = await loadClient(() => import('@google-cloud/storage'), place, '@google-cloud/storage');
  const bucket = new Storage().bucket(place.bucket);
  const fileOf = (name: string) => bucket.file(prefix + name);
  return objectStore(place, {
    async list(folder) {
      const [files] = await bucket.getFiles({ prefix: `${prefix}${folder}/` });
      return new Map(files.map(({ name, metadata }) => [name.slice(prefix.length), Number(metadata.size)]));
    },
    async read(name) {
      const [bytes] = await fileOf(name).download();
      return bytes.toString('utf8');
    },
    async write(name, chunks, signal) {
      const { stream, bytes } = byteStream(chunks);
      await pipeline(stream, fileOf(name).createWriteStream(), { signal });
      return bytes();
    },
    async remove(name) {
      await fileOf(name).delete({ ignoreNotFound: true });
    },
  });
}
