-- Generated from db/schema, then STRICT added by hand.
CREATE TABLE `row_sums` (
	`name` text PRIMARY KEY NOT NULL,
	`rows` integer NOT NULL,
	`digest` integer NOT NULL
) STRICT;