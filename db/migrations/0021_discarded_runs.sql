ALTER TABLE `runs` ADD `discarded_at` integer;--> statement-breakpoint
ALTER TABLE `runs` ADD `discard_reason` text;--> statement-breakpoint
CREATE INDEX `runs_discarded` ON `runs` (`moment`) WHERE discarded_at IS NOT NULL;