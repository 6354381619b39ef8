CREATE TABLE "imported_users" (
	"user_id" bigint PRIMARY KEY NOT NULL,
	"source" text NOT NULL,
	"external_id" text,
	"hash_kind" text COLLATE "C",
	"invite_since" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "imported_users" ADD CONSTRAINT "imported_users_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE UNIQUE INDEX "imported_users_external_id" ON "imported_users" USING btree ("source","external_id");
--> statement-breakpoint
CREATE INDEX "imported_users_hash_kind" ON "imported_users" USING btree ("hash_kind","user_id") WHERE "imported_users"."hash_kind" is not null;
--> statement-breakpoint
CREATE INDEX "imported_users_invite" ON "imported_users" USING btree ("invite_since","user_id") WHERE "imported_users"."invite_since" is not null;
