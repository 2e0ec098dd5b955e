-- Generated from db/schema, then STRICT and WITHOUT ROWID added by hand.
CREATE TABLE `check_columns` (
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
	PRIMARY KEY(`run_id`, `project_id`),
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "check_columns_rows" CHECK("check_columns"."shown" BETWEEN 0 AND "check_columns"."rows" AND "check_columns"."reused" BETWEEN 0 AND "check_columns"."rows")
) STRICT, WITHOUT ROWID;