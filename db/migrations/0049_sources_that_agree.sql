-- Generated from db/schema, then STRICT added by hand.
CREATE TABLE `bridges` (
	`source` text PRIMARY KEY NOT NULL,
	`compares_with` text NOT NULL,
	`searches` integer NOT NULL,
	`measured_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `double_checks` (
	`double_id` integer PRIMARY KEY NOT NULL,
	`check_id` integer NOT NULL,
	FOREIGN KEY (`double_id`) REFERENCES `checks`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`check_id`) REFERENCES `checks`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `double_checks_check` ON `double_checks` (`check_id`);