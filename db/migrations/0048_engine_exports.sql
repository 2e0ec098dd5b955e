-- Generated from db/schema, then STRICT and WITHOUT ROWID added by hand.
CREATE TABLE `engine_export_rows` (
	`export_id` integer NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`count` integer NOT NULL,
	`impressions` integer,
	`average_position` real,
	PRIMARY KEY(`export_id`, `kind`, `name`),
	FOREIGN KEY (`export_id`) REFERENCES `engine_exports`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "engine_export_rows_kind" CHECK("engine_export_rows"."kind" IN ('query', 'page')),
	CONSTRAINT "engine_export_rows_numbers" CHECK("engine_export_rows"."count" >= 0 AND ("engine_export_rows"."impressions" IS NULL OR "engine_export_rows"."impressions" >= 0))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `engine_exports` (
	`id` integer PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`report` text NOT NULL,
	`from_date` text NOT NULL,
	`to_date` text NOT NULL,
	`imported_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "engine_exports_report" CHECK("engine_exports"."report" IN ('clicks', 'citations')),
	CONSTRAINT "engine_exports_period" CHECK("engine_exports"."from_date" <= "engine_exports"."to_date")
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `engine_exports_identity` ON `engine_exports` (`project_id`,`report`,`from_date`,`to_date`);