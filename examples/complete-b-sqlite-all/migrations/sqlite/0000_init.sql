CREATE TABLE `attempts` (
	`key` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`count` integer NOT NULL,
	`ends_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `attempts_account` ON `attempts` (`account`);--> statement-breakpoint
CREATE INDEX `attempts_ends_at` ON `attempts` (`ends_at`);--> statement-breakpoint
CREATE TABLE `email_changes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`email` text NOT NULL,
	`token` text NOT NULL,
	`expires_at` integer NOT NULL,
	`max_expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `email_changes_token_unique` ON `email_changes` (`token`);--> statement-breakpoint
CREATE INDEX `email_changes_user` ON `email_changes` (`user_id`);--> statement-breakpoint
CREATE INDEX `email_changes_email` ON `email_changes` (`email`);--> statement-breakpoint
CREATE INDEX `email_changes_expires_at` ON `email_changes` (`expires_at`);--> statement-breakpoint
CREATE TABLE `mail_requests` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`email` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `mail_requests_kind_email` ON `mail_requests` (`kind`,`email`);--> statement-breakpoint
CREATE TABLE `outbox` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`message_id` text NOT NULL,
	`user_id` integer,
	`recipient` text NOT NULL,
	`domain` text DEFAULT '' NOT NULL,
	`subject` text NOT NULL,
	`template` text NOT NULL,
	`kind` text,
	`priority` integer DEFAULT 2 NOT NULL,
	`sealed_variables` text,
	`created_at` integer NOT NULL,
	`not_after` integer,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`sent_at` integer,
	`failed_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `outbox_message_id_unique` ON `outbox` (`message_id`);--> statement-breakpoint
CREATE INDEX `outbox_order` ON `outbox` (`priority`,`next_attempt_at`,`id`) WHERE "outbox"."sent_at" is null and "outbox"."failed_at" is null;--> statement-breakpoint
CREATE INDEX `outbox_domain` ON `outbox` (`priority`,`domain`,`next_attempt_at`,`id`) WHERE "outbox"."sent_at" is null and "outbox"."failed_at" is null;--> statement-breakpoint
CREATE INDEX `outbox_created_at` ON `outbox` (`created_at`);--> statement-breakpoint
CREATE INDEX `outbox_user` ON `outbox` (`user_id`);--> statement-breakpoint
CREATE TABLE `refresh_tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`token` text NOT NULL,
	`expires_at` integer NOT NULL,
	`is_revoked` integer DEFAULT false NOT NULL,
	`device_name` text,
	`device_type` text,
	`ip_address` text,
	`user_agent` text,
	`amr` text,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`rotated_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `refresh_tokens_user_revoked` ON `refresh_tokens` (`user_id`,`is_revoked`,`id`);--> statement-breakpoint
CREATE INDEX `refresh_tokens_expires_at` ON `refresh_tokens` (`expires_at`);--> statement-breakpoint
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
	`is_verified` integer DEFAULT false NOT NULL,
	`pending_email` text,
	`pending_email_token` text,
	`pending_email_session` integer,
	`pending_email_expires_at` integer,
	`unclaimed_since` integer,
	`is_superuser` integer DEFAULT false NOT NULL,
	`updated_at` integer DEFAULT 0 NOT NULL,
	`last_login_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_pending_email_token_unique` ON `users` (`pending_email_token`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (lower("email"));--> statement-breakpoint
CREATE UNIQUE INDEX `users_username_unique` ON `users` (lower("username"));--> statement-breakpoint
CREATE INDEX `users_pending_email` ON `users` (`pending_email_expires_at`) WHERE "users"."pending_email_expires_at" is not null;--> statement-breakpoint
CREATE INDEX `users_unclaimed` ON `users` (`unclaimed_since`) WHERE "users"."unclaimed_since" is not null;--> statement-breakpoint
CREATE TABLE `verification_codes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`code` text NOT NULL,
	`code_type` text NOT NULL,
	`expires_at` integer NOT NULL,
	`is_used` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `verification_codes_code` ON `verification_codes` (`code`);--> statement-breakpoint
CREATE INDEX `verification_codes_user` ON `verification_codes` (`user_id`);--> statement-breakpoint
CREATE INDEX `verification_codes_expires_at` ON `verification_codes` (`expires_at`);
