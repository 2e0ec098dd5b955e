-- Generated from db/schema.ts, then the CHECKs added by hand: columns are added in place, no table that holds history is rebuilt.
ALTER TABLE `purchases` ADD `reconciled` text CHECK (`reconciled` IS NULL OR (`reconciled` IN ('charged', 'free') AND `state` = 'unknown'));--> statement-breakpoint
ALTER TABLE `purchases` ADD `reconciled_at` integer;--> statement-breakpoint
ALTER TABLE `runs` ADD `origin` text DEFAULT 'schedule' NOT NULL CHECK (`origin` IN ('schedule', 'backfill', 'import'));--> statement-breakpoint
CREATE INDEX `checks_state` ON `checks` (`run_id`,`state`);
