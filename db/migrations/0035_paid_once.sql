-- The index is generated; its rule stands in triggers from now on, written by hand.
DROP INDEX `purchases_paid_once`;
--> statement-breakpoint
CREATE TRIGGER `purchases_paid_once_insert` BEFORE INSERT ON `purchases` WHEN NEW.`state` = 'paid' BEGIN
	SELECT RAISE(ABORT, 'a purchase is paid once') FROM `purchases` WHERE `request_key` = NEW.`request_key` AND `state` = 'paid';
END;
--> statement-breakpoint
CREATE TRIGGER `purchases_paid_once_update` BEFORE UPDATE OF `state`, `request_key` ON `purchases` WHEN NEW.`state` = 'paid' BEGIN
	SELECT RAISE(ABORT, 'a purchase is paid once') FROM `purchases` WHERE `request_key` = NEW.`request_key` AND `state` = 'paid' AND `id` <> NEW.`id`;
END;
