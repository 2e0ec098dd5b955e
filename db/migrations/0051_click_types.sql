-- Generated from db/schema, then STRICT and WITHOUT ROWID added by hand.
CREATE TABLE `click_type_totals` (
	`day_id` integer NOT NULL,
	`type` text NOT NULL,
	`clicks` integer NOT NULL,
	`impressions` integer NOT NULL,
	`average_position` real,
	PRIMARY KEY(`day_id`, `type`),
	FOREIGN KEY (`day_id`) REFERENCES `click_days`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "click_type_totals_type" CHECK("click_type_totals"."type" IN ('web', 'image', 'video', 'news', 'discover', 'googleNews')),
	CONSTRAINT "click_type_totals_numbers" CHECK("click_type_totals"."clicks" >= 0 AND "click_type_totals"."impressions" >= 0)
) STRICT, WITHOUT ROWID;
