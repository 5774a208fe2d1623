/** Topics: taken in as one transaction of a few statements, read by one query each. How assignments change is AssignmentStore's. */
import { assignments, NoValidPersonas, results, type Submission } from "@partner-commentary/core/topic/Submission"
import type { Topic } from "@partner-commentary/core/topic/Topic"
import { none } from "@partner-commentary/core/topic/TopicStatus"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { refusal } from "@partner-commentary/core/usage/Quota"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import * as TopicIntake from "./TopicIntake.ts"
import { makeReads } from "./TopicReads.ts"
import { transact } from "./Transaction.ts"

export const layer = Layer.effect(
  TopicStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const write = TopicIntake.make(sql)

    const submit = Effect.fnUntraced(function* (submission: Submission) {
      const { holders, seen } = yield* write(submission)
      const answers = results(submission, holders)
      const sent = assignments(submission, holders)
      if (sent.length === 0) return yield* new NoValidPersonas({ results: answers })
      if (submission.quotas !== null) {
        const held = { topics: seen.topics_created - 1, commentaryUnits: seen.units_held - sent.length }
        const refused = refusal(held, submission.quotas, sent.length)
        if (Option.isSome(refused)) return yield* refused.value
      }
      const topic: Topic = { ...submission.topic, status: "pending", counts: { ...none, topic_sent: sent.length } }
      return { topic, results: answers, sent: sent.map(({ id }) => id) }
    })

    return TopicStore.of({ submit: (submission) => transact(sql, submit(submission)), ...makeReads(sql) })
  })
)
