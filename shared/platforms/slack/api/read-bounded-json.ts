const MAX_BYTES = 64 * 1024;

/** Parses the JSON of a response. Rejects if it is longer than 64 KB or invalid. */
export async function readBoundedJson(response: Response): Promise<unknown> {
  let text = '';
  const decoder = new TextDecoder();
  const body: AsyncIterable<Uint8Array> | undefined = response.body ?? undefined;
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_BYTES) throw new Error('too large');
  }
  return JSON.parse(text);
}
