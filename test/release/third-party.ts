// What the package depends on: an SBOM (CycloneDX) and the licences of all dependencies.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Dependency {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly licence: string;
  /** Of the packed package: `sha512-` and base64. */
  readonly integrity: string;
  /** Where it is installed, on platforms that need it. */
  readonly folder: string;
  /** Left out by `npm install --omit=optional`. */
  readonly isOptional: boolean;
}

interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly integrity: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  /** Needed by optional packages and by tools of a checkout, but by nothing else. */
  readonly devOptional?: boolean;
}

/**
 * Every package that comes with ours, optional ones included, from the lock file. Not by `npm sbom --omit=dev`: npm 11
 * leaves out packages that the tools of a checkout need as well, such as yaml.
 */
export function dependencies(): Dependency[] {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };
  return Object.entries(packages)
    .filter(([folder, { dev }]) => folder !== '' && dev !== true)
    .map(([folder, { version, license = '', integrity, optional, devOptional }]) => {
      const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
      return {
        name,
        version,
        licence: license,
        integrity,
        folder,
        isOptional: optional === true || devOptional === true,
      };
    })
    .sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

function billOf(list: readonly Dependency[]): string {
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string; version: string };
  const components = list.map((each) => ({
    type: 'library',
    'bom-ref': `${each.folder}@${each.version}`,
    name: each.name,
    version: each.version,
    purl: `pkg:npm/${each.name.replace('@', '%40')}@${each.version}`,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(each.integrity.replace('sha512-', ''), 'base64').toString('hex') }],
    licenses: [{ expression: each.licence }],
  }));
  const component = { type: 'application', name, version, purl: `pkg:npm/${name}@${version}` };
  return `${JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { component }, components }, null, 2)}\n`;
}

function licenceText(folder: string): string {
  const missing = '(not installed on this platform, or without a licence file)';
  if (!existsSync(folder)) return missing;
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)(\.(md|txt))?$/i.test(each));
  return file === undefined ? missing : readFileSync(join(folder, file), 'utf8').trim();
}

function licencesOf(list: readonly Dependency[]): string {
  const parts = list.map((each) => `${each.name} ${each.version}\n${each.licence}\n\n${licenceText(each.folder)}`);
  return `rankledger uses these packages.\n\n${parts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

export function writeThirdParty(folder: string): void {
  const list = dependencies();
  writeFileSync(join(folder, 'sbom.cdx.json'), billOf(list));
  writeFileSync(join(folder, 'THIRD_PARTY_LICENCES.txt'), licencesOf(list));
}
