-- Generated from db/schema.ts, then STRICT and the append-only triggers added by hand (drizzle cannot express them).
CREATE TABLE `account_charges` (
	`id` integer PRIMARY KEY NOT NULL,
	`account_id` integer NOT NULL,
	`username` text,
	`request_id` text NOT NULL,
	`operation` text NOT NULL,
	`serp_credits` integer NOT NULL,
	`micro_usd` integer NOT NULL,
	`held_serp_credits` integer NOT NULL,
	`held_micro_usd` integer NOT NULL,
	`at` integer NOT NULL,
	`owner` text,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "account_charges_operation" CHECK("account_charges"."operation" IN ('serp', 'keyword-data')),
	CONSTRAINT "account_charges_held" CHECK("account_charges"."held_serp_credits" BETWEEN 0 AND "account_charges"."serp_credits" AND "account_charges"."held_micro_usd" BETWEEN 0 AND "account_charges"."micro_usd")
) STRICT;
--> statement-breakpoint
CREATE INDEX `account_charges_open` ON `account_charges` (`owner`,`at`) WHERE owner IS NOT NULL;
--> statement-breakpoint
CREATE TABLE `account_entries` (
	`id` integer PRIMARY KEY NOT NULL,
	`account_id` integer NOT NULL,
	`kind` text NOT NULL,
	`serp_credits` integer NOT NULL,
	`micro_usd` integer NOT NULL,
	`balance_serp_credits` integer NOT NULL,
	`balance_micro_usd` integer NOT NULL,
	`at` integer NOT NULL,
	`charge_id` integer,
	`note` text,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`charge_id`) REFERENCES `account_charges`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "account_entries_kind" CHECK("account_entries"."kind" IN ('top-up', 'withdrawal', 'charge', 'settle', 'refund')),
	CONSTRAINT "account_entries_charge_known" CHECK(("account_entries"."kind" IN ('charge', 'settle', 'refund')) = ("account_entries"."charge_id" IS NOT NULL)),
	CONSTRAINT "account_entries_balance" CHECK("account_entries"."balance_serp_credits" >= 0 AND "account_entries"."balance_micro_usd" >= 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `account_entries_account` ON `account_entries` (`account_id`);
--> statement-breakpoint
CREATE TABLE `accounts` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`serp_credits` integer DEFAULT 0 NOT NULL,
	`micro_usd` integer DEFAULT 0 NOT NULL,
	`whitelist` text NOT NULL,
	`created_at` integer NOT NULL,
	CONSTRAINT "accounts_serp_credits" CHECK("accounts"."serp_credits" BETWEEN 0 AND 9007199254740991),
	CONSTRAINT "accounts_micro_usd" CHECK("accounts"."micro_usd" BETWEEN 0 AND 9007199254740991)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_name_unique` ON `accounts` (`name`);
--> statement-breakpoint
CREATE TABLE `api_users` (
	`id` integer PRIMARY KEY NOT NULL,
	`username` text NOT NULL,
	`account_id` integer NOT NULL,
	`password_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	`version` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `api_users_username_unique` ON `api_users` (`username`);
--> statement-breakpoint
CREATE INDEX `api_users_account` ON `api_users` (`account_id`);
--> statement-breakpoint
CREATE TABLE `idempotency_records` (
	`id` integer PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`username` text NOT NULL,
	`key` text NOT NULL,
	`body_hash` text NOT NULL,
	`owner` text NOT NULL,
	`at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`outcome` blob
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `idempotency_identity` ON `idempotency_records` (`account`,`username`,`key`);
--> statement-breakpoint
CREATE INDEX `idempotency_expiry` ON `idempotency_records` (`expires_at`);
--> statement-breakpoint
CREATE INDEX `idempotency_in_flight` ON `idempotency_records` (`owner`,`at`) WHERE outcome IS NULL;
--> statement-breakpoint
CREATE TRIGGER `account_entries_no_update` BEFORE UPDATE ON `account_entries` BEGIN
	SELECT RAISE(ABORT, 'account_entries is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER `account_entries_no_delete` BEFORE DELETE ON `account_entries` BEGIN
	SELECT RAISE(ABORT, 'account_entries is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER `account_charges_facts` BEFORE UPDATE OF `id`, `account_id`, `username`, `request_id`, `operation`, `serp_credits`, `micro_usd`, `at` ON `account_charges` BEGIN
	SELECT RAISE(ABORT, 'what was charged does not change');
END;
--> statement-breakpoint
CREATE TRIGGER `account_charges_no_delete` BEFORE DELETE ON `account_charges` BEGIN
	SELECT RAISE(ABORT, 'account_charges is append-only');
END;
