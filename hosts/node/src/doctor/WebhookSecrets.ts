/** Checks that the signing secrets decrypt the secret of every webhook. */
import { Encryption } from "@partner-commentary/core/shared/Encryption"
import { SigningSecrets } from "@partner-commentary/core/shared/SigningSecrets"
import type { Settings, SigningSecretList } from "@partner-commentary/settings/Settings"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as StoredWebhooks from "partner-commentary/doctor/StoredWebhooks"
import * as DataFolder from "../app/DataFolder.ts"
import { doctorAdvice } from "./Advice.ts"
import { makeMendFinding } from "./Doctor.ts"

export const layerEncryption = <E, R>(secrets: Effect.Effect<SigningSecretList, E, R>) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("@effect/platform-node/NodeCrypto")),
      (crypto) =>
        Encryption.layer.pipe(
          Layer.provide(Layer.effect(SigningSecrets, secrets)),
          Layer.provide([crypto.layerAead, crypto.layerKdf, crypto.layerSecureRandom])
        )
    )
  )

/** The check uses only existing signing secrets, and generates no secret. */
export const checkWebhookSecrets = (settings: Settings) =>
  StoredWebhooks.diagnoseUndecryptableSecrets(doctorAdvice, "SIGNING_SECRET").pipe(
    Effect.provide(layerEncryption(DataFolder.loadExistingSecrets(settings))),
    Effect.catch(({ message }) => Effect.succeed(makeMendFinding("webhooks", message)))
  )
