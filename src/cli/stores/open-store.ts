// Opens the place of an export: a folder, S3 or Google Cloud Storage.
import { readdirSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { writeWholeFile } from '../terminal/whole-file.ts';
import { usageError } from '../text/failure.ts';
import type { FileStore } from './store.ts';

interface Environment {
  /** For paths of folders. */
  readonly cwd: string;
  /** Of a server that speaks S3, other than Amazon's. */
  readonly s3Endpoint: string | undefined;
}

/** `address`: a folder, `s3://bucket/prefix` or `gs://bucket/prefix`. Loads the client for it. */
export async function openStore(address: string, { cwd, s3Endpoint }: Environment): Promise<FileStore> {
  const [, scheme, path = ''] = /^([a-z\d+.-]+):\/\/(.*)$/i.exec(address) ?? [];
  if (scheme === undefined) return folderStore(resolve(cwd, address));
  const [bucket, ...folders] = path.split('/');
  if (!bucket) throw usageError(`${address} names no bucket.`, `Write ${scheme}://BUCKET/PREFIX.`);
  const names = folders.filter(Boolean);
  const place = {
    bucket,
    prefix: names.map((name) => `${name}/`).join(''),
    address: [`${scheme}://${bucket}`, ...names].join('/'),
  };
  if (scheme === 's3') return (await import('./s3.ts')).openS3(place, s3Endpoint);
  if (scheme === 'gs') return (await import('./google.ts')).openGoogle(place);
  throw usageError(`${address} cannot be written.`, 'Name a folder, s3://BUCKET/PREFIX or gs://BUCKET/PREFIX.');
}

function folderStore(root: string): FileStore {
  const pathOf = (name: string) => join(root, ...name.split('/'));
  return {
    address: root,
    async list(folder) {
      const path = pathOf(folder);
      if (statSync(path, { throwIfNoEntry: false }) === undefined) return new Map();
      const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      return new Map(
        files.map((entry) => {
          const file = join(entry.parentPath, entry.name);
          return [relative(root, file).split(sep).join('/'), statSync(file, { throwIfNoEntry: false })?.size ?? 0];
        }),
      );
    },
    read: async (name) => readFileSync(pathOf(name), 'utf8'),
    async write(name, chunks, signal) {
      const file = pathOf(name);
      const { makeFolder } = await import('../../../db/connection/disk.ts');
      makeFolder(dirname(file));
      await writeWholeFile(file, chunks, signal);
      return statSync(file).size;
    },
    async remove(name) {
      const file = pathOf(name);
      rmSync(file, { force: true });
      if (readdirSync(dirname(file)).length === 0) rmdirSync(dirname(file));
    },
  };
}
