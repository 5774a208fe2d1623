/** Creates valid default values that a test can override. Every id is new, so tests may share a database. */
import type { ApiKey } from "@partner-commentary/core/access/ApiKey"
import type { NewMail } from "@partner-commentary/core/mail/Mail"
import type { Organization } from "@partner-commentary/core/partner/Organization"
import type { License } from "@partner-commentary/core/persona/License"
import type { Persona } from "@partner-commentary/core/persona/Persona"
import {
  ApiKeyId,
  CommentaryId,
  DraftId,
  OrganizationId,
  PersonaId,
  ShareId,
  TopicId,
  WebhookId
} from "@partner-commentary/core/shared/Ids"
import { fromIso, type Instant } from "@partner-commentary/core/shared/Instant"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import type { Submission } from "@partner-commentary/core/topic/Submission"
import type { DeliveryAttempt } from "@partner-commentary/core/webhook/Attempt"
import type { Webhook } from "@partner-commentary/core/webhook/Webhook"

/** The time at which tests start by default, shortly before the end of a month. */
export const start: Instant = fromIso("2026-01-30T12:00:00.000Z")

/** The start of the month after `start`. */
export const startOfNextMonth: Instant = fromIso("2026-02-01T00:00:00.000Z")

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

let minted = 0

/** Creates ids in ascending order. */
const uuid = (): string => {
  minted += 1
  return `0198c0de-0000-7000-8000-${String(minted).padStart(12, "0")}`
}

export const makeOrganizationId = () => OrganizationId.make(uuid())
export const makePersonaId = () => PersonaId.make(uuid())
export const makeTopicId = () => TopicId.make(uuid())
export const makeShareId = () => ShareId.make(uuid())
export const makeDraftId = () => DraftId.make(uuid())
export const makeCommentaryId = () => CommentaryId.make(uuid())

export const makeOwner = (changes: Partial<Owner> = {}): Owner => ({
  organizationId: makeOrganizationId(),
  environment: "live",
  ...changes
})

export const makeOrganization = (changes: Partial<Organization> = {}): Organization => ({
  id: makeOrganizationId(),
  name: "Nordic Sports Wire",
  plan: "standard",
  limits: {},
  contactEmail: "desk@example.org",
  identityId: null,
  suspendedAt: null,
  createdAt: start,
  ...changes
})

export const makePersona = (changes: Partial<Persona> = {}): Persona => ({
  id: makePersonaId(),
  name: "Ada Northwind",
  imageUrl: "https://images.example.org/ada.png",
  bio: "Twenty years on the touchline.",
  expertise: ["football", "Eliteserien"],
  socialLinks: { twitter: "https://twitter.example/ada", instagram: "https://instagram.example/ada" },
  creator: { name: "Ada N.", email: "Ada@Example.org" },
  createdAt: start,
  ...changes
})

export const makePersonas = (count: number): ReadonlyArray<Persona> =>
  Array.from({ length: count }, (_, index) => makePersona({ name: `Persona ${index}` }))

export const makeLicense = (changes: Partial<License> = {}): License => ({
  organizationId: makeOrganizationId(),
  personaId: makePersonaId(),
  grantedAt: start,
  until: null,
  revokedAt: null,
  ...changes
})

export const makeApiKey = (changes: Partial<ApiKey> = {}): ApiKey => ({
  id: ApiKeyId.make(uuid()),
  lineageId: ApiKeyId.make(uuid()),
  organizationId: makeOrganizationId(),
  name: "production",
  prefix: "pk_live_AbCd1234",
  scopes: ["topics:submit", "topics:read"],
  environment: "live",
  ipAllowList: ["203.0.113.0/24", "2001:db8::1"],
  createdAt: start,
  expiresAt: null,
  revokedAt: null,
  isRevoked: false,
  lastUsedAt: null,
  ...changes
})

export const makeMail = (changes: Partial<NewMail> = {}): NewMail => ({
  id: `desk.${uuid()}`,
  kind: "desk",
  shareId: null,
  organizationId: null,
  address: "ada@example.org",
  createdAt: start,
  ...changes
})

export const makeWebhook = (changes: Partial<Webhook> = {}): Webhook => ({
  id: WebhookId.make(uuid()),
  owner: makeOwner(),
  url: "https://hooks.example.org/commentary",
  events: ["creator.approved", "commentary.failed"],
  status: "active",
  consecutiveFailures: 0,
  lastDeliveryAt: null,
  createdAt: start,
  updatedAt: start,
  ...changes
})

/**
 * Creates the submission of a topic for the given personas. In the live environment, the quotas are far above what a
 * test uses.
 */
export const makeSubmission = (
  changes: {
    readonly topic?: Partial<Submission["topic"]>
    readonly personas?: ReadonlyArray<Persona>
  } & Partial<Omit<Submission, "topic" | "candidates">> = {}
): Submission => {
  const { personas: asked = [makePersona()], topic, ...rest } = changes
  const createdAt = topic?.createdAt ?? start
  const environment = topic?.environment ?? "live"
  return {
    topic: {
      id: makeTopicId(),
      organizationId: makeOrganizationId(),
      organizationName: "Nordic Sports Wire",
      environment,
      externalReference: null,
      content: "Who wins the derby on Sunday?",
      metadata: {},
      outputTypes: ["text"],
      webhookIds: null,
      createdAt,
      ...topic
    },
    requested: asked.map(({ id }) => id),
    candidates: asked.map((one) => ({ persona: one, shareId: makeShareId() })),
    fingerprint: `fingerprint-${uuid()}`,
    windowUntil: createdAt + day,
    respondBy: createdAt + 3 * day,
    isDeadlineFixed: false,
    quotas: environment === "test" ? null : { topics_per_month: 1000, commentaries_per_month: 5000 },
    storage: environment === "test" ? { bytes: 1000, limits: { topics: 1000, bytes: 1_000_000_000 } } : null,
    actsAt: environment === "test" ? createdAt + 2 * second : null,
    ...rest
  }
}

/** Creates a second submission with the same content and personas, and new ids. */
export const makeRepeatedSubmission = (first: Submission, topic: Partial<Submission["topic"]> = {}): Submission => ({
  ...first,
  topic: { ...first.topic, id: makeTopicId(), ...topic },
  candidates: first.candidates.map((candidate) => ({ ...candidate, shareId: makeShareId() })),
  windowUntil: (topic.createdAt ?? first.topic.createdAt) + day
})

/** The result of a failed delivery attempt. `success` is the result of a successful attempt. */
export const failedAttempt: DeliveryAttempt = {
  at: start,
  duration: 12,
  status: 500,
  failure: "http",
  reason: "No.",
  excerpt: "no",
  retryAfter: null
}
export const successfulAttempt: DeliveryAttempt = { ...failedAttempt, status: 200, failure: null, reason: null }
