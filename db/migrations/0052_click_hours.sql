-- Generated from db/schema, then STRICT and WITHOUT ROWID added by hand.
CREATE TABLE `click_hours` (
	`project_id` integer NOT NULL,
	`local_hour` text NOT NULL,
	`state` text NOT NULL,
	`clicks` integer NOT NULL,
	`impressions` integer NOT NULL,
	PRIMARY KEY(`project_id`, `local_hour`),
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "click_hours_state" CHECK("click_hours"."state" IN ('fresh', 'final')),
	CONSTRAINT "click_hours_numbers" CHECK("click_hours"."clicks" >= 0 AND "click_hours"."impressions" >= 0)
) STRICT, WITHOUT ROWID;
