/** Defines paged lists. `await` a list for its first page, or iterate over all items of all pages. */

/** One page of a list, with the total number of items in the list. */
export interface Page<Item> {
  readonly data: ReadonlyArray<Item>
  readonly pagination: {
    readonly limit: number
    readonly offset: number
    /** The number of items on all pages together. */
    readonly total: number
    /** The cursor of the next page; null on the last page. */
    readonly next_cursor: string | null
  }
}

/** One page of a list that has neither a total nor an offset. */
export interface CursorPage<Item> {
  readonly data: ReadonlyArray<Item>
  readonly pagination: {
    readonly limit: number
    /** The cursor of the next page; null on the last page. */
    readonly next_cursor: string | null
  }
}

/**
 * `await listing` returns the first page. `for await (const item of listing)` iterates over all items, and
 * `listing.pages()` iterates over the pages. The client fetches a page only when the iteration reaches the page.
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
    // Stop at an empty page, because in ascending order, even the last page has a cursor.
    while (page.pagination.next_cursor !== null && page.data.length > 0) {
      page = await this.#fetch(page.pagination.next_cursor)
      yield page
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.data
  }
}
