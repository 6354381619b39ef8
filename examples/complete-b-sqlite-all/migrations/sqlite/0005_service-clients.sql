CREATE TABLE `service_clients` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`scope` text NOT NULL,
	`secret` text NOT NULL,
	`previous_secret` text,
	`previous_ends_at` integer,
	`created_at` integer NOT NULL,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `service_clients_name_unique` ON `service_clients` (lower("name"));
