-- Generated from db/schema, then STRICT and WITHOUT ROWID added by hand.
CREATE TABLE `price_disputes` (
	`purchase_id` integer PRIMARY KEY NOT NULL,
	`run_id` integer NOT NULL,
	`agreed` integer NOT NULL,
	`stated` integer NOT NULL,
	`exceeded` integer NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`purchase_id`) REFERENCES `purchases`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "price_disputes_amounts" CHECK("price_disputes"."agreed" >= 0 AND "price_disputes"."stated" > "price_disputes"."agreed" AND "price_disputes"."exceeded" >= 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `price_disputes_run` ON `price_disputes` (`run_id`);--> statement-breakpoint
CREATE TABLE `__new_budget_windows` (
	`currency` text NOT NULL,
	`scope` text NOT NULL,
	`key` text NOT NULL,
	`cap` integer,
	`reserved` integer DEFAULT 0 NOT NULL,
	`spent` integer DEFAULT 0 NOT NULL,
	`overdrawn` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`currency`, `scope`, `key`),
	CONSTRAINT "windows_currency" CHECK("__new_budget_windows"."currency" IN ('serp_credit', 'micro_usd')),
	CONSTRAINT "windows_scope" CHECK("__new_budget_windows"."scope" IN ('run', 'day', 'month')),
	CONSTRAINT "windows_amounts" CHECK("__new_budget_windows"."reserved" >= 0 AND "__new_budget_windows"."spent" >= 0 AND "__new_budget_windows"."overdrawn" >= 0),
	CONSTRAINT "windows_cap" CHECK("__new_budget_windows"."cap" IS NULL OR "__new_budget_windows"."reserved" + "__new_budget_windows"."spent" <= "__new_budget_windows"."cap" + "__new_budget_windows"."overdrawn")
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_budget_windows`("currency", "scope", "key", "cap", "reserved", "spent") SELECT "currency", "scope", "key", "cap", "reserved", "spent" FROM `budget_windows`;--> statement-breakpoint
DROP TABLE `budget_windows`;--> statement-breakpoint
ALTER TABLE `__new_budget_windows` RENAME TO `budget_windows`;