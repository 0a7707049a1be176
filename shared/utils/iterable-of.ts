/** Returns the parts of a content as a stream. */
export async function* iterableOf(...parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield await Promise.resolve(part);
}
