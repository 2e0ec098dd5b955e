// Whose a URL of an archived page is: its domain, and the targets of the project. URLs are numbers, and become text only where a table prints them.
import type { SerpContents } from '../db/serp-contents.ts';
import type { ReportTarget, SerpSites } from '../src/report/serp.ts';
import { registrableDomain } from '../src/tracker/domain.ts';
import type { Project, Target } from '../src/tracker/project.ts';
import { type CompiledTargets, compileTargets, hostOf, targetKey } from '../src/tracker/target.ts';

/** Texts that are kept: those of a batch meet each other again and again, and those of the whole report would fill the memory. */
const textsMax = 20_000;
const none: readonly number[] = Object.freeze([]);

/** A host by its number. */
interface Site {
  readonly domain: number;
  /** The targets of all its URLs; null where a part of it is a target, so that each URL has to be looked at. */
  readonly owners: readonly number[] | null;
}

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
  /** By number of the URL, 0: not known yet. */
  #hosts = new Uint32Array(65_536);
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

  /** Looks up the hosts of many URLs at once: before anything is asked of them. */
  prepare(urlIds: Iterable<number>): void {
    const missing = new Set<number>();
    for (const id of urlIds) if ((this.#hosts[id] ?? 0) === 0) missing.add(id);
    if (missing.size === 0) return;
    const ids = [...missing];
    const hosts = this.#store.hostIds(ids);
    for (const [index, id] of ids.entries()) this.#remember(id, hosts[index] ?? 0);
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
    const missing = urlIds.filter((id) => !this.#texts.has(id));
    if (this.#texts.size >= textsMax) this.#texts.clear();
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
    let hostId = this.#hosts[urlId] ?? 0;
    if (hostId === 0) {
      this.prepare([urlId]);
      hostId = this.#hosts[urlId] ?? 0;
    }
    const known = this.#sites.get(hostId);
    if (known !== undefined) return known;
    const host = hostOf(`http://${this.#store.host(hostId)}/`) ?? '';
    const domain = host === '' ? 0 : this.#domainId(registrableDomain(host));
    const owners = host === '' ? none : this.#parted.has(host) ? null : this.#compiled.indexesOf(`http://${host}/`);
    const site = { domain, owners };
    this.#sites.set(hostId, site);
    return site;
  }

  #remember(urlId: number, hostId: number): void {
    if (urlId >= this.#hosts.length) {
      const larger = new Uint32Array(Math.ceil((urlId + 1) * 1.5));
      larger.set(this.#hosts);
      this.#hosts = larger;
    }
    this.#hosts[urlId] = hostId;
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
