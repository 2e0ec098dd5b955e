-- Generated from db/schema, then STRICT and WITHOUT ROWID added by hand.
CREATE TABLE `appearance_texts` (
	`id` integer PRIMARY KEY NOT NULL,
	`digest` blob NOT NULL,
	`text` text NOT NULL,
	CONSTRAINT "appearance_texts_digest" CHECK(length("appearance_texts"."digest") = 16)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `appearance_texts_digest_unique` ON `appearance_texts` (`digest`);--> statement-breakpoint
CREATE TABLE `appearances` (
	`search_id` integer NOT NULL,
	`url_id` integer NOT NULL,
	`moment` integer NOT NULL,
	`page_id` integer NOT NULL,
	`title_id` integer,
	`snippet_id` integer,
	`sitelinks_id` integer,
	`has_image` integer,
	PRIMARY KEY(`search_id`, `url_id`, `moment`),
	FOREIGN KEY (`search_id`) REFERENCES `searches`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`url_id`) REFERENCES `urls`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`page_id`) REFERENCES `pages`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`title_id`) REFERENCES `appearance_texts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`snippet_id`) REFERENCES `appearance_texts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`sitelinks_id`) REFERENCES `appearance_texts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "appearances_image" CHECK("appearances"."has_image" IN (0, 1))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `causes` (
	`run_id` integer NOT NULL,
	`project_id` integer NOT NULL,
	`search_id` integer NOT NULL,
	`target_id` integer NOT NULL,
	`explanation` text NOT NULL,
	PRIMARY KEY(`run_id`, `project_id`, `search_id`, `target_id`),
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`search_id`) REFERENCES `searches`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`target_id`) REFERENCES `targets`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "causes_explanation" CHECK(json_valid("causes"."explanation"))
) STRICT, WITHOUT ROWID;