DROP TABLE `run_columns`;--> statement-breakpoint
CREATE INDEX `rankings_moment` ON `rankings` (`target_id`,`moment`,`search_id`,`check_id`,`rank`,`url_id`,`page`,`depth`,`owned_features`);