/** Returns the content as a stream of one chunk. */
export async function* iterableOf(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(content);
}
