/** A list in pages. Await the list for the first page, or iterate over all items. */

/** One page with the list's total. */
export interface Page<Item> {
  readonly data: ReadonlyArray<Item>
  readonly pagination: {
    readonly limit: number
    readonly offset: number
    /** The number of items on all pages. */
    readonly total: number
    /** The cursor of the next page; null on the last page. */
    readonly next_cursor: string | null
  }
}

/** One page of a list without total and offset. */
export interface CursorPage<Item> {
  readonly data: ReadonlyArray<Item>
  readonly pagination: {
    readonly limit: number
    /** The cursor of the next page; null on the last page. */
    readonly next_cursor: string | null
  }
}

/**
 * `await listing` gives the first page. `for await (const item of listing)` iterates over all items, `listing.pages()`
 * over pages. A page is fetched only when the iteration reaches it.
 */
export class Listing<Item, One extends CursorPage<Item> = Page<Item>> implements PromiseLike<One>, AsyncIterable<Item> {
  readonly #fetch: (cursor: string | undefined) => Promise<One>
  #first: Promise<One> | undefined

  constructor(fetch: (cursor: string | undefined) => Promise<One>) {
    this.#fetch = fetch
  }

  // biome-ignore lint/suspicious/noThenProperty: `await` on a listing is part of the API
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
    // A list in ascending order has a cursor on its last page too.
    while (page.pagination.next_cursor !== null && page.data.length > 0) {
      page = await this.#fetch(page.pagination.next_cursor)
      yield page
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.data
  }
}
