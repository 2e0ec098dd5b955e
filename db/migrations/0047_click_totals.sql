-- Generated from db/schema, then STRICT and WITHOUT ROWID added by hand.
CREATE TABLE `click_page_totals` (
	`day_id` integer NOT NULL,
	`clicks` integer NOT NULL,
	`impressions` integer NOT NULL,
	`average_position` real NOT NULL,
	`url_id` integer NOT NULL,
	PRIMARY KEY(`day_id`, `url_id`),
	FOREIGN KEY (`day_id`) REFERENCES `click_days`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`url_id`) REFERENCES `urls`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "click_page_totals_numbers" CHECK("click_page_totals"."clicks" >= 0 AND "click_page_totals"."impressions" >= 0 AND "click_page_totals"."average_position" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `click_query_totals` (
	`day_id` integer NOT NULL,
	`clicks` integer NOT NULL,
	`impressions` integer NOT NULL,
	`average_position` real NOT NULL,
	`keyword_id` integer NOT NULL,
	PRIMARY KEY(`day_id`, `keyword_id`),
	FOREIGN KEY (`day_id`) REFERENCES `click_days`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`keyword_id`) REFERENCES `keywords`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "click_query_totals_numbers" CHECK("click_query_totals"."clicks" >= 0 AND "click_query_totals"."impressions" >= 0 AND "click_query_totals"."average_position" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `click_days` ADD `totals` integer DEFAULT 0 NOT NULL;