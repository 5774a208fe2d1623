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

/**
 * `await listing` is the first page; `for await (const item of listing)` walks over every item of every page, and
 * `listing.pages()` over the pages. A page is fetched when it is reached.
 */
export class Listing<Item> implements PromiseLike<Page<Item>>, AsyncIterable<Item> {
  readonly #fetch: (cursor: string | undefined) => Promise<Page<Item>>
  #first: Promise<Page<Item>> | undefined

  constructor(fetch: (cursor: string | undefined) => Promise<Page<Item>>) {
    this.#fetch = fetch
  }

  // biome-ignore lint/suspicious/noThenProperty: to be awaited is what it is for
  then<A = Page<Item>, B = never>(
    onFulfilled?: ((page: Page<Item>) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null
  ): Promise<A | B> {
    this.#first ??= this.#fetch(undefined)
    return this.#first.then(onFulfilled, onRejected)
  }

  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<Page<Item> | B> {
    return this.then(undefined, onRejected)
  }

  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let page: Page<Item> = await this.then()
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
