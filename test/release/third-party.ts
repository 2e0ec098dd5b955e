// The SBOM (CycloneDX) and the licences of all packages that are built into the pages or that npm installs with ours.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

interface Part {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly licence: string;
  /** Of the packed package: `sha512-` and base64. */
  readonly integrity: string;
}

export interface Dependency extends Part {
  /** Where it is installed, on platforms that need it. */
  readonly folder: string;
  /** Left out by `npm install --omit=optional`. */
  readonly isOptional: boolean;
}

interface Locked {
  /** Of the package, where its folder has another name. */
  readonly name?: string;
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  /** Needed by optional packages and by tools of a checkout, but by nothing else. */
  readonly devOptional?: boolean;
}

/**
 * Every package in the lock file of a folder, optional ones of all platforms included, but for those that only a
 * checkout needs. Not by `npm sbom --omit=dev`: npm 11 leaves out packages that tools of a checkout need as well.
 */
export function dependencies(root = '.'): Dependency[] {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(lock) as { packages: Record<string, Locked> };
  return Object.entries(packages)
    .filter(([folder, { dev, integrity }]) => folder !== '' && dev !== true && integrity !== undefined)
    .map(([folder, { name, version, license = '', integrity = '', optional, devOptional }]) => ({
      name: name ?? folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      licence: license,
      integrity,
      folder: join(root, folder),
      isOptional: optional === true || devOptional === true,
    }))
    .sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

/**
 * Installs the package of this manifest as a program would, which overrides of a checkout do not reach, and gives what
 * npm installed to `use`. Throws Error where npm cannot.
 */
async function withInstalled(
  manifest: string,
  registry: string | undefined,
  use: (list: readonly Dependency[]) => void,
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'rankledger-installed-'));
  try {
    const {
      name,
      devDependencies: _,
      scripts: __,
      ...published
    } = JSON.parse(readFileSync(manifest, 'utf8')) as {
      readonly name: string;
      readonly devDependencies?: object;
      readonly scripts?: object;
      readonly dependencies?: object;
      readonly optionalDependencies?: object;
    };
    mkdirSync(join(home, 'package'));
    writeFileSync(join(home, 'package', 'package.json'), JSON.stringify({ name, ...published, files: [] }));
    mkdirSync(join(home, 'program'));
    writeFileSync(
      join(home, 'program', 'package.json'),
      JSON.stringify({ dependencies: { [name]: 'file:../package' } }),
    );
    // settings of an `npm pack` around it must not apply
    const flags = [
      '--no-dry-run',
      '--no-global',
      '--no-json',
      '--include=optional',
      '--include=prod',
      '--ignore-scripts',
    ];
    const quick = [
      '--install-links',
      '--no-audit',
      '--no-fund',
      '--fetch-retries=1',
      '--fetch-retry-maxtimeout=500',
      '--fetch-retry-mintimeout=100',
    ];
    const from = registry === undefined ? [] : [`--registry=${registry}`];
    await promisify(execFile)('npm', ['install', ...flags, ...quick, ...from], { cwd: join(home, 'program') });
    const list = dependencies(join(home, 'program')).filter((each) => each.name !== name);
    const { dependencies: needed, optionalDependencies: optional } = published;
    // npm leaves out an optional package that it cannot fetch
    const missing = Object.keys({ ...needed, ...optional }).filter((each) => !list.some(({ name }) => name === each));
    if (missing.length > 0) throw new Error(`npm has not installed ${missing.join(', ')}`);
    use(list);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** `isWhole`: the list has what npm installs, not what a checkout has. */
function billOf(list: readonly Part[], isWhole: boolean): string {
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string; version: string };
  const refs = new Map(list.map((each) => [`${each.name}@${each.version}`, each]));
  const components = [...refs].map(([ref, each]) => ({
    type: 'library',
    'bom-ref': ref,
    name: each.name,
    version: each.version,
    purl: `pkg:npm/${each.name.replace('@', '%40')}@${each.version}`,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(each.integrity.replace('sha512-', ''), 'base64').toString('hex') }],
    licenses: [{ expression: each.licence }],
  }));
  const component = { type: 'application', 'bom-ref': name, name, version, purl: `pkg:npm/${name}@${version}` };
  const compositions = [{ aggregate: isWhole ? 'complete' : 'incomplete', assemblies: [name] }];
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component },
    components,
    compositions,
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

/** What Vite writes of a package that it builds into pages. */
interface Bundled {
  readonly name: string;
  readonly version: string;
  /** Of SPDX. */
  readonly identifier: string;
  readonly text: string;
}

/** The packages in the pages of a built package, with their checksums from the lock file of the checkout. */
export function builtIn(dist: string): (Part & { readonly text: string })[] {
  const lists = ['web', 'report'].map((pages) => readFileSync(join(dist, pages, 'licences.json'), 'utf8'));
  const bundled = lists.flatMap((list) => JSON.parse(list) as Bundled[]);
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };
  return bundled.map(({ name, version, identifier, text }) => {
    const locked = Object.entries(packages).find(
      ([folder, each]) => folder.endsWith(`node_modules/${name}`) && each.version === version,
    );
    return { name, version, licence: identifier, integrity: locked?.[1].integrity ?? '', text };
  });
}

function licenceText({ folder }: Dependency): string {
  const missing = '(not installed on this platform, or without a licence file)';
  if (!existsSync(folder)) return missing;
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)(\.(md|txt))?$/i.test(each));
  return file === undefined ? missing : readFileSync(join(folder, file), 'utf8').trim();
}

function licencesOf(list: readonly (Part & { readonly text: string })[]): string {
  const texts = new Map(
    list.map(({ name, version, licence, text }) => [`${name} ${version}`, `${licence}\n\n${text.trim()}`]),
  );
  const parts = [...texts].map(([title, text]) => `${title}\n${text}`);
  return `rankledger uses these packages.\n\n${parts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/**
 * Writes both files into a built package, from its pages and an installation. Where npm cannot install, from the
 * checkout, which the bill then says.
 */
export async function writeThirdParty(folder: string, manifest = 'package.json', registry?: string): Promise<void> {
  const inPages = builtIn(folder);
  const write = (list: readonly Dependency[], isWhole: boolean): void => {
    const parts = [...inPages, ...list.map((each) => ({ ...each, text: licenceText(each) }))];
    writeFileSync(join(folder, 'sbom.cdx.json'), billOf(parts, isWhole));
    writeFileSync(join(folder, 'THIRD_PARTY_LICENCES.txt'), licencesOf(parts));
  };
  try {
    await withInstalled(manifest, registry, (list) => write(list, true));
  } catch (error) {
    console.error(`SBOM made from the checkout, so incomplete: ${error instanceof Error ? error.message : error}`);
    write(dependencies(), false);
  }
}
