/** Topics: submitted, followed, waited for, fetched. */
import { path, query } from "./Address.ts"
import type { Connection } from "./Connection.ts"
import { Listing, type Page } from "./Listing.ts"
import type { PostOptions, RequestOptions } from "./Options.ts"
import type {
  AcceptedCommentary,
  BulkResults,
  CreateTopic,
  ReferenceLookup,
  Topic,
  TopicCommentaries,
  TopicDetail,
  TopicProgress,
  TopicStatus,
  TopicSummary
} from "./Topic.ts"
import { type WaitOptions, waitForTopic } from "./Waiting.ts"

/** Which topics, and how many at a time. */
export interface ListTopics {
  readonly status?: TopicStatus | undefined
  /** Of a page: 1 to 100, 20 where it is left out. */
  readonly limit?: number | undefined
  /** Where to begin: 0 to 10,000. Not with a cursor. */
  readonly offset?: number | undefined
  /** `next_cursor` of an earlier page. */
  readonly cursor?: string | undefined
}

export class Topics {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * Sends a topic to its personas' creators. Fails with `no_valid_personas` where it could be sent to none of them.
   * Scope `topics:submit`.
   */
  async create(topic: CreateTopic, options?: PostOptions): Promise<Topic> {
    return this.#connection.data({ method: "POST", path: "/topics", body: topic, options })
  }

  /**
   * Sends 1 to 100 topics, each for itself: one that is refused does not hold up the others. Resolves with what became
   * of each, in order; look at `status`. Scope `topics:submit`.
   */
  async createMany(topics: ReadonlyArray<CreateTopic>, options?: PostOptions): Promise<BulkResults> {
    return this.#connection.data({ method: "POST", path: "/topics/bulk", body: { topics }, options })
  }

  /** Your topics, newest first: awaited, a page; iterated, all of them. Scope `topics:read`. */
  list(topics: ListTopics = {}, options?: RequestOptions): Listing<TopicSummary> {
    return new Listing((cursor) => {
      const asked = cursor === undefined ? topics : { status: topics.status, limit: topics.limit, cursor }
      return this.#connection.send<Page<TopicSummary>>({
        method: "GET",
        path: `/topics${query({ ...asked })}`,
        options
      })
    })
  }

  /** A topic with all that came of it. Fails with `not_found`. Scope `topics:read`. */
  async get(id: string, options?: RequestOptions): Promise<TopicDetail> {
    return this.#connection.data({ method: "GET", path: path`/topics/${id}`, options })
  }

  /** The light view for polling, which `waitFor` does for you. Fails with `not_found`. Scope `topics:read`. */
  async status(id: string, options?: RequestOptions): Promise<TopicProgress> {
    return this.#connection.data({ method: "GET", path: path`/topics/${id}/status`, options })
  }

  /** The approved commentaries alone; none yet is an empty list. Fails with `not_found`. Scope `topics:read`. */
  async commentaries(id: string, options?: RequestOptions): Promise<TopicCommentaries> {
    return this.#connection.data({ method: "GET", path: path`/topics/${id}/commentaries`, options })
  }

  /** Everything under your own `external_reference`. Fails with `not_found`. Scope `topics:read`. */
  async byReference(reference: string, options?: RequestOptions): Promise<ReferenceLookup> {
    return this.#connection.data({ method: "GET", path: path`/topics/by-reference/${reference}`, options })
  }

  /**
   * Polls until nothing more will come of the topic, or until the first commentary is ready, and resolves with the topic.
   * Polls every 30 to 60 seconds, with a test key every 1 to 2 (see `intervalMs`), and paces itself by the rate limit that
   * the answers show. Once the topic was seen, rides out outages; an answer such as `not_found` rejects at once. After
   * `timeoutMs` and a last look, rejects with WaitTimeoutError. Scope `topics:read`.
   */
  async waitFor(id: string, options?: WaitOptions): Promise<TopicDetail> {
    return waitForTopic(this, () => this.#connection.isTest, id, options)
  }

  /** Accepts an approved commentary for publication. The first acceptance counts. Scope `topics:submit`. */
  async approveCommentary(topicId: string, commentaryId: string, options?: PostOptions): Promise<AcceptedCommentary> {
    return this.#connection.data({
      method: "POST",
      path: path`/topics/${topicId}/commentaries/${commentaryId}/approve`,
      options
    })
  }
}
