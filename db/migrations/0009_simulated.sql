-- Generated from db/schema.
ALTER TABLE `purchases` ADD `simulated` integer DEFAULT 0 NOT NULL;
