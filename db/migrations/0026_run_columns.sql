-- Generated from db/schema, then STRICT added by hand.
CREATE TABLE `run_columns` (
	`run_id` integer NOT NULL,
	`target_id` integer NOT NULL,
	`rows` integer NOT NULL,
	`complete_checks` integer NOT NULL,
	`ranks` blob NOT NULL,
	`details` blob NOT NULL,
	PRIMARY KEY(`run_id`, `target_id`),
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`target_id`) REFERENCES `targets`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "run_columns_rows" CHECK("run_columns"."rows" >= 1)
) WITHOUT ROWID, STRICT;