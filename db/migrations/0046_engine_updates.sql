-- Generated from db/schema, then STRICT added by hand.
CREATE TABLE `engine_updates` (
	`id` integer PRIMARY KEY NOT NULL,
	`feed_id` text NOT NULL,
	`name` text NOT NULL,
	`begin_at` integer NOT NULL,
	`end_at` integer,
	`imported_at` integer NOT NULL,
	CONSTRAINT "engine_updates_name" CHECK("engine_updates"."name" <> ''),
	CONSTRAINT "engine_updates_period" CHECK("engine_updates"."end_at" IS NULL OR "engine_updates"."begin_at" <= "engine_updates"."end_at")
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `engine_updates_identity` ON `engine_updates` (`feed_id`);