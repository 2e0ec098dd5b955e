-- Generated from db/schema. It stays STRICT: a column that is added changes no table option.
ALTER TABLE `check_columns` ADD `organic` blob;