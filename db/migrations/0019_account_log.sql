-- Generated from db/schema, then STRICT and the triggers added by hand.
CREATE TABLE `account_log` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`event` text NOT NULL,
	`minute` integer,
	`account` text,
	`username` text,
	`address` text,
	`reason` text,
	`count` integer DEFAULT 1 NOT NULL,
	`operator` text,
	`facts` text NOT NULL,
	CONSTRAINT "account_log_kind" CHECK(("event" = 'login-failed') = ("minute" IS NOT NULL)),
	CONSTRAINT "account_log_failure_known" CHECK("minute" IS NULL OR ("username" IS NOT NULL AND "address" IS NOT NULL AND "reason" IS NOT NULL))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `account_log_failures` ON `account_log` (`minute`,`username`,`address`,`reason`);--> statement-breakpoint
CREATE INDEX `account_log_last` ON `account_log` (`last_at`);
--> statement-breakpoint
CREATE TRIGGER `account_log_no_update` BEFORE UPDATE ON `account_log`
WHEN OLD.`minute` IS NULL OR NEW.`count` <= OLD.`count` OR NEW.`last_at` < OLD.`last_at`
  OR (OLD.`id`, OLD.`at`, OLD.`event`, OLD.`minute`, OLD.`account`, OLD.`username`, OLD.`address`, OLD.`reason`, OLD.`operator`, OLD.`facts`)
  IS NOT (NEW.`id`, NEW.`at`, NEW.`event`, NEW.`minute`, NEW.`account`, NEW.`username`, NEW.`address`, NEW.`reason`, NEW.`operator`, NEW.`facts`)
BEGIN
	SELECT RAISE(ABORT, 'account_log is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER `account_log_no_delete` BEFORE DELETE ON `account_log` WHEN OLD.`minute` IS NULL BEGIN
	SELECT RAISE(ABORT, 'account_log is append-only');
END;
