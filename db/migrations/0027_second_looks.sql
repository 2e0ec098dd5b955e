-- Generated from db/schema, then STRICT and WITHOUT ROWID added by hand.
CREATE TABLE `second_look_ranks` (
	`check_id` integer NOT NULL,
	`target_id` integer NOT NULL,
	`rank` integer,
	`depth` integer NOT NULL,
	PRIMARY KEY(`check_id`, `target_id`),
	FOREIGN KEY (`check_id`) REFERENCES `checks`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`target_id`) REFERENCES `targets`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "second_look_ranks_rank" CHECK("second_look_ranks"."rank" IS NULL OR "second_look_ranks"."rank" >= 1),
	CONSTRAINT "second_look_ranks_depth" CHECK("second_look_ranks"."depth" >= 1)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `second_looks` (
	`check_id` integer PRIMARY KEY NOT NULL,
	`run_id` integer NOT NULL,
	`depth` integer NOT NULL,
	`not_before` integer NOT NULL,
	`until` integer NOT NULL,
	`state` text NOT NULL,
	`look_id` integer,
	FOREIGN KEY (`check_id`) REFERENCES `checks`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`look_id`) REFERENCES `checks`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "second_looks_state" CHECK("second_looks"."state" IN ('waiting', 'claimed', 'lapsed')),
	CONSTRAINT "second_looks_claimed" CHECK(("second_looks"."state" = 'claimed') = ("second_looks"."look_id" IS NOT NULL)),
	CONSTRAINT "second_looks_depth" CHECK("second_looks"."depth" >= 1),
	CONSTRAINT "second_looks_span" CHECK("second_looks"."not_before" < "second_looks"."until")
) STRICT;
--> statement-breakpoint
CREATE INDEX `second_looks_waiting` ON `second_looks` (`not_before`) WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX `second_looks_look` ON `second_looks` (`look_id`) WHERE look_id IS NOT NULL;--> statement-breakpoint
ALTER TABLE `runs` ADD `confirms` integer;