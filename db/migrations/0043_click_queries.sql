-- Generated from db/schema, then STRICT and WITHOUT ROWID added by hand.
CREATE TABLE `click_queries` (
	`day_id` integer NOT NULL,
	`keyword_id` integer NOT NULL,
	`country` text NOT NULL,
	`device` text NOT NULL,
	`clicks` integer NOT NULL,
	`impressions` integer NOT NULL,
	`average_position` real NOT NULL,
	PRIMARY KEY(`day_id`, `keyword_id`, `country`, `device`),
	FOREIGN KEY (`day_id`) REFERENCES `click_days`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`keyword_id`) REFERENCES `keywords`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "click_queries_numbers" CHECK("click_queries"."clicks" >= 0 AND "click_queries"."impressions" >= 0 AND "click_queries"."average_position" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `click_queries_keyword` ON `click_queries` (`keyword_id`,`day_id`);--> statement-breakpoint
ALTER TABLE `click_days` ADD `aggregation` text DEFAULT 'by_page' NOT NULL;