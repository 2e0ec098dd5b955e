ALTER TABLE `api_users` ADD `daily_serp_credits` integer;--> statement-breakpoint
ALTER TABLE `api_users` ADD `daily_micro_usd` integer;--> statement-breakpoint
CREATE INDEX `account_charges_day` ON `account_charges` (`account_id`,`at`);