-- Generated from db/schema, then STRICT added by hand.
CREATE TABLE `places` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`place_id` text NOT NULL,
	`cid` text NOT NULL,
	`category` text NOT NULL,
	`address` text NOT NULL,
	`phone` text NOT NULL,
	`website` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `places_identity` ON `places` (`name`,`place_id`,`cid`,`category`,`address`,`phone`,`website`);