CREATE TABLE `sign_in_tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`token` text NOT NULL,
	`purpose` text NOT NULL,
	`user_id` integer,
	`session_id` integer,
	`data` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sign_in_tokens_token_unique` ON `sign_in_tokens` (`token`);
--> statement-breakpoint
CREATE INDEX `sign_in_tokens_user` ON `sign_in_tokens` (`user_id`);
--> statement-breakpoint
CREATE INDEX `sign_in_tokens_expires_at` ON `sign_in_tokens` (`expires_at`);
