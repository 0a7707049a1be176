const MAX_BYTES = 64 * 1024;

/** The JSON of a short answer. Rejects for more than 64 KB, and for what is none. */
export async function readJson(response: Response): Promise<unknown> {
  let text = '';
  const decoder = new TextDecoder();
  const body: AsyncIterable<Uint8Array> | undefined = response.body ?? undefined;
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_BYTES) throw new Error('too large');
  }
  return JSON.parse(text);
}
