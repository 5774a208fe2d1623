/** A list that is fetched page by page: awaited, it is its first page; iterated, it is everything. */

/** One page, with what it says of the whole. */
export interface Page<Item> {
  readonly data: ReadonlyArray<Item>
  readonly pagination: {
    readonly limit: number
    readonly offset: number
    /** Of all pages. */
    readonly total: number
    /** What asks for the next page; null on the last. */
    readonly next_cursor: string | null
  }
}

/** One page of a list that is long, and has no places to skip to. */
export interface CursorPage<Item> {
  readonly data: ReadonlyArray<Item>
  readonly pagination: {
    readonly limit: number
    /** What asks for the next page; null on the last. */
    readonly next_cursor: string | null
  }
}

/**
 * `await listing` is the first page; `for await (const item of listing)` walks over every item of every page, and
 * `listing.pages()` over the pages. A page is fetched when it is reached.
 */
export class Listing<Item, One extends CursorPage<Item> = Page<Item>> implements PromiseLike<One>, AsyncIterable<Item> {
  readonly #fetch: (cursor: string | undefined) => Promise<One>
  #first: Promise<One> | undefined

  constructor(fetch: (cursor: string | undefined) => Promise<One>) {
    this.#fetch = fetch
  }

  // biome-ignore lint/suspicious/noThenProperty: to be awaited is what it is for
  then<A = One, B = never>(
    onFulfilled?: ((page: One) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null
  ): Promise<A | B> {
    this.#first ??= this.#fetch(undefined)
    return this.#first.then(onFulfilled, onRejected)
  }

  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<One | B> {
    return this.then(undefined, onRejected)
  }

  async *pages(): AsyncGenerator<One, void, undefined> {
    let page: One = await this.then()
    yield page
    while (page.pagination.next_cursor !== null) {
      page = await this.#fetch(page.pagination.next_cursor)
      yield page
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.data
  }
}
