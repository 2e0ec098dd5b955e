// Tables of names, each interned once.

import type { Device } from '../../src/tracker/project.ts';
import { check, integer, sql, sqliteTable, text, uniqueIndex } from './drizzle.ts';

export const projects = sqliteTable('projects', {
  id: integer().primaryKey(),
  name: text().notNull().unique(),
});

export const keywords = sqliteTable('keywords', {
  id: integer().primaryKey(),
  text: text().notNull().unique(),
});

export const markets = sqliteTable(
  'markets',
  {
    id: integer().primaryKey(),
    service: text().notNull(),
    country: text().notNull(),
    language: text().notNull(),
    device: text().$type<Device>().notNull(),
    /** Canonical place or coordinate; empty: the country as a whole. */
    location: text().notNull().default(''),
  },
  (t) => [
    uniqueIndex('markets_identity').on(t.service, t.country, t.language, t.device, t.location),
    check('markets_device', sql`${t.device} IN ('desktop', 'mobile')`),
  ],
);

/** keyword x market: the unit of purchase, shared by projects and targets. */
export const searches = sqliteTable(
  'searches',
  {
    id: integer().primaryKey(),
    keywordId: integer('keyword_id')
      .notNull()
      .references(() => keywords.id),
    marketId: integer('market_id')
      .notNull()
      .references(() => markets.id),
  },
  (t) => [uniqueIndex('searches_identity').on(t.keywordId, t.marketId)],
);

export const targets = sqliteTable('targets', {
  id: integer().primaryKey(),
  /** `match` and normalised value: what makes two targets the same. */
  identity: text().notNull().unique(),
  match: text().notNull(),
  value: text().notNull(),
});

export const hosts = sqliteTable('hosts', {
  id: integer().primaryKey(),
  name: text().notNull().unique(),
});

/** A URL is `scheme://host` + `rest`; a host is stored once. */
export const urls = sqliteTable(
  'urls',
  {
    id: integer().primaryKey(),
    hostId: integer('host_id')
      .notNull()
      .references(() => hosts.id),
    scheme: text().notNull(),
    rest: text().notNull(),
  },
  (t) => [uniqueIndex('urls_identity').on(t.hostId, t.rest, t.scheme)],
);

/** A place as pages list it. A change of any detail is another row. Unknown details are empty. */
export const places = sqliteTable(
  'places',
  {
    id: integer().primaryKey(),
    name: text().notNull(),
    placeId: text('place_id').notNull(),
    cid: text().notNull(),
    category: text().notNull(),
    address: text().notNull(),
    phone: text().notNull(),
    website: text().notNull(),
  },
  (t) => [uniqueIndex('places_identity').on(t.name, t.placeId, t.cid, t.category, t.address, t.phone, t.website)],
);

export const featureTypes = sqliteTable('feature_types', {
  id: integer().primaryKey(),
  name: text().notNull().unique(),
});
