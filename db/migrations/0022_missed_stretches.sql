ALTER TABLE `slots` ADD `first_slot` text;--> statement-breakpoint
ALTER TABLE `slots` ADD `first_at` integer;--> statement-breakpoint
ALTER TABLE `slots` ADD `slot_count` integer;--> statement-breakpoint
ALTER TABLE `slots` ADD `schedule` text;--> statement-breakpoint
CREATE INDEX `slots_stretches` ON `slots` (`project_id`,`kind`,`slot`) WHERE first_slot IS NOT NULL;