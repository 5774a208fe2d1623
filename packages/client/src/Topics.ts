/** Submits, polls, waits for, fetches and lists topics. */
import { buildRequestPath, formatQueryString } from "./Address.ts"
import type { Connection } from "./Connection.ts"
import { Listing, type Page } from "./Listing.ts"
import type { PostOptions, RequestOptions } from "./Options.ts"
import type {
  BulkResults,
  CreateTopic,
  PartnerApprovedCommentary,
  ReferenceLookup,
  Topic,
  TopicCommentaries,
  TopicDetail,
  TopicProgress,
  TopicStatus,
  TopicSummary
} from "./Topic.ts"
import { type WaitOptions, waitForTopic } from "./Waiting.ts"

/** The filters, order and page of a list of topics. */
export interface ListTopicsOptions {
  /** The status or statuses of the topics to list. */
  readonly status?: TopicStatus | ReadonlyArray<TopicStatus> | undefined
  /** `external_reference` cannot be combined with `status`. */
  readonly external_reference?: string | undefined
  /**
   * The exclusive bounds of the creation time. `created_after` and `created_before` are ISO 8601 with a time zone.
   */
  readonly created_after?: string | Date | undefined
  readonly created_before?: string | Date | undefined
  /**
   * Lists only topics that changed after this time, ordered by their last change. `updated_after` cannot be combined
   * with another filter.
   */
  readonly updated_after?: string | Date | undefined
  /** The order of the list. The default is `desc`, which lists the newest topic first. */
  readonly order?: "asc" | "desc" | undefined
  /** The page size, from 1 to 100, by default 20. */
  readonly limit?: number | undefined
  /** The position of the first item, from 0 to 10,000. `offset` and `cursor` cannot be combined. */
  readonly offset?: number | undefined
  /** The `next_cursor` of an earlier page. */
  readonly cursor?: string | undefined
}

export class TopicsClient {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * Sends a topic to its personas' creators. The call fails with `no_valid_personas` when none of the personas can
   * receive the topic. Scope `topics:submit`.
   */
  async create(topic: CreateTopic, options?: PostOptions): Promise<Topic> {
    return this.#connection.data({ method: "POST", path: "/topics", body: topic, options })
  }

  /**
   * Sends 1 to 100 topics. A rejected topic does not affect the other topics. Resolves with the results in the order of
   * the topics; check each `status`. Scope `topics:submit`.
   */
  async createMany(topics: ReadonlyArray<CreateTopic>, options?: PostOptions): Promise<BulkResults> {
    return this.#connection.data({ method: "POST", path: "/topics/bulk", body: { topics }, options })
  }

  /** Lists your topics. Await the list for a page, or iterate over all topics. Scope `topics:read`. */
  list(topics: ListTopicsOptions = {}, options?: RequestOptions): Listing<TopicSummary> {
    return new Listing((cursor) => {
      const asked = cursor === undefined ? topics : { ...topics, offset: undefined, cursor }
      return this.#connection.send<Page<TopicSummary>>({
        method: "GET",
        path: `/topics${formatQueryString({ ...asked })}`,
        options
      })
    })
  }

  /**
   * Reads a topic with all results. If the topic does not exist, the call fails with `not_found`. Scope `topics:read`.
   */
  async get(id: string, options?: RequestOptions): Promise<TopicDetail> {
    return this.#connection.data({ method: "GET", path: buildRequestPath`/topics/${id}`, options })
  }

  /**
   * Reads the minimal view of a topic for polling. `waitFor` polls for you. If the topic does not exist, the call fails
   * with `not_found`. Scope `topics:read`.
   */
  async status(id: string, options?: RequestOptions): Promise<TopicProgress> {
    return this.#connection.data({ method: "GET", path: buildRequestPath`/topics/${id}/status`, options })
  }

  /**
   * Cancels the topic's assignments that no creator has answered yet. Assignments that a creator has answered continue.
   * Resolves with the status after the cancellation. A repeated cancellation changes nothing. If the topic does not
   * exist, the call fails with `not_found`. Scope `topics:submit`.
   */
  async cancel(id: string, options?: PostOptions): Promise<TopicProgress> {
    return this.#connection.data({ method: "POST", path: buildRequestPath`/topics/${id}/cancel`, options })
  }

  /**
   * Reads only the approved commentaries of a topic. If the topic does not exist, the call fails with `not_found`.
   * Scope `topics:read`.
   */
  async commentaries(id: string, options?: RequestOptions): Promise<TopicCommentaries> {
    return this.#connection.data({ method: "GET", path: buildRequestPath`/topics/${id}/commentaries`, options })
  }

  /**
   * Reads all topics with your `external_reference`. If no topic has the reference, the call fails with `not_found`.
   * Scope `topics:read`.
   */
  async byReference(reference: string, options?: RequestOptions): Promise<ReferenceLookup> {
    return this.#connection.data({ method: "GET", path: buildRequestPath`/topics/by-reference/${reference}`, options })
  }

  /**
   * Waits until the topic is completed, or with `until: "first"` until the first commentary is ready, and resolves with
   * the topic. Each request waits in the service for a change, up to 25 seconds. If the service responds without
   * waiting, `waitFor` polls every 30 to 60 seconds, or every 1 to 2 seconds with a test key (see `intervalMs`).
   * `waitFor` always stays within the rate limit. Temporary errors after the first status are ignored, and errors such
   * as `not_found` reject immediately. After `timeoutMs` and one last poll, the call rejects with WaitTimeoutError.
   * Scope `topics:read`.
   */
  async waitFor(id: string, options?: WaitOptions): Promise<TopicDetail> {
    return waitForTopic(this, this.#connection, id, options)
  }

  /**
   * Accepts an approved commentary for publication. The service stores only the first acceptance. Scope
   * `topics:submit`.
   */
  async approveCommentary(
    topicId: string,
    commentaryId: string,
    options?: PostOptions
  ): Promise<PartnerApprovedCommentary> {
    return this.#connection.data({
      method: "POST",
      path: buildRequestPath`/topics/${topicId}/commentaries/${commentaryId}/approve`,
      options
    })
  }
}
