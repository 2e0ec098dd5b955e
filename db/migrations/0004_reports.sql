-- Generated from db/schema.ts, then STRICT and WITHOUT ROWID added by hand.
CREATE TABLE `alert_deliveries` (
	`id` integer PRIMARY KEY NOT NULL,
	`run_id` integer NOT NULL,
	`project_id` integer NOT NULL,
	`rule` text NOT NULL,
	`subject` text NOT NULL,
	`channel` text NOT NULL,
	`state` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`payload` text NOT NULL,
	`created_at` integer NOT NULL,
	`next_try_at` integer,
	`sent_at` integer,
	`error` text,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "alert_deliveries_state" CHECK("alert_deliveries"."state" IN ('pending', 'sent', 'failed'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `alert_deliveries_once` ON `alert_deliveries` (`run_id`,`project_id`,`rule`,`subject`,`channel`);--> statement-breakpoint
CREATE INDEX `alert_deliveries_waiting` ON `alert_deliveries` (`next_try_at`) WHERE state = 'pending';--> statement-breakpoint
CREATE TABLE `notes` (
	`id` integer PRIMARY KEY NOT NULL,
	`local_date` text NOT NULL,
	`project_id` integer,
	`text` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `notes_date` ON `notes` (`local_date`);--> statement-breakpoint
CREATE TABLE `source_memory` (
	`service` text NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`service`, `key`)
) STRICT, WITHOUT ROWID;
