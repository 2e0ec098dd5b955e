-- Generated from db/schema.ts, then STRICT, WITHOUT ROWID and the append-only triggers added by hand (drizzle cannot express them).
CREATE TABLE `bodies` (
	`purchase_id` integer PRIMARY KEY NOT NULL,
	`content_type` text NOT NULL,
	`readable` integer NOT NULL,
	`body` blob NOT NULL,
	FOREIGN KEY (`purchase_id`) REFERENCES `purchases`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `budget_windows` (
	`currency` text NOT NULL,
	`scope` text NOT NULL,
	`key` text NOT NULL,
	`cap` integer,
	`reserved` integer DEFAULT 0 NOT NULL,
	`spent` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`currency`, `scope`, `key`),
	CONSTRAINT "windows_currency" CHECK("budget_windows"."currency" IN ('serp_credit', 'micro_usd')),
	CONSTRAINT "windows_scope" CHECK("budget_windows"."scope" IN ('run', 'day', 'month')),
	CONSTRAINT "windows_amounts" CHECK("budget_windows"."reserved" >= 0 AND "budget_windows"."spent" >= 0),
	CONSTRAINT "windows_cap" CHECK("budget_windows"."cap" IS NULL OR "budget_windows"."reserved" + "budget_windows"."spent" <= "budget_windows"."cap")
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `check_pages` (
	`check_id` integer NOT NULL,
	`page` integer NOT NULL,
	`page_id` integer NOT NULL,
	PRIMARY KEY(`check_id`, `page`),
	FOREIGN KEY (`check_id`) REFERENCES `checks`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`page_id`) REFERENCES `pages`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `check_projects` (
	`project_id` integer NOT NULL,
	`check_id` integer NOT NULL,
	PRIMARY KEY(`project_id`, `check_id`),
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`check_id`) REFERENCES `checks`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `check_projects_check` ON `check_projects` (`check_id`);
--> statement-breakpoint
CREATE TABLE `checks` (
	`id` integer PRIMARY KEY NOT NULL,
	`run_id` integer NOT NULL,
	`search_id` integer NOT NULL,
	`state` text NOT NULL,
	`sequence` integer NOT NULL,
	`depth` integer NOT NULL,
	`paging` text NOT NULL,
	`deep` integer NOT NULL,
	`fresh_for_ms` integer NOT NULL,
	`pages_read` integer DEFAULT 0 NOT NULL,
	`pages_reused` integer DEFAULT 0 NOT NULL,
	`checked_at` integer,
	`finished_at` integer,
	`source` text,
	`features` text,
	`reason` text,
	`remedy` text,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`search_id`) REFERENCES `searches`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "checks_state_name" CHECK("checks"."state" IN ('planned', 'running', 'ok', 'incomplete', 'failed', 'deferred', 'unknown_paid')),
	CONSTRAINT "checks_depth" CHECK("checks"."depth" >= 1),
	CONSTRAINT "checks_read" CHECK("checks"."state" NOT IN ('ok', 'incomplete') OR ("checks"."pages_read" >= 1 AND "checks"."checked_at" IS NOT NULL))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `checks_identity` ON `checks` (`run_id`,`search_id`);
--> statement-breakpoint
CREATE INDEX `checks_search` ON `checks` (`search_id`,`id`);
--> statement-breakpoint
CREATE INDEX `checks_next` ON `checks` (`run_id`,`sequence`) WHERE state IN ('planned', 'running');
--> statement-breakpoint
CREATE TABLE `feature_types` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `feature_types_name_unique` ON `feature_types` (`name`);
--> statement-breakpoint
CREATE TABLE `hosts` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `hosts_name_unique` ON `hosts` (`name`);
--> statement-breakpoint
CREATE TABLE `keywords` (
	`id` integer PRIMARY KEY NOT NULL,
	`text` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `keywords_text_unique` ON `keywords` (`text`);
--> statement-breakpoint
CREATE TABLE `ledger` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`reservation_id` integer NOT NULL,
	`purchase_id` integer,
	`kind` text NOT NULL,
	`currency` text NOT NULL,
	`amount` integer NOT NULL,
	`hash` blob NOT NULL,
	FOREIGN KEY (`reservation_id`) REFERENCES `reservations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`purchase_id`) REFERENCES `purchases`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "ledger_kind" CHECK("ledger"."kind" IN ('reserve', 'spend', 'unknown', 'release', 'confirm', 'refund')),
	CONSTRAINT "ledger_amount" CHECK("ledger"."amount" > 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `ledger_reservation` ON `ledger` (`reservation_id`);
--> statement-breakpoint
CREATE TABLE `markets` (
	`id` integer PRIMARY KEY NOT NULL,
	`service` text NOT NULL,
	`country` text NOT NULL,
	`language` text NOT NULL,
	`device` text NOT NULL,
	CONSTRAINT "markets_device" CHECK("markets"."device" IN ('desktop', 'mobile'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `markets_identity` ON `markets` (`service`,`country`,`language`,`device`);
--> statement-breakpoint
CREATE TABLE `pages` (
	`id` integer PRIMARY KEY NOT NULL,
	`search_id` integer NOT NULL,
	`moment` integer NOT NULL,
	`page` integer NOT NULL,
	`purchase_id` integer NOT NULL,
	`observed_at` integer NOT NULL,
	`source` text NOT NULL,
	`last` integer NOT NULL,
	`archive` blob NOT NULL,
	FOREIGN KEY (`search_id`) REFERENCES `searches`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`purchase_id`) REFERENCES `purchases`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "pages_number" CHECK("pages"."page" >= 1)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `pages_identity` ON `pages` (`search_id`,`moment`,`page`);
--> statement-breakpoint
CREATE TABLE `projects` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `projects_name_unique` ON `projects` (`name`);
--> statement-breakpoint
CREATE TABLE `purchases` (
	`id` integer PRIMARY KEY NOT NULL,
	`reservation_id` integer NOT NULL,
	`service` text NOT NULL,
	`request_key` text NOT NULL,
	`attempt` integer NOT NULL,
	`search_id` integer,
	`moment` integer NOT NULL,
	`page` integer,
	`price` integer NOT NULL,
	`charged` integer DEFAULT 0 NOT NULL,
	`state` text NOT NULL,
	`opened_at` integer NOT NULL,
	`settled_at` integer,
	`error_code` text,
	`message` text,
	FOREIGN KEY (`reservation_id`) REFERENCES `reservations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`search_id`) REFERENCES `searches`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "purchases_state_name" CHECK("purchases"."state" IN ('open', 'paid', 'free', 'unknown')),
	CONSTRAINT "purchases_charged" CHECK("purchases"."charged" >= 0 AND "purchases"."charged" <= "purchases"."price")
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `purchases_attempt` ON `purchases` (`request_key`,`attempt`);
--> statement-breakpoint
CREATE INDEX `purchases_reservation` ON `purchases` (`reservation_id`);
--> statement-breakpoint
CREATE INDEX `purchases_open` ON `purchases` (`id`) WHERE state = 'open';
--> statement-breakpoint
CREATE INDEX `purchases_unknown` ON `purchases` (`id`) WHERE state = 'unknown';
--> statement-breakpoint
CREATE UNIQUE INDEX `purchases_paid_once` ON `purchases` (`request_key`) WHERE state = 'paid';
--> statement-breakpoint
CREATE TABLE `rankings` (
	`target_id` integer NOT NULL,
	`search_id` integer NOT NULL,
	`moment` integer NOT NULL,
	`check_id` integer NOT NULL,
	`rank` integer,
	`absolute_rank` integer,
	`page` integer,
	`url_id` integer,
	`depth` integer NOT NULL,
	`owned_features` text,
	PRIMARY KEY(`target_id`, `search_id`, `moment`, `check_id`),
	FOREIGN KEY (`target_id`) REFERENCES `targets`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`search_id`) REFERENCES `searches`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`check_id`) REFERENCES `checks`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`url_id`) REFERENCES `urls`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "rankings_rank" CHECK("rankings"."rank" IS NULL OR ("rankings"."rank" >= 1 AND "rankings"."url_id" IS NOT NULL)),
	CONSTRAINT "rankings_place" CHECK(("rankings"."url_id" IS NULL) = ("rankings"."page" IS NULL) AND ("rankings"."page" IS NULL OR "rankings"."page" >= 1)),
	CONSTRAINT "rankings_absolute" CHECK("rankings"."absolute_rank" IS NULL OR ("rankings"."rank" IS NOT NULL AND "rankings"."absolute_rank" >= "rankings"."rank")),
	CONSTRAINT "rankings_depth" CHECK("rankings"."depth" >= 1)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `reservations` (
	`id` integer PRIMARY KEY NOT NULL,
	`run_id` integer NOT NULL,
	`check_id` integer,
	`currency` text NOT NULL,
	`day_key` text NOT NULL,
	`month_key` text NOT NULL,
	`reserved` integer NOT NULL,
	`spent` integer DEFAULT 0 NOT NULL,
	`unknown` integer DEFAULT 0 NOT NULL,
	`released` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`check_id`) REFERENCES `checks`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "reservations_amounts" CHECK("reservations"."spent" >= 0 AND "reservations"."unknown" >= 0 AND "reservations"."released" >= 0),
	CONSTRAINT "reservations_sum" CHECK("reservations"."spent" + "reservations"."unknown" + "reservations"."released" <= "reservations"."reserved")
) STRICT;
--> statement-breakpoint
CREATE INDEX `reservations_run` ON `reservations` (`run_id`);
--> statement-breakpoint
CREATE INDEX `reservations_open` ON `reservations` (`run_id`) WHERE reserved > spent + unknown + released;
--> statement-breakpoint
CREATE TABLE `runs` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`moment` integer NOT NULL,
	`opened_at` integer NOT NULL,
	`closed_at` integer,
	`planned` integer DEFAULT 0 NOT NULL,
	`state` text NOT NULL,
	`reason` text,
	`suspect_reason` text,
	`owner` text,
	`heartbeat_at` integer,
	`reported_at` integer,
	CONSTRAINT "runs_kind" CHECK("runs"."kind" IN ('ranks', 'volumes', 'adhoc')),
	CONSTRAINT "runs_state_name" CHECK("runs"."state" IN ('open', 'complete', 'partial', 'halted')),
	CONSTRAINT "runs_closed" CHECK(("runs"."state" = 'open') = ("runs"."closed_at" IS NULL))
) STRICT;
--> statement-breakpoint
CREATE INDEX `runs_state` ON `runs` (`state`);
--> statement-breakpoint
CREATE TABLE `searches` (
	`id` integer PRIMARY KEY NOT NULL,
	`keyword_id` integer NOT NULL,
	`market_id` integer NOT NULL,
	FOREIGN KEY (`keyword_id`) REFERENCES `keywords`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`market_id`) REFERENCES `markets`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `searches_identity` ON `searches` (`keyword_id`,`market_id`);
--> statement-breakpoint
CREATE TABLE `slots` (
	`project_id` integer NOT NULL,
	`kind` text NOT NULL,
	`slot` text NOT NULL,
	`at` integer NOT NULL,
	`timezone` text NOT NULL,
	`local_date` text NOT NULL,
	`state` text NOT NULL,
	`run_id` integer,
	`reason` text,
	PRIMARY KEY(`project_id`, `kind`, `slot`),
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "slots_state_name" CHECK("slots"."state" IN ('claimed', 'missed')),
	CONSTRAINT "slots_claimed" CHECK(("slots"."state" = 'claimed') = ("slots"."run_id" IS NOT NULL))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `slots_run` ON `slots` (`run_id`);
--> statement-breakpoint
CREATE TABLE `targets` (
	`id` integer PRIMARY KEY NOT NULL,
	`identity` text NOT NULL,
	`match` text NOT NULL,
	`value` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `targets_identity_unique` ON `targets` (`identity`);
--> statement-breakpoint
CREATE TABLE `urls` (
	`id` integer PRIMARY KEY NOT NULL,
	`host_id` integer NOT NULL,
	`scheme` text NOT NULL,
	`rest` text NOT NULL,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `urls_identity` ON `urls` (`host_id`,`rest`,`scheme`);
--> statement-breakpoint
CREATE TABLE `volumes` (
	`keyword_id` integer NOT NULL,
	`service` text NOT NULL,
	`country` text NOT NULL,
	`language` text NOT NULL,
	`month` text NOT NULL,
	`observed_at` integer NOT NULL,
	`source` text NOT NULL,
	`purchase_id` integer,
	`search_volume` integer,
	`cpc_micro_usd` integer,
	`competition` integer,
	`competition_level` text,
	`intent` text,
	`related_keywords` text,
	PRIMARY KEY(`keyword_id`, `service`, `country`, `language`, `month`),
	FOREIGN KEY (`keyword_id`) REFERENCES `keywords`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`purchase_id`) REFERENCES `purchases`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "volumes_volume" CHECK("volumes"."search_volume" IS NULL OR "volumes"."search_volume" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TRIGGER `ledger_no_update` BEFORE UPDATE ON `ledger` BEGIN
	SELECT RAISE(ABORT, 'ledger is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER `ledger_no_delete` BEFORE DELETE ON `ledger` BEGIN
	SELECT RAISE(ABORT, 'ledger is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER `rankings_no_update` BEFORE UPDATE ON `rankings` BEGIN
	SELECT RAISE(ABORT, 'rankings is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER `rankings_no_delete` BEFORE DELETE ON `rankings` BEGIN
	SELECT RAISE(ABORT, 'rankings is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER `pages_no_update` BEFORE UPDATE ON `pages` BEGIN
	SELECT RAISE(ABORT, 'pages is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER `pages_no_delete` BEFORE DELETE ON `pages` BEGIN
	SELECT RAISE(ABORT, 'pages is append-only');
END;
