ALTER TABLE `slots` ADD `suspect_reason` text;--> statement-breakpoint
-- a run of several projects named those that were suspect in one text: `shop: 25 of 60 checks failed (...); blog: ...`
UPDATE `slots` SET `suspect_reason` = (
  SELECT CASE
    WHEN (SELECT count(DISTINCT `project_id`) FROM `slots` `o` WHERE `o`.`run_id` = `r`.`id`) = 1 THEN `r`.`suspect_reason`
    WHEN instr('; ' || `r`.`suspect_reason`, '; ' || `p`.`name` || ': ') > 0 THEN 'ranks were lost or checks failed more often than chance explains'
  END
  FROM `runs` `r` JOIN `projects` `p` ON `p`.`id` = `slots`.`project_id` WHERE `r`.`id` = `slots`.`run_id`)
WHERE `run_id` IN (SELECT `id` FROM `runs` WHERE `suspect_reason` IS NOT NULL);--> statement-breakpoint
CREATE INDEX `slots_suspect` ON `slots` (`project_id`,`run_id`) WHERE suspect_reason IS NOT NULL;--> statement-breakpoint
ALTER TABLE `runs` DROP COLUMN `suspect_reason`;
