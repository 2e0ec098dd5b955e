ALTER TABLE `readers` ADD `project` text;--> statement-breakpoint
ALTER TABLE `readers` ADD `tag` text;--> statement-breakpoint
ALTER TABLE `readers` ADD `view` text;--> statement-breakpoint
ALTER TABLE `readers` ADD `ends_at` integer;