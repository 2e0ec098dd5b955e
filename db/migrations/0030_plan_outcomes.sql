-- Generated from db/schema, then STRICT and WITHOUT ROWID added by hand.
CREATE TABLE `plan_outcomes` (
	`run_id` integer NOT NULL,
	`project_id` integer NOT NULL,
	`searches` integer NOT NULL,
	`waiting` integer NOT NULL,
	`credits_saved` integer NOT NULL,
	`changes` real NOT NULL,
	`missed` real NOT NULL,
	`rate_error` real NOT NULL,
	PRIMARY KEY(`project_id`, `run_id`),
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "plan_outcomes_searches" CHECK("plan_outcomes"."waiting" BETWEEN 0 AND "plan_outcomes"."searches"),
	CONSTRAINT "plan_outcomes_estimates" CHECK("plan_outcomes"."credits_saved" >= 0 AND "plan_outcomes"."missed" >= 0 AND "plan_outcomes"."rate_error" >= 0)
) STRICT, WITHOUT ROWID;
