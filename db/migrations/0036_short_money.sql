-- Generated from db/schema, then by hand: STRICT, conditions without the names of tables, rows in the short form, and triggers.
CREATE TABLE `__new_ledger` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`reservation_id` integer NOT NULL,
	`purchase_id` integer,
	`kind_code` integer NOT NULL,
	`kind` text GENERATED ALWAYS AS (CASE kind_code WHEN 0 THEN 'reserve' WHEN 1 THEN 'spend' WHEN 2 THEN 'unknown' WHEN 3 THEN 'release' WHEN 4 THEN 'confirm' WHEN 5 THEN 'refund' END) VIRTUAL NOT NULL,
	`amount` integer NOT NULL,
	`hash` blob,
	FOREIGN KEY (`reservation_id`) REFERENCES `reservations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`purchase_id`) REFERENCES `purchases`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "ledger_kind" CHECK("kind_code" BETWEEN 0 AND 5),
	CONSTRAINT "ledger_amount" CHECK("amount" > 0)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_ledger` (`id`, `at`, `reservation_id`, `purchase_id`, `kind_code`, `amount`, `hash`)
SELECT `id`, `at`, `reservation_id`, `purchase_id`, CASE `kind` WHEN 'reserve' THEN 0 WHEN 'spend' THEN 1 WHEN 'unknown' THEN 2 WHEN 'release' THEN 3 WHEN 'confirm' THEN 4 WHEN 'refund' THEN 5 END, `amount`, `hash` FROM `ledger` ORDER BY `id`;--> statement-breakpoint
DROP TABLE `ledger`;--> statement-breakpoint
ALTER TABLE `__new_ledger` RENAME TO `ledger`;--> statement-breakpoint
CREATE INDEX `ledger_reservation` ON `ledger` (`reservation_id`);
--> statement-breakpoint
CREATE TRIGGER `ledger_no_update` BEFORE UPDATE ON `ledger` BEGIN
	SELECT RAISE(ABORT, 'ledger is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER `ledger_no_delete` BEFORE DELETE ON `ledger` BEGIN
	SELECT RAISE(ABORT, 'ledger is append-only');
END;--> statement-breakpoint
CREATE TABLE `__new_purchases` (
	`id` integer PRIMARY KEY NOT NULL,
	`reservation_id` integer NOT NULL,
	`service` text NOT NULL,
	`key` blob NOT NULL,
	`request_key` text GENERATED ALWAYS AS (iif(length("key") = 20, 'rl-' || lower(hex("key")), CAST(substr("key", iif(substr("key", 2, 1) = x'00', 3, 2)) AS TEXT))) VIRTUAL NOT NULL,
	`attempt` integer NOT NULL,
	`search_id` integer,
	`moment` integer NOT NULL,
	`page` integer,
	`price` integer NOT NULL,
	`simulated` integer DEFAULT 0 NOT NULL,
	`charged` integer DEFAULT 0 NOT NULL,
	`state_code` integer NOT NULL,
	`state` text GENERATED ALWAYS AS (CASE state_code WHEN 0 THEN 'open' WHEN 1 THEN 'paid' WHEN 2 THEN 'free' WHEN 3 THEN 'unknown' END) VIRTUAL NOT NULL,
	`opened_at` integer NOT NULL,
	`open_ms` integer,
	`settled_at` integer GENERATED ALWAYS AS (iif(state_code = 0, NULL, opened_at + open_ms)) VIRTUAL,
	`error_code` text,
	`message` text,
	`reconciled` text,
	`reconciled_at` integer,
	FOREIGN KEY (`reservation_id`) REFERENCES `reservations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`search_id`) REFERENCES `searches`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "purchases_state_code" CHECK("state_code" BETWEEN 0 AND 3),
	CONSTRAINT "purchases_charged" CHECK("charged" >= 0 AND "charged" <= "price")
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_purchases` (`id`, `reservation_id`, `service`, `key`, `attempt`, `search_id`, `moment`, `page`, `price`, `simulated`, `charged`, `state_code`, `opened_at`, `open_ms`, `error_code`, `message`, `reconciled`, `reconciled_at`)
SELECT `id`, `reservation_id`, `service`,
	CASE WHEN length(`request_key`) = 43 AND `request_key` GLOB 'rl-*' AND substr(`request_key`, 4) NOT GLOB '*[^0-9a-f]*' THEN unhex(substr(`request_key`, 4))
		WHEN length(CAST(`request_key` AS BLOB)) = 19 THEN CAST(x'0000' || `request_key` AS BLOB)
		ELSE CAST(x'00' || `request_key` AS BLOB) END,
	`attempt`, `search_id`, `moment`, `page`, `price`, `simulated`, `charged`,
	CASE `state` WHEN 'open' THEN 0 WHEN 'paid' THEN 1 WHEN 'free' THEN 2 WHEN 'unknown' THEN 3 END,
	`opened_at`, iif(`state` = 'open', 32767, `settled_at` - `opened_at`), `error_code`, `message`, `reconciled`, `reconciled_at` FROM `purchases` ORDER BY `id`;--> statement-breakpoint
DROP TABLE `purchases`;--> statement-breakpoint
ALTER TABLE `__new_purchases` RENAME TO `purchases`;--> statement-breakpoint
CREATE INDEX `purchases_key` ON `purchases` (substr("key", 1, 6));--> statement-breakpoint
CREATE INDEX `purchases_reservation` ON `purchases` (`reservation_id`);--> statement-breakpoint
CREATE INDEX `purchases_open` ON `purchases` (`id`) WHERE state_code = 0;--> statement-breakpoint
CREATE INDEX `purchases_unknown` ON `purchases` (`id`) WHERE state_code = 3;--> statement-breakpoint
CREATE INDEX `purchases_of_no_use` ON `purchases` (`search_id`,`page`) WHERE error_code IS NOT NULL;--> statement-breakpoint
CREATE TABLE `__new_reservations` (
	`id` integer PRIMARY KEY NOT NULL,
	`run_id` integer NOT NULL,
	`check_id` integer,
	`currency_code` integer NOT NULL,
	`currency` text GENERATED ALWAYS AS (CASE currency_code WHEN 0 THEN 'serp_credit' WHEN 1 THEN 'micro_usd' END) VIRTUAL NOT NULL,
	`day_key` text NOT NULL,
	`month_key` text GENERATED ALWAYS AS (substr(day_key, 1, 7)) VIRTUAL NOT NULL,
	`reserved` integer NOT NULL,
	`spent` integer DEFAULT 0 NOT NULL,
	`unknown` integer DEFAULT 0 NOT NULL,
	`released` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`check_id`) REFERENCES `checks`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "reservations_currency" CHECK("currency_code" IN (0, 1)),
	CONSTRAINT "reservations_amounts" CHECK("spent" >= 0 AND "unknown" >= 0 AND "released" >= 0),
	CONSTRAINT "reservations_sum" CHECK("spent" + "unknown" + "released" <= "reserved")
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_reservations` (`id`, `run_id`, `check_id`, `currency_code`, `day_key`, `reserved`, `spent`, `unknown`, `released`)
SELECT `id`, `run_id`, `check_id`, CASE `currency` WHEN 'serp_credit' THEN 0 WHEN 'micro_usd' THEN 1 END, `day_key`, `reserved`, `spent`, `unknown`, `released` FROM `reservations` ORDER BY `id`;--> statement-breakpoint
DROP TABLE `reservations`;--> statement-breakpoint
ALTER TABLE `__new_reservations` RENAME TO `reservations`;--> statement-breakpoint
CREATE INDEX `reservations_run` ON `reservations` (`run_id`);--> statement-breakpoint
CREATE INDEX `reservations_open` ON `reservations` (`run_id`) WHERE reserved > spent + unknown + released;
--> statement-breakpoint
CREATE TRIGGER `purchases_once_insert` BEFORE INSERT ON `purchases` BEGIN
	SELECT RAISE(ABORT, 'an attempt is recorded once, and a purchase is paid once') FROM `purchases`
	WHERE substr(`key`, 1, 6) = substr(NEW.`key`, 1, 6) AND `key` = NEW.`key` AND (`attempt` = NEW.`attempt` OR (`state_code` = 1 AND NEW.`state_code` = 1));
END;
--> statement-breakpoint
CREATE TRIGGER `purchases_once_update` BEFORE UPDATE OF `key`, `attempt`, `state_code` ON `purchases` WHEN NEW.`state_code` = 1 OR NEW.`key` <> OLD.`key` OR NEW.`attempt` <> OLD.`attempt` BEGIN
	SELECT RAISE(ABORT, 'an attempt is recorded once, and a purchase is paid once') FROM `purchases`
	WHERE substr(`key`, 1, 6) = substr(NEW.`key`, 1, 6) AND `key` = NEW.`key` AND `id` <> OLD.`id` AND (`attempt` = NEW.`attempt` OR (`state_code` = 1 AND NEW.`state_code` = 1));
END;
