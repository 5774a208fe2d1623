/**
 * Creates test data: organizations with their keys, personas with their creators, and the licences between
 * organizations and personas.
 */
import type { ApiKeyScope } from "@partner-commentary/core/access/Scope"
import type { Organization } from "@partner-commentary/core/partner/Organization"
import type { PlanLimitOverrides, PlanName } from "@partner-commentary/core/partner/Plan"
import type { Persona } from "@partner-commentary/core/persona/Persona"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Seed from "./Seed.ts"
import { formatList, TestPartnerCommentaryError } from "./TestError.ts"
import type { TestInstance } from "./TestInstance.ts"
import { checkKeyOptions, checkOrganizationSeed } from "./TestOptions.ts"

/** An organization that calls the API. */
export interface TestOrganization {
  readonly id: string
  /** The organization's name, as creators see it. */
  readonly name: string
  /** The text of a live key with every scope. */
  readonly apiKey: string
  /**
   * The text of a test key that has every scope. The test environment has simulated creators and fixed test personas.
   */
  readonly testApiKey: string
}

/** A persona and its creator. */
export interface TestPersona {
  /** The persona id that partners submit. */
  readonly id: string
  readonly name: string
  /** The address that receives the creator's mails. Partners cannot see this address. */
  readonly creator: { readonly name: string; readonly email: string }
}

/** A persona's properties. Each omitted property gets a sample value. */
export interface TestPersonaSeed {
  readonly name: string
  readonly bio?: string
  readonly expertise?: ReadonlyArray<string>
  readonly imageUrl?: string
  readonly socialLinks?: Readonly<Record<string, string>>
  /** The creator's address. Personas with the same address share one creator. */
  readonly creator?: { readonly name: string; readonly email: string }
  /** False if the organization gets no licence for the persona. */
  readonly licensed?: boolean
}

/** One organization and its personas. */
export interface TestOrganizationSeed<
  Personas extends ReadonlyArray<string | TestPersonaSeed> = ReadonlyArray<string | TestPersonaSeed>
> {
  /** The organization's name, as creators see it. */
  readonly organization?: string
  /** The names or properties of the personas, by default one persona with the name Ada Vance. */
  readonly personas?: Personas
  /** The organization's plan, by default `standard`. */
  readonly plan?: PlanName
  /**
   * The organization's limits. By default the rate limits are so high that a test does not reach them. Set lower limits
   * here, or pass `"plan"` for the limits of the plan.
   */
  readonly limits?: PlanLimitOverrides | "plan"
  /** The address that receives notices about undeliverable requests and webhooks. */
  readonly contactEmail?: string | null
}

/** The created records. The list `personas` has the same order as the option `personas`. */
export interface SeededTestOrganization<Personas extends ReadonlyArray<string | TestPersonaSeed>> {
  readonly organization: TestOrganization
  readonly personas: { readonly [Index in keyof Personas]: TestPersona }
}

interface NewKey {
  readonly scopes?: ReadonlyArray<ApiKeyScope>
  readonly environment?: "live" | "test"
  readonly expiresAt?: Date
}

/** Creates the records through the core interfaces that the service's command line uses. */
export class TestDataSeeder {
  readonly #instance: TestInstance
  readonly #organizations = new Map<string, Organization>()
  readonly #personas = new Map<string, Persona>()

  constructor(instance: TestInstance) {
    this.#instance = instance
  }

  async seed<const Personas extends ReadonlyArray<string | TestPersonaSeed>>(
    options: TestOrganizationSeed<Personas>
  ): Promise<SeededTestOrganization<Personas>> {
    checkOrganizationSeed(options)
    const seeds: ReadonlyArray<string | TestPersonaSeed> = options.personas ?? ["Ada Vance"]
    const made = await this.#instance.run(
      Effect.gen({ self: this }, function* () {
        const organization = yield* Seed.createOrganization(organizationOf(options))
        const apiKey = (yield* Seed.issueApiKey(organization)).text
        const testApiKey = (yield* Seed.issueApiKey(organization, { environment: "test" })).text
        const personas: Array<Persona> = []
        for (const [at, seed] of seeds.entries()) {
          const isLicensed = typeof seed === "string" || seed.licensed !== false
          personas.push(
            yield* Seed.createPersona(isLicensed ? organization : null, personaOf(seed, this.#personas.size + at + 1))
          )
        }
        return { organization, apiKey, testApiKey, personas }
      })
    )
    const { apiKey, organization, testApiKey } = made
    this.#organizations.set(organization.id, organization)
    for (const persona of made.personas) this.#personas.set(persona.id, persona)
    return {
      organization: { id: organization.id, name: organization.name, apiKey, testApiKey },
      // The list has one persona for each element of the option `personas`, in the same order.
      personas: made.personas.map(toTestPersona) as unknown as SeededTestOrganization<Personas>["personas"]
    }
  }

  async key(organization: TestOrganization, options: NewKey): Promise<string> {
    checkKeyOptions(options)
    const { environment, expiresAt, scopes } = options
    const issued = Seed.issueApiKey(this.#organization(organization), {
      ...(scopes === undefined ? {} : { scopes }),
      ...(environment === undefined ? {} : { environment }),
      ...(expiresAt === undefined ? {} : { expiresAt: expiresAt.getTime() })
    })
    return (await this.#instance.run(issued)).text
  }

  async token(organization: TestOrganization): Promise<string> {
    return this.#instance.run(
      Seed.issueDashboardToken(this.#organization(organization), { expiresIn: Duration.hours(1) })
    )
  }

  async license(organization: TestOrganization, persona: TestPersona, until?: Date): Promise<void> {
    const { id } = this.persona(persona)
    const found = this.#personas.get(id) as Persona
    await this.#instance.run(Seed.licensePersona(this.#organization(organization), found, until?.getTime() ?? null))
  }

  /** Finds a persona by name, or checks that the given persona belongs to this instance. */
  persona(wanted: TestPersona | string): TestPersona {
    const all = [...this.#personas.values()]
    const found =
      typeof wanted === "string" ? all.filter(({ name }) => name === wanted) : all.filter(({ id }) => id === wanted.id)
    if (found[0] !== undefined && found.length === 1) return toTestPersona(found[0])
    const name = typeof wanted === "string" ? wanted : wanted.name
    throw new TestPartnerCommentaryError(
      found.length > 1
        ? `${found.length} personas are named “${name}”. Give the persona itself, as seed answered with it.`
        : `This instance has no persona “${name}”. It has: ${formatList(all.map((each) => each.name))}. Make personas with seed.`
    )
  }

  #organization({ id, name }: TestOrganization): Organization {
    const found = this.#organizations.get(id)
    if (found !== undefined) return found
    const all = [...this.#organizations.values()].map((each) => each.name)
    throw new TestPartnerCommentaryError(
      `This instance has no organization “${name}” with the id ${id}. It has: ${formatList(all)}. Make organizations with seed.`
    )
  }
}

const toTestPersona = ({ creator, id, name }: Persona): TestPersona => ({ id, name, creator })

const organizationOf = ({ contactEmail, limits, organization, plan }: TestOrganizationSeed): Partial<Organization> => ({
  ...(organization === undefined ? {} : { name: organization }),
  ...(contactEmail === undefined ? {} : { contactEmail }),
  ...(plan === undefined ? {} : { plan }),
  limits: limits === "plan" ? {} : { ...Seed.generousLimits, ...limits }
})

/** By default each persona has its own creator with a readable address. */
const personaOf = (seed: string | TestPersonaSeed, number: number): Partial<Persona> => {
  const { licensed: _, ...given } = typeof seed === "string" ? { name: seed, licensed: true } : seed
  const [first = ""] = given.name.split(" ")
  const slug = given.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")
  return { creator: { name: first, email: `${slug}-${number}@creators.example` }, ...given }
}
