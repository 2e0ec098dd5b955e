-- Generated from db/schema.ts: the newest slot of a project is asked for at every look of the scheduler.
CREATE INDEX `slots_latest` ON `slots` (`project_id`,`kind`,`at`);