-- Generated from db/schema, then STRICT added by hand.
CREATE TABLE `readers` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`revoked_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `readers_token_hash_unique` ON `readers` (`token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `readers_name` ON `readers` (`name`) WHERE revoked_at IS NULL;