-- Generated from db/schema, then STRICT added by hand.
CREATE TABLE `login_keys` (
	`id` integer PRIMARY KEY NOT NULL,
	`key_id` text NOT NULL,
	`secret` blob NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `login_keys_key_id_unique` ON `login_keys` (`key_id`);