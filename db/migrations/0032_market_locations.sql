DROP INDEX `markets_identity`;--> statement-breakpoint
ALTER TABLE `markets` ADD `location` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `markets_identity` ON `markets` (`service`,`country`,`language`,`device`,`location`);