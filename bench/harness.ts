/**
 * `node bench/harness.ts` measures what the service in memory costs a test: its creation, a story from submission to
 * fetched commentary, and a hundred such stories in parallel. CPU time depends less on other processes than elapsed
 * time does.
 */
import { TestPartnerCommentary } from "@partner-commentary/test"

const content = "Will the Lakers make the play-offs?"
const perspective = "They will, but only just. The defence has finally woken up."

interface Cost {
  readonly wall: number
  readonly processor: number
}

const measured = async <A>(work: () => Promise<A>): Promise<readonly [Cost, A]> => {
  const begun = performance.now()
  const before = process.cpuUsage()
  const made = await work()
  const { system, user } = process.cpuUsage(before)
  return [{ wall: performance.now() - begun, processor: (user + system) / 1000 }, made]
}

const seeded = async (pc: TestPartnerCommentary) => {
  const { organization, personas } = await pc.seed()
  const client = pc.client(organization)
  return async () => {
    const topic = await client.topics.create({ content, persona_ids: [personas[0].id] })
    await pc.creator(personas[0]).respond(perspective)
    await pc.creator(personas[0]).approve()
    const { commentaries } = await client.topics.commentaries(topic.topic_id)
    if (commentaries.length !== 1) throw new Error("The story did not come to its end.")
  }
}

const print = (what: string, costs: ReadonlyArray<Cost>) => {
  const at = (part: number, of: keyof Cost) => {
    const sorted = costs.map((cost) => cost[of]).sort((one, other) => one - other)
    return sorted[Math.floor((sorted.length - 1) * part)]!.toFixed(1).padStart(7)
  }
  process.stdout.write(
    `${what.padEnd(34)} median ${at(0.5, "wall")} ms, 90th percentile ${at(0.9, "wall")} ms, processor ${at(0.5, "processor")} ms\n`
  )
}

const boots: Array<Cost> = []
const stories: Array<Cost> = []
for (let round = 0; round < 150; round++) {
  const [boot, pc] = await measured(() => TestPartnerCommentary.make())
  const story = await seeded(pc)
  boots.push(boot)
  stories.push((await measured(story))[0])
  await pc.dispose()
}
print("boot, the first of a process", boots.slice(0, 1))
print("boot, the next ten", boots.slice(1, 11))
print("boot, later ones", boots.slice(50))
print("a story, the first of a process", stories.slice(0, 1))
print("a story, the next ten", stories.slice(1, 11))
print("a story, later ones", stories.slice(50))

const [together] = await measured(() =>
  Promise.all(
    Array.from({ length: 100 }, async () => {
      await using pc = await TestPartnerCommentary.make()
      await (await seeded(pc))()
    })
  )
)
print("a hundred side by side, in all", [together])
