-- Generated from db/schema.ts, then STRICT added by hand, and what chains sold before taken over from the labels of their pages.
CREATE TABLE `purchase_sources` (
	`purchase_id` integer PRIMARY KEY NOT NULL,
	`run_id` integer NOT NULL,
	`part` text,
	`requests_charged` integer,
	`requests_free` integer,
	`requests_unknown` integer,
	FOREIGN KEY (`purchase_id`) REFERENCES `purchases`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "purchase_sources_requests" CHECK(("purchase_sources"."requests_charged" IS NULL) = ("purchase_sources"."requests_free" IS NULL) AND ("purchase_sources"."requests_free" IS NULL) = ("purchase_sources"."requests_unknown" IS NULL))
) STRICT;
--> statement-breakpoint
CREATE INDEX `purchase_sources_run` ON `purchase_sources` (`run_id`);--> statement-breakpoint
INSERT INTO `purchase_sources` (`purchase_id`, `run_id`, `part`)
SELECT p.id, v.run_id, substr(g.source, instr(g.source, ':') + 1)
FROM (SELECT DISTINCT run_id FROM checks WHERE source LIKE '%/chain') r
CROSS JOIN reservations v ON v.run_id = r.run_id
JOIN purchases p ON p.reservation_id = v.id
JOIN pages g ON g.search_id = p.search_id AND g.moment = p.moment AND g.page = p.page AND g.purchase_id = p.id
WHERE instr(g.source, ':') > 0;
