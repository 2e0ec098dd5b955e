-- Generated from db/schema, then STRICT added by hand.
CREATE TABLE `report_deliveries` (
	`id` integer PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`channel` text NOT NULL,
	`recipient` text NOT NULL,
	`schedule` text NOT NULL,
	`from_date` text NOT NULL,
	`to_date` text NOT NULL,
	`attach` text NOT NULL,
	`state` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`due_at` integer NOT NULL,
	`next_try_at` integer,
	`sent_at` integer,
	`error` text,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "report_deliveries_state" CHECK("report_deliveries"."state" IN ('pending', 'sent', 'failed', 'skipped'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `report_deliveries_once` ON `report_deliveries` (`project_id`,`channel`,`recipient`,`schedule`,`from_date`,`to_date`);--> statement-breakpoint
CREATE INDEX `report_deliveries_waiting` ON `report_deliveries` (`next_try_at`) WHERE state = 'pending';