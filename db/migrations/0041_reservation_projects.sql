-- Generated from db/schema, then STRICT, WITHOUT ROWID and the INSERT added by hand.
CREATE TABLE `reservation_projects` (
	`reservation_id` integer NOT NULL,
	`project_id` integer NOT NULL,
	`keywords` integer NOT NULL,
	PRIMARY KEY(`reservation_id`, `project_id`),
	FOREIGN KEY (`reservation_id`) REFERENCES `reservations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "reservation_projects_keywords" CHECK("keywords" >= 1)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
-- older versions did not record for whom they reserved: the projects of the run share the cost evenly
INSERT INTO `reservation_projects` (`reservation_id`, `project_id`, `keywords`)
SELECT DISTINCT `v`.`id`, `s`.`project_id`, 1 FROM `reservations` `v` JOIN `slots` `s` ON `s`.`run_id` = `v`.`run_id` WHERE `v`.`check_id` IS NULL;
