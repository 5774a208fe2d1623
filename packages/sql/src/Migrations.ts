/** Brings a database to the present schema: forward only, all of it or nothing, by as many processes at once as may come. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Migrator from "effect/sql/Migrator"
import { partners } from "./migrations/0001_partners.ts"
import { topics } from "./migrations/0002_topics.ts"
import { usage } from "./migrations/0003_usage.ts"
import { mails } from "./migrations/0004_mails.ts"
import { audit } from "./migrations/0005_audit.ts"

/** Answers with what was applied, oldest first; nothing when nothing was left to do. */
export const migrate = Migrator.make({})({
  loader: Migrator.fromRecord({
    "0001_partners": partners,
    "0002_topics": topics,
    "0003_usage": usage,
    "0004_mails": mails,
    "0005_audit": audit
  }),
  table: "partner_commentary_migrations"
})

/** Migrates before anything that is built on it. */
export const layer = Layer.effectDiscard(Effect.asVoid(migrate))
