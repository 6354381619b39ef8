CREATE TABLE `attempts` (
	`key` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`count` integer NOT NULL,
	`ends_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `attempts_account` ON `attempts` (`account`);--> statement-breakpoint
CREATE INDEX `attempts_ends_at` ON `attempts` (`ends_at`);--> statement-breakpoint
CREATE TABLE `retired_names` (
	`hash` text PRIMARY KEY NOT NULL,
	`key` text
);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`email` text NOT NULL,
	`username` text NOT NULL,
	`hashed_password` text NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`is_superuser` integer DEFAULT false NOT NULL,
	`updated_at` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`tokens_valid_from` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (lower("email"));--> statement-breakpoint
CREATE UNIQUE INDEX `users_username_unique` ON `users` (lower("username"));
