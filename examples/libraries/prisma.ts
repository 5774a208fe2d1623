/** Runs the service on the pool of Prisma's adapter, and runs a use case in a transaction of Prisma. */
import { PrismaPg } from "@prisma/adapter-pg"
import { partnerCommentary } from "partner-commentary"
import { postgres } from "partner-commentary/postgres"
import type { NewTopic } from "partner-commentary/use-cases/Topics"
import pg from "pg"
import { PrismaClient } from "./generated/client.ts"

export const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
export const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })

export const pc = partnerCommentary({
  url: "http://127.0.0.1:3000/commentary",
  secret: process.env.COMMENTARY_SECRET,
  database: postgres(pool, { schema: "commentary" })
})

/** Submits a topic and stores the topic's id in your own table, in one transaction of Prisma. */
export const createOrder = (topic: NewTopic) =>
  prisma.$transaction(async (tx) => {
    const { topic_id } = await pc.topics.submit(topic, { db: tx })
    return tx.order.create({ data: { topic: topic_id } })
  })
