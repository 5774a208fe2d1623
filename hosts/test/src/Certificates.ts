/**
 * Creates X.509 certificates for tests: a certificate authority and the certificates that it signs. Elliptic curves
 * keep the generation fast.
 */
import { Buffer } from "node:buffer"
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto"

const der = (tag: number, ...content: ReadonlyArray<Uint8Array>): Buffer => {
  const body = Buffer.concat(content)
  const { length } = body
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}

const sequence = (...content: ReadonlyArray<Uint8Array>) => der(0x30, ...content)
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"))
const integer = (value: number) => der(0x02, Buffer.from([value]))
const text = (value: string) => der(0x0c, Buffer.from(value))
const octets = (content: Uint8Array) => der(0x04, content)
const moment = (date: Date) => der(0x17, Buffer.from(`${date.toISOString().replace(/\D/g, "").slice(2, 14)}Z`))

const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"))
const named = (name: string) => sequence(der(0x31, sequence(oid("550403"), text(name))))
const subjectAltName = (host: string) => sequence(oid("551d11"), octets(sequence(der(0x82, Buffer.from(host)))))
const isAuthority = sequence(
  oid("551d13"),
  der(0x01, Buffer.from([0xff])),
  octets(sequence(der(0x01, Buffer.from([0xff]))))
)

export interface Certificate {
  readonly cert: string
  readonly key: string
}

interface Wanted {
  readonly host: string
  /** The time at which the validity starts, in days from now. */
  readonly from?: number
  readonly until?: number
}

const day = 24 * 60 * 60 * 1000
let serial = 1

const make = (
  subject: string,
  issuer: { name: string; key: KeyObject } | null,
  { host, from, until }: Wanted
): Certificate => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const body = sequence(
    der(0xa0, integer(2)),
    integer(serial++),
    ecdsaWithSha256,
    named(issuer?.name ?? subject),
    sequence(moment(new Date(Date.now() + (from ?? -1) * day)), moment(new Date(Date.now() + (until ?? 1) * day))),
    named(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(host === "" ? isAuthority : subjectAltName(host)))
  )
  const signature = sign("sha256", body, issuer?.key ?? privateKey)
  const certificate = sequence(body, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature))
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  }
}

export interface CertificateAuthority extends Certificate {
  readonly name: string
}

export const makeCertificateAuthority = (name: string): CertificateAuthority => ({
  name,
  ...make(name, null, { host: "" })
})

export const issueCertificate = ({ name, key }: CertificateAuthority, wanted: Wanted): Certificate =>
  make(wanted.host, { name, key: createPrivateKey(key) }, wanted)

export const makeSelfSignedCertificate = (host: string): Certificate => make(host, null, { host })
