CREATE TABLE `imported_users` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`source` text NOT NULL,
	`external_id` text,
	`hash_kind` text,
	`invite_since` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `imported_users_external_id` ON `imported_users` (`source`,`external_id`);
--> statement-breakpoint
CREATE INDEX `imported_users_hash_kind` ON `imported_users` (`hash_kind`,`user_id`) WHERE "imported_users"."hash_kind" is not null;
--> statement-breakpoint
CREATE INDEX `imported_users_invite` ON `imported_users` (`invite_since`,`user_id`) WHERE "imported_users"."invite_since" is not null;
