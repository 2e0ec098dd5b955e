-- Generated from db/schema, then STRICT added by hand.
CREATE TABLE `account_holders` (
	`id` integer PRIMARY KEY NOT NULL,
	`account_id` integer NOT NULL,
	`password_hash` text NOT NULL,
	`totp_secret` text,
	`totp_step` integer DEFAULT 0 NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`changed_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `account_holders_account_id_unique` ON `account_holders` (`account_id`);--> statement-breakpoint
CREATE TABLE `account_invitations` (
	`id` integer PRIMARY KEY NOT NULL,
	`account_id` integer NOT NULL,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `account_invitations_account_id_unique` ON `account_invitations` (`account_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `account_invitations_token_hash_unique` ON `account_invitations` (`token_hash`);--> statement-breakpoint
CREATE TABLE `account_sessions` (
	`id` integer PRIMARY KEY NOT NULL,
	`account_id` integer NOT NULL,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `account_sessions_token_hash_unique` ON `account_sessions` (`token_hash`);--> statement-breakpoint
CREATE INDEX `account_sessions_account` ON `account_sessions` (`account_id`);--> statement-breakpoint
CREATE INDEX `account_sessions_expiry` ON `account_sessions` (`expires_at`);