/** Tests the delivery metrics at /metrics, with a real service and real receivers. */
import { expect, it } from "vitest"
import * as Loopback from "../../test/support/Loopback.ts"
import * as Partner from "../../test/support/Partner.ts"
import * as Process from "../../test/support/Process.ts"

it("/metrics shows delivery attempts by outcome, the latency of events, held deliveries, and failing webhooks", async (test) => {
  const cwd = await Process.makeWorkingFolder(test)
  const receiver = await Loopback.startWebhookReceiver(test, (path) => (path === "/gone" ? 410 : 204))
  const { key } = await Partner.registerTestPartner(cwd, "Acme Sports")
  const { apiRoot, stderr } = await Process.startServiceProcess(cwd, ["serve"], {
    ADMIN_PORT: "0",
    WEBHOOK_ALLOW_PRIVATE: "true"
  })
  const address = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(stderr())![0]
  for (const path of ["well", "gone"]) {
    const url = `http://${receiver}/${path}`
    expect((await Partner.callApi(apiRoot, key, "/webhooks", { url, events: ["commentary.failed"] })).status).toBe(201)
  }
  const content = "Who goes down this season?"
  await Partner.callApi(apiRoot, key, "/topics", { content, persona_ids: [Partner.decliningPersonaId] })
  const metrics = async () => {
    const text = await (await fetch(address)).text()
    const value = (pattern: string) => Number(new RegExp(`^partner_commentary_${pattern} (\\S+)$`, "m").exec(text)?.[1])
    return {
      success: value('delivery_attempts_total\\{(?=.*outcome="success")(?=.*kind="scheduled").*\\}'),
      manual: value('delivery_attempts_total\\{(?=.*outcome="success")(?=.*kind="manual").*\\}'),
      failure: value('delivery_attempts_total\\{(?=.*outcome="http").*\\}'),
      tookAll: value('delivery_attempt_duration_seconds_bucket\\{(?=.*outcome="success")(?=.*le="\\+Inf").*\\}'),
      arrived: value("delivery_latency_seconds_count(?:\\{\\})?"),
      soon: value('delivery_latency_seconds_bucket\\{le="60"\\}'),
      due: value("deliveries_due"),
      overdue: value("deliveries_overdue_seconds"),
      held: value("deliveries_held"),
      open: value("webhook_breakers_open"),
      disabled: value("webhooks_disabled")
    }
  }
  await Process.pollUntil(metrics, ({ failure, success }) => success === 1 && failure === 1)
  // The values of counters are current, and the values of gauges are at most a second old.
  expect(await Process.pollUntil(metrics, ({ disabled, due }) => disabled === 1 && due === 0)).toEqual({
    success: 1,
    manual: Number.NaN,
    failure: 1,
    tookAll: 1,
    arrived: 1,
    soon: 1,
    due: 0,
    overdue: 0,
    held: 1,
    open: 0,
    disabled: 1
  })
  // A manual redelivery of an old event does not change the latency metric.
  const webhooks = (await Partner.callApi(apiRoot, key, "/webhooks")).body.data as ReadonlyArray<Record<string, string>>
  const wellId = webhooks.find(({ url }) => url?.endsWith("/well"))?.["id"]
  const [arrived] = (await Partner.callApi(apiRoot, key, `/webhooks/${wellId}/deliveries`)).body.data
  expect((await Partner.callApi(apiRoot, key, `/webhooks/${wellId}/deliveries/${arrived.id}/retry`, {})).status).toBe(
    200
  )
  expect(await Process.pollUntil(metrics, ({ manual }) => manual === 1)).toMatchObject({ manual: 1, arrived: 1 })
})
