// Finds the domain and the targets of URLs in archived pages. URLs stay numbers until a table prints them.
import type { SerpContents } from '../../../db/reads/reports/serp-contents.ts';
import type { ReportTarget, SerpSites } from '../../../src/read/serp.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { registrableDomain } from '../../../src/tracker/targets/brand.ts';
import {
  type CompiledTargets,
  classifyDestination,
  compileTargets,
  type Destination,
  hostInKey,
  hostInUrl,
  isPlace,
  targetKey,
  trackedTargets,
} from '../../../src/tracker/targets/target.ts';
import { UrlNumbers } from './url-numbers.ts';

/** Number of cached texts: URLs repeat, but those of a whole report could fill the memory. */
const textsMax = 50_000;
const none: readonly number[] = Object.freeze([]);

/** A host by its number. */
interface Site {
  readonly domain: number;
  /** The targets of all its URLs; null if only a part of it is a target, so that each URL must be matched. */
  readonly owners: readonly number[] | null;
}

const noSite: Site = Object.freeze({ domain: 0, owners: none });

export class ProjectSites implements SerpSites {
  readonly targets: readonly ReportTarget[];
  /** One per target: its identity in history. */
  readonly keys: readonly string[];
  /** Domains that are targets as a whole, and those of hosts that are. */
  readonly listed: ReadonlySet<number>;
  readonly #store: SerpContents;
  readonly #compiled: CompiledTargets;
  /** Hosts of which a part is a target. */
  readonly #parted: ReadonlySet<string>;
  readonly #domains = new Map<string, number>();
  readonly #domainNames: string[] = [''];
  /** By host id: indexes into `#sites`. */
  readonly #siteOfHost = new Map<number, number>();
  /** The first is that of URLs without a site. */
  readonly #sites: Site[] = [noSite];
  readonly #siteOfUrl = new UrlNumbers();
  /** URLs of which more is hidden than shown, and what. */
  readonly #hidden = new Map<number, Destination>();
  readonly #owners = new Map<number, readonly number[]>();
  readonly #texts = new Map<number, string>();

  constructor(store: SerpContents, project: Project) {
    const list = trackedTargets(project).filter(({ target }) => !isPlace(target));
    this.#store = store;
    this.targets = list.map(({ target, role }) => ({ value: target.value, role }));
    this.keys = list.map(({ target }) => targetKey(target));
    this.#compiled = compileTargets(list.map(({ target }) => target));
    const isWhole = (key: string): boolean => key.startsWith('domain:') || key.startsWith('host:');
    this.#parted = new Set(this.keys.filter((key) => !isWhole(key)).map(hostInKey));
    this.listed = new Set(this.keys.filter(isWhole).map((key) => this.#domainId(registrableDomain(hostInKey(key)))));
  }

  /** Finds the sites of the URLs of a batch at once. */
  prepare(urlIds: ArrayLike<number>): void {
    const unknown = new Set<number>();
    // an iterator takes twice as long for millions of ids
    for (let at = 0; at < urlIds.length; at += 1) {
      const id = urlIds[at] ?? 0;
      if (this.#siteOfUrl.of(id) === undefined) unknown.add(id);
    }
    this.#load([...unknown]);
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
    const owners = this.#compiled.matchingIndexes(this.url(urlId));
    if (this.#owners.size >= textsMax) this.#owners.clear();
    this.#owners.set(urlId, owners);
    return owners;
  }

  possibleTargetsOf(urlId: number): readonly number[] {
    return this.destinationOf(urlId) === 'host_only' ? this.#compiled.possibleIndexes(this.url(urlId)) : none;
  }

  destinationOf(urlId: number): Destination {
    this.#siteOf(urlId);
    return this.#hidden.get(urlId) ?? 'exact';
  }

  isOther(urlId: number): boolean {
    return this.#siteOf(urlId).owners?.length === 0 && !this.#hidden.has(urlId);
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
    const known = this.#siteOfUrl.of(urlId);
    if (known === undefined) this.#load([urlId]);
    return this.#sites[known ?? this.#siteOfUrl.of(urlId) ?? 0] ?? noSite;
  }

  #load(urlIds: readonly number[]): void {
    if (urlIds.length === 0) return;
    for (const id of urlIds) this.#siteOfUrl.set(id, 0);
    const hostOfUrl = [...this.#store.hostIds(urlIds)];
    const unknown = new Set<number>();
    for (const [, host] of hostOfUrl) if (!this.#siteOfHost.has(host)) unknown.add(host);
    for (const [host, name] of this.#store.hosts([...unknown]))
      this.#siteOfHost.set(host, this.#sites.push(this.#siteAt(name)) - 1);
    for (const [id, host, mayHide] of hostOfUrl) {
      this.#siteOfUrl.set(id, this.#siteOfHost.get(host) ?? 0);
      const destination = mayHide ? classifyDestination(this.url(id)) : 'exact';
      if (destination !== 'exact') this.#hidden.set(id, destination);
    }
  }

  #siteAt(name: string): Site {
    const host = hostInUrl(`http://${name}/`) ?? '';
    if (host === '') return noSite;
    const owners = this.#parted.has(host) ? null : this.#compiled.matchingIndexes(`http://${host}/`);
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
