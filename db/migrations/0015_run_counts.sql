ALTER TABLE `slots` ADD `checks_ended` integer;--> statement-breakpoint
ALTER TABLE `slots` ADD `checks_failed` integer;--> statement-breakpoint
ALTER TABLE `slots` ADD `ranked_before` integer;--> statement-breakpoint
ALTER TABLE `slots` ADD `ranks_lost` integer;