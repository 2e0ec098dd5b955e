ALTER TABLE `readers` ADD `role` text DEFAULT 'reader' NOT NULL;--> statement-breakpoint
ALTER TABLE `notes` ADD `keyword` text;--> statement-breakpoint
ALTER TABLE `notes` ADD `tag` text;