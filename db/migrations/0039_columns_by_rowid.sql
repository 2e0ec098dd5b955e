-- Written by hand: the tables are no longer WITHOUT ROWID, because a seek there reads whole rows, with their blobs.
CREATE TABLE `__new_run_columns` (
	`run_id` integer NOT NULL,
	`target_id` integer NOT NULL,
	`rows` integer NOT NULL,
	`complete_checks` integer NOT NULL,
	`ranks` blob NOT NULL,
	`details` blob NOT NULL,
	PRIMARY KEY(`run_id`, `target_id`),
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`target_id`) REFERENCES `targets`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "run_columns_rows" CHECK("rows" >= 1)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_run_columns` (`run_id`, `target_id`, `rows`, `complete_checks`, `ranks`, `details`)
SELECT `run_id`, `target_id`, `rows`, `complete_checks`, `ranks`, `details` FROM `run_columns` ORDER BY `run_id`, `target_id`;
--> statement-breakpoint
DROP TABLE `run_columns`;
--> statement-breakpoint
ALTER TABLE `__new_run_columns` RENAME TO `run_columns`;
--> statement-breakpoint
CREATE TABLE `__new_check_columns` (
	`run_id` integer NOT NULL,
	`project_id` integer NOT NULL,
	`rows` integer NOT NULL,
	`complete_checks` integer NOT NULL,
	`source` text,
	`shown` integer NOT NULL,
	`reused` integer NOT NULL,
	`first_at` integer,
	`last_at` integer,
	`checks` blob NOT NULL,
	`overviews` blob,
	`organic` blob,
	PRIMARY KEY(`run_id`, `project_id`),
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "check_columns_rows" CHECK("shown" BETWEEN 0 AND "rows" AND "reused" BETWEEN 0 AND "rows")
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_check_columns` (`run_id`, `project_id`, `rows`, `complete_checks`, `source`, `shown`, `reused`, `first_at`, `last_at`, `checks`, `overviews`, `organic`)
SELECT `run_id`, `project_id`, `rows`, `complete_checks`, `source`, `shown`, `reused`, `first_at`, `last_at`, `checks`, `overviews`, `organic`
FROM `check_columns` ORDER BY `run_id`, `project_id`;
--> statement-breakpoint
DROP TABLE `check_columns`;
--> statement-breakpoint
ALTER TABLE `__new_check_columns` RENAME TO `check_columns`;
