-- Generated from db/schema, then STRICT and WITHOUT ROWID added by hand.
CREATE TABLE `report_failures` (
	`run_id` integer NOT NULL,
	`part` text NOT NULL,
	`project` text NOT NULL,
	`reason` text NOT NULL,
	`attempts` integer NOT NULL,
	`at` integer NOT NULL,
	`next_try_at` integer NOT NULL,
	PRIMARY KEY(`run_id`, `part`, `project`),
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "report_failures_part" CHECK("report_failures"."part" IN ('report', 'index', 'agency', 'alerts'))
) STRICT, WITHOUT ROWID;