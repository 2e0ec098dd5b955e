-- Generated from db/schema, then STRICT and WITHOUT ROWID added by hand.
CREATE TABLE `moved_shares` (
	`run_id` integer NOT NULL,
	`project_id` integer NOT NULL,
	`scope` text NOT NULL,
	`name` text NOT NULL,
	`compared` integer NOT NULL,
	`outside` integer NOT NULL,
	PRIMARY KEY(`project_id`, `run_id`, `scope`, `name`),
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "moved_shares_scope" CHECK("moved_shares"."scope" IN ('project', 'market', 'tag')),
	CONSTRAINT "moved_shares_counts" CHECK("moved_shares"."outside" BETWEEN 0 AND "moved_shares"."compared")
) STRICT, WITHOUT ROWID;
