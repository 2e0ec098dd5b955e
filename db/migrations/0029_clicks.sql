CREATE TABLE `click_days` (
	`id` integer PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`property` text NOT NULL,
	`local_date` text NOT NULL,
	`state` text NOT NULL,
	`clicks` integer NOT NULL,
	`impressions` integer NOT NULL,
	`fetched_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "click_days_state" CHECK("click_days"."state" IN ('fresh', 'final')),
	CONSTRAINT "click_days_numbers" CHECK("click_days"."clicks" >= 0 AND "click_days"."impressions" >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `click_days_identity` ON `click_days` (`project_id`,`property`,`local_date`);--> statement-breakpoint
CREATE TABLE `click_rows` (
	`day_id` integer NOT NULL,
	`keyword_id` integer NOT NULL,
	`url_id` integer NOT NULL,
	`country` text NOT NULL,
	`device` text NOT NULL,
	`clicks` integer NOT NULL,
	`impressions` integer NOT NULL,
	`average_position` real NOT NULL,
	PRIMARY KEY(`day_id`, `keyword_id`, `url_id`, `country`, `device`),
	FOREIGN KEY (`day_id`) REFERENCES `click_days`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`keyword_id`) REFERENCES `keywords`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`url_id`) REFERENCES `urls`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "click_rows_numbers" CHECK("click_rows"."clicks" >= 0 AND "click_rows"."impressions" >= 0 AND "click_rows"."average_position" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `click_rows_keyword` ON `click_rows` (`keyword_id`,`day_id`);
