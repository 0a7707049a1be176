/** What is held whole, as content that is read once. */
export async function* iterableOf(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(content);
}
