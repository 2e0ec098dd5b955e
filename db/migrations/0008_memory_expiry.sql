-- Generated from db/schema.
ALTER TABLE `source_memory` RENAME COLUMN `at` TO `expires_at`;
