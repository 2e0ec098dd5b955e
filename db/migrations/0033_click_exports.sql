CREATE TABLE `click_export_rows` (
	`export_id` integer NOT NULL,
	`keyword_id` integer NOT NULL,
	`clicks` integer NOT NULL,
	`impressions` integer NOT NULL,
	`average_position` real NOT NULL,
	PRIMARY KEY(`export_id`, `keyword_id`),
	FOREIGN KEY (`export_id`) REFERENCES `click_exports`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`keyword_id`) REFERENCES `keywords`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "click_export_rows_numbers" CHECK("click_export_rows"."clicks" >= 0 AND "click_export_rows"."impressions" >= 0 AND "click_export_rows"."average_position" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `click_exports` (
	`id` integer PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`from_date` text NOT NULL,
	`to_date` text NOT NULL,
	`imported_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "click_exports_period" CHECK("click_exports"."from_date" <= "click_exports"."to_date")
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `click_exports_identity` ON `click_exports` (`project_id`,`from_date`,`to_date`);