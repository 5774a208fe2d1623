/** Checks that the signing secrets decrypt the secret of every webhook. */
import { Encryption } from "@partner-commentary/core/shared/Encryption"
import { SigningSecrets } from "@partner-commentary/core/shared/SigningSecrets"
import { undecryptable } from "@partner-commentary/core/webhook/SecretReencryption"
import type { Settings, SigningSecretList } from "@partner-commentary/settings/Settings"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as DataFolder from "../app/DataFolder.ts"
import { mend, ok } from "./Doctor.ts"

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

/** `the secret of one webhook`, `the secrets of 2 webhooks` */
export const ofWebhooks = (count: number): string =>
  count === 1 ? "the secret of one webhook" : `the secrets of ${count} webhooks`

/** Uses the existing secrets and generates none. */
export const examine = (settings: Settings) =>
  undecryptable.pipe(
    Effect.provide(layerEncryption(DataFolder.existingSecrets(settings))),
    Effect.match({
      onFailure: ({ message }) => mend("webhooks", message),
      onSuccess: ({ length }) =>
        length === 0
          ? ok("webhooks", "Each one's secret opens.")
          : {
              ...mend(
                "webhooks",
                `No entry of SIGNING_SECRET opens ${ofWebhooks(length)}, so that nothing can be signed there: add the former entry, then run partner-commentary webhook reseal; where it is lost, partners must register anew.`
              ),
              count: length
            }
    })
  )
