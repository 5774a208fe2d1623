/** An ES module that embeds the service, and the client. */
import { PartnerCommentary, type PersonaSummary } from "@partner-commentary/client"
import { partnerCommentary } from "partner-commentary"
import { sqlite } from "partner-commentary/sqlite"

const client = new PartnerCommentary({ apiKey: "pk_test_a", baseUrl: "https://api.example" })
const first = async (): Promise<PersonaSummary | undefined> => (await client.personas.list())[0]
const secret = "a secret of the tests, and long enough"
const pc = partnerCommentary({ url: "http://127.0.0.1:3000", secret, database: sqlite(":memory:") })
const { id } = await pc.organizations.create({ name: "Courtside" })
await pc.stop()
process.stdout.write(`${typeof first} ${id.length}\n`)
