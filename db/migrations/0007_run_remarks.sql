-- Generated from db/schema.ts.
ALTER TABLE `runs` ADD `remark` text;
