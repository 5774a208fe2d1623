/** Loads the client by `require`. Tests a refused call with its typed error, and a webhook with a wrong signature. */
const assert = require("node:assert/strict")
const { ApiError, PartnerCommentary, WebhookVerificationError, verifyWebhook } = require("@partner-commentary/client")

const refusal = { success: false, error: { code: "unauthorized", message: "No." } }
const fetch = async () => new Response(JSON.stringify(refusal), { status: 401 })
const client = new PartnerCommentary({ apiKey: "pk_test_a", baseUrl: "https://api.example", fetch })

const main = async () => {
  await assert.rejects(client.personas.list(), (error) => error instanceof ApiError && error.code === "unauthorized")
  const headers = { "webhook-id": "evt_1", "webhook-timestamp": "1", "webhook-signature": "v1,AA==" }
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="
  await assert.rejects(verifyWebhook("{}", headers, secret), WebhookVerificationError)
  process.stdout.write("required\n")
}
void main()
