CREATE TABLE `answer_citations` (
	`answer_id` integer NOT NULL,
	`position` integer NOT NULL,
	`url_id` integer NOT NULL,
	`title` text,
	PRIMARY KEY(`answer_id`, `position`),
	FOREIGN KEY (`answer_id`) REFERENCES `answers`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`url_id`) REFERENCES `urls`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "answer_citations_position" CHECK("answer_citations"."position" >= 1)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `answers` (
	`id` integer PRIMARY KEY NOT NULL,
	`keyword_id` integer NOT NULL,
	`service` text NOT NULL,
	`engine` text NOT NULL,
	`country` text NOT NULL,
	`language` text NOT NULL,
	`period` text NOT NULL,
	`sample` integer NOT NULL,
	`observed_at` integer NOT NULL,
	`source` text NOT NULL,
	`purchase_id` integer NOT NULL,
	`model` text,
	`text` text NOT NULL,
	FOREIGN KEY (`keyword_id`) REFERENCES `keywords`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`purchase_id`) REFERENCES `purchases`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "answers_sample" CHECK("answers"."sample" >= 1),
	CONSTRAINT "answers_text" CHECK("answers"."text" <> '')
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `answers_identity` ON `answers` (`keyword_id`,`engine`,`service`,`country`,`language`,`period`,`sample`);