-- Generated from db/schema.ts, then STRICT, WITHOUT ROWID and the triggers added by hand. What stands already is summed up by db/migrate.ts.
CREATE TABLE `history_digests` (
	`subject` text NOT NULL,
	`key` integer NOT NULL,
	`rows` integer NOT NULL,
	`digest` integer NOT NULL,
	PRIMARY KEY(`subject`, `key`),
	CONSTRAINT "history_digests_subject" CHECK("history_digests"."subject" IN ('rankings', 'pages', 'checks', 'volumes')),
	CONSTRAINT "history_digests_sum" CHECK("history_digests"."rows" >= 1 AND "history_digests"."digest" BETWEEN 0 AND 281474976710655)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TRIGGER `history_digests_grow` BEFORE UPDATE ON `history_digests` WHEN NEW.`rows` <= OLD.`rows` BEGIN
	SELECT RAISE(ABORT, 'history_digests only grows');
END;
--> statement-breakpoint
CREATE TRIGGER `history_digests_no_delete` BEFORE DELETE ON `history_digests` BEGIN
	SELECT RAISE(ABORT, 'history_digests only grows');
END;
