// Files as objects of S3, or of a server that speaks its protocol, through the client of AWS.
import { byteStream, type FileStore, loadClient, objectStore, type Place } from './store.ts';

const packages = '@aws-sdk/client-s3 @aws-sdk/lib-storage';

/** Credentials and region are those that the client finds: variables, shared files, roles. */
export async function openS3(place: Place, endpoint: string | undefined): Promise<FileStore> {
  const { bucket: Bucket, prefix } = place;
  const load = () => Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]);
  const [sdk, { Upload }] = await loadClient(load, place, packages);
  // a bucket of such a server has no host name as a rule
  const client = new sdk.S3Client(endpoint === undefined ? {} : { endpoint, forcePathStyle: true });
  const keyOf = (name: string) => prefix + name;
  return objectStore(place, {
    async list(folder) {
      const found = new Map<string, number>();
      const pages = sdk.paginateListObjectsV2({ client }, { Bucket, Prefix: `${keyOf(folder)}/` });
      for await (const { Contents = [] } of pages) {
        for (const { Key = '', Size = 0 } of Contents) found.set(Key.slice(prefix.length), Size);
      }
      return found;
    },
    async read(name) {
      const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket, Key: keyOf(name) }));
      return (await Body?.transformToString()) ?? '';
    },
    async write(name, chunks, signal) {
      const { stream: Body, bytes } = byteStream(chunks);
      const upload = new Upload({ client, params: { Bucket, Key: keyOf(name), Body } });
      const abort = () => void upload.abort();
      signal.addEventListener('abort', abort);
      try {
        signal.throwIfAborted();
        await upload.done();
      } finally {
        signal.removeEventListener('abort', abort);
      }
      return bytes();
    },
    async remove(name) {
      await client.send(new sdk.DeleteObjectCommand({ Bucket, Key: keyOf(name) }));
    },
  });
}
