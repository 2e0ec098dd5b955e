// Whose a URL of an archived page is: its domain, and the targets of the project. URLs are numbers, and become text only where a table prints them.
import type { SerpContents } from '../db/serp-contents.ts';
import type { ReportTarget, SerpSites } from '../src/report/serp.ts';
import { registrableDomain } from '../src/tracker/domain.ts';
import type { Project, Target } from '../src/tracker/project.ts';
import { type CompiledTargets, compileTargets, hostOf, targetKey } from '../src/tracker/target.ts';

/** Texts that are kept: those of a batch meet each other again and again, and those of the whole report would fill the memory. */
const textsMax = 4_000;
const none: readonly number[] = Object.freeze([]);

/** A host by its number. */
interface Site {
  readonly domain: number;
  /** The targets of all its URLs; null where a part of it is a target, so that each URL has to be looked at. */
  readonly owners: readonly number[] | null;
}

const nobody: Site = Object.freeze({ domain: 0, owners: none });

export class ProjectSites implements SerpSites {
  readonly targets: readonly ReportTarget[];
  /** One a target: what history knows it by. */
  readonly keys: readonly string[];
  /** Domains that are targets as a whole, and those of hosts that are. */
  readonly listed: ReadonlySet<number>;
  readonly #store: SerpContents;
  readonly #compiled: CompiledTargets;
  /** Hosts of which a part is a target. */
  readonly #parted: ReadonlySet<string>;
  readonly #domains = new Map<string, number>();
  readonly #domainNames: string[] = [''];
  readonly #sites = new Map<number, Site>();
  /** Of the URLs that were prepared last. */
  readonly #siteOfUrl = new Map<number, Site>();
  readonly #owners = new Map<number, readonly number[]>();
  readonly #texts = new Map<number, string>();

  constructor(store: SerpContents, { targets, competitors }: Project) {
    const list = distinct(targets, competitors);
    this.#store = store;
    this.targets = list.map(({ target, role }) => ({ value: target.value, role }));
    this.keys = list.map(({ target }) => targetKey(target));
    this.#compiled = compileTargets(list.map(({ target }) => target));
    const isWhole = (key: string): boolean => key.startsWith('domain:') || key.startsWith('host:');
    this.#parted = new Set(this.keys.filter((key) => !isWhole(key)).map(hostOfKey));
    this.listed = new Set(this.keys.filter(isWhole).map((key) => this.#domainId(registrableDomain(hostOfKey(key)))));
  }

  /** Looks up whose the URLs of a batch are, all at once; those of the batch before are forgotten. */
  prepare(urlIds: Iterable<number>): void {
    this.#siteOfUrl.clear();
    this.#load([...new Set(urlIds)]);
  }

  domainOf(urlId: number): number {
    return this.#siteOf(urlId).domain;
  }

  domainName(domain: number): string {
    return this.#domainNames[domain] ?? '';
  }

  targetsOf(urlId: number): readonly number[] {
    const { owners: ofHost } = this.#siteOf(urlId);
    if (ofHost !== null) return ofHost;
    const known = this.#owners.get(urlId);
    if (known !== undefined) return known;
    const owners = this.#compiled.indexesOf(this.url(urlId));
    if (this.#owners.size >= textsMax) this.#owners.clear();
    this.#owners.set(urlId, owners);
    return owners;
  }

  readUrls(urlIds: readonly number[]): void {
    if (this.#texts.size >= textsMax) this.#texts.clear();
    const missing = urlIds.filter((id) => !this.#texts.has(id));
    for (const [id, url] of this.#store.urls(missing)) this.#texts.set(id, url);
  }

  url(urlId: number): string {
    const known = this.#texts.get(urlId);
    if (known !== undefined) return known;
    const text = this.#store.url(urlId);
    if (this.#texts.size >= textsMax) this.#texts.clear();
    this.#texts.set(urlId, text);
    return text;
  }

  #siteOf(urlId: number): Site {
    const known = this.#siteOfUrl.get(urlId);
    if (known !== undefined) return known;
    this.#load([urlId]);
    return this.#siteOfUrl.get(urlId) ?? nobody;
  }

  #load(urlIds: readonly number[]): void {
    const hostIds = this.#store.hostIds(urlIds);
    const unknown = new Set(hostIds.filter((id) => !this.#sites.has(id)));
    for (const [id, name] of this.#store.hosts([...unknown])) this.#sites.set(id, this.#siteAt(name));
    for (const [index, id] of urlIds.entries()) {
      this.#siteOfUrl.set(id, this.#sites.get(hostIds[index] ?? 0) ?? nobody);
    }
  }

  #siteAt(name: string): Site {
    const host = hostOf(`http://${name}/`) ?? '';
    if (host === '') return nobody;
    const owners = this.#parted.has(host) ? null : this.#compiled.indexesOf(`http://${host}/`);
    return { domain: this.#domainId(registrableDomain(host)), owners };
  }

  #domainId(name: string): number {
    const known = this.#domains.get(name);
    if (known !== undefined) return known;
    const id = this.#domainNames.length;
    this.#domains.set(name, id);
    this.#domainNames.push(name);
    return id;
  }
}

/** Own ones first; what is both is own. */
function distinct(own: readonly Target[], competitors: readonly Target[]) {
  const found = new Map<string, { readonly target: Target; readonly role: ReportTarget['role'] }>();
  for (const target of own) found.set(targetKey(target), { target, role: 'own' });
  for (const target of competitors) {
    if (!found.has(targetKey(target))) found.set(targetKey(target), { target, role: 'competitor' });
  }
  return [...found.values()];
}

/** `prefix:shop.example.com/acme` -> `shop.example.com` */
function hostOfKey(key: string): string {
  return hostOf(`http://${key.slice(key.indexOf(':') + 1)}`) ?? '';
}
